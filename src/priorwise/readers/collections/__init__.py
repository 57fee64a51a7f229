"""Published datasets, each read from the files its authors distribute."""
