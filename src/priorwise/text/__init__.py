"""A string in, tokens out."""

from priorwise.text.tokens import tokens

__all__ = ["tokens"]
