"""The compiled inner loops: arrays in, arrays out, no project types."""
