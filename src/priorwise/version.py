"""The version, where every part can read it without importing the front door, which names them all."""

__version__ = "0.1.0"
