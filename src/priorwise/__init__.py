"""Text classification in which the prior is the thing you choose, learn, look at and reuse."""

__version__ = "0.1.0"
