"""Naive Bayes: presence, Bernoulli, multinomial and weighted; counts and leave-one-out."""
