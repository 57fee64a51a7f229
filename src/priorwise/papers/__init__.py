"""One file for each paper: its experiment, and the published number beside ours."""
