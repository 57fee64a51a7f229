"""What we believe before reading: frozen dataclasses, each a centre and a strength."""

from priorwise.priors.pseudo_counts import PseudoCounts

__all__ = ["PseudoCounts"]
