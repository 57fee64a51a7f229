"""The experiment with many classes: what is read, and the accuracy of the chosen prior."""

from __future__ import annotations

import numpy as np

import priorwise as pw
from reproductions import webscale
from reproductions.data import Data
from reproductions.webscale import METHODS, Classes, accuracy, number_of


def test_accuracy_is_that_of_the_chosen_prior(collections, corpora):
    classes = webscale.PARTS["onet"].read(Data(collections, corpora))
    assert classes.n_classes == 25
    X, y, X_test, y_test = classes.split(3)
    assert (X.shape[0], X_test.shape[0]) == (160, 40)
    assert np.all(np.diff(X.tocsc().indptr) > 0)
    for name, method in METHODS.items():
        found = accuracy(classes, method, 3, every=1)
        model = method.model() if method.prior is None else method.model(method.prior(found["number"]))
        assert found["accuracy"] == np.mean(model.fit(X, y).predict(X_test) == y_test)
        if method.prior is not None:
            scores = pw.PriorSearch(model, grid=method.prior.grid()).fit(X, y).trials_["score"]
            assert found["held_out"] >= scores.max(), name
            assert number_of(method.prior(found["number"])) == found["number"]


def test_fewer_classes_are_among_more(collections, corpora):
    classes = webscale.PARTS["wordnet"].read(Data(collections, corpora))
    assert classes.n_classes == 11
    few, more = classes.of_classes(3), classes.of_classes(7)
    assert (few.n_classes, more.n_classes) == (3, 7)
    assert set(few.y.tolist()) < set(more.y.tolist())
    assert few.X.shape[0] == len(few.y) == sum(np.isin(classes.y, few.y))


def test_abstracts_go_to_their_rarest_main_heading(collections, corpora):
    classes = webscale.PARTS["medline"].read(Data(collections, corpora))
    assert isinstance(classes, Classes)
    assert np.bincount(np.unique(classes.y, return_inverse=True)[1]).tolist() == [12] * 5
