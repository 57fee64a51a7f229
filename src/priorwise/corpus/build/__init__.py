"""How documents become a corpus on disk."""
