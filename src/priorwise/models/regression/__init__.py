"""Regression under a prior: logistic, probit, and the regression that finds members."""
