"""Files in, documents out: one reader per kind of collection."""
