"""How a corpus lies on disk or at an address, and how it is checked."""
