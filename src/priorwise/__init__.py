"""Text classification in which the prior is the thing you choose, learn, look at and reuse.

>>> import priorwise as pw
>>> pw.PseudoCounts(negative=22, positive=4)
PseudoCounts(negative=22, positive=4)

Names are imported when they are first used, so that ``import priorwise`` and the command line start at once.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from priorwise.version import __version__ as __version__

_HOME = {
    "AbsoluteDiscount": "priorwise.priors",
    "Accuracy": "priorwise.search",
    "AveragePrecision": "priorwise.search",
    "BernoulliNB": "priorwise.models.naive_bayes.estimators",
    "Beta": "priorwise.priors",
    "CategoryGraph": "priorwise.corpus",
    "CategoryPage": "priorwise.corpus",
    "CollectionBeta": "priorwise.priors",
    "Corpus": "priorwise.corpus",
    "Dirichlet": "priorwise.priors",
    "Document": "priorwise.corpus",
    "FBeta": "priorwise.search",
    "FewestErrors": "priorwise.search",
    "FolderReader": "priorwise.readers.folder",
    "FromCounts": "priorwise.search",
    "FromScores": "priorwise.search",
    "Gaussian": "priorwise.priors",
    "HyperPrior": "priorwise.priors",
    "ImaginedTexts": "priorwise.priors.informed",
    "Informed": "priorwise.priors.informed",
    "InverseDocumentFrequency": "priorwise.features",
    "Jeffreys": "priorwise.priors",
    "JelinekMercer": "priorwise.priors",
    "Keywords": "priorwise.priors.keywords",
    "Laplace": "priorwise.priors",
    "LeftOutRanks": "priorwise.search",
    "LinearModel": "priorwise.models.linear_model",
    "LinearDiscount": "priorwise.priors",
    "LogLikelihood": "priorwise.search",
    "LogLoss": "priorwise.search",
    "LogisticRegression": "priorwise.models.regression.logistic",
    "MacroF1": "priorwise.search",
    "MedlineReader": "priorwise.readers.collections.medline",
    "MemberFinder": "priorwise.models.regression.member_finder",
    "MemberRegression": "priorwise.models.regression.member_regression",
    "MicroF1": "priorwise.search",
    "MultinomialNB": "priorwise.models.naive_bayes.estimators",
    "NamedColumns": "priorwise.features",
    "NewsgroupsReader": "priorwise.readers.collections.newsgroups",
    "ODPReader": "priorwise.readers.collections.odp",
    "OhsumedReader": "priorwise.readers.collections.ohsumed",
    "Opening": "priorwise.readers.opening",
    "Origin": "priorwise.corpus",
    "PPV": "priorwise.search",
    "PPVAtK": "priorwise.search",
    "PearsonSelection": "priorwise.features",
    "PresenceNB": "priorwise.models.naive_bayes.presence",
    "PriorSearch": "priorwise.models.prior_search",
    "PriorwiseError": "priorwise.errors",
    "ProbitRegression": "priorwise.models.regression.probit",
    "PseudoCounts": "priorwise.priors",
    "RCV1Reader": "priorwise.readers.collections.rcv1",
    "RecordReader": "priorwise.readers.records",
    "ReutersReader": "priorwise.readers.collections.reuters",
    "Run": "priorwise.discovery",
    "Session": "priorwise.review.session",
    "Spark": "priorwise.engines.spark",
    "Spelling": "priorwise.features",
    "StructuredGaussian": "priorwise.priors",
    "TermBeta": "priorwise.priors",
    "TermFrequency": "priorwise.features",
    "Thresholded": "priorwise.models.threshold",
    "WeightManipulation": "priorwise.priors",
    "WeightedNB": "priorwise.models.naive_bayes.estimators",
    "WittenBell": "priorwise.priors",
    "Words": "priorwise.features",
    "YahooQAReader": "priorwise.readers.collections.yahoo_qa",
    "discover": "priorwise.discovery",
    "embed": "priorwise.features.vectors",
    "discover_many": "priorwise.discovery.many",
    "discover_runs": "priorwise.discovery.many",
    "explore": "priorwise.explorer",
    "fit_threshold": "priorwise.models.threshold",
    "ingest": "priorwise.corpus",
    "ingest_wikipedia": "priorwise.corpus.build.wikipedia",
    "read_bxr_priors": "priorwise.priors.bxr_files",
    "simulate": "priorwise.review.simulation",
    "try_priors": "priorwise.models.regression.logistic_search",
    "variance_path": "priorwise.models.regression.logistic_search",
    "write_bxr_priors": "priorwise.priors.bxr_files",
    "write_report": "priorwise.report",
}

if TYPE_CHECKING:
    from priorwise.corpus import CategoryGraph, CategoryPage, Corpus, Document, Origin, ingest
    from priorwise.corpus.build.wikipedia import ingest_wikipedia
    from priorwise.discovery import Run, discover
    from priorwise.discovery.many import discover_many, discover_runs
    from priorwise.engines.spark import Spark
    from priorwise.errors import PriorwiseError
    from priorwise.explorer import explore
    from priorwise.features import (
        InverseDocumentFrequency,
        NamedColumns,
        PearsonSelection,
        Spelling,
        TermFrequency,
        Words,
    )
    from priorwise.features.vectors import embed
    from priorwise.models.linear_model import LinearModel
    from priorwise.models.naive_bayes.estimators import BernoulliNB, MultinomialNB, WeightedNB
    from priorwise.models.naive_bayes.presence import PresenceNB
    from priorwise.models.prior_search import PriorSearch
    from priorwise.models.regression.logistic import LogisticRegression
    from priorwise.models.regression.logistic_search import try_priors, variance_path
    from priorwise.models.regression.member_finder import MemberFinder
    from priorwise.models.regression.member_regression import MemberRegression
    from priorwise.models.regression.probit import ProbitRegression
    from priorwise.models.threshold import Thresholded, fit_threshold
    from priorwise.priors import (
        AbsoluteDiscount,
        Beta,
        CollectionBeta,
        Dirichlet,
        Gaussian,
        HyperPrior,
        Jeffreys,
        JelinekMercer,
        Laplace,
        LinearDiscount,
        PseudoCounts,
        StructuredGaussian,
        TermBeta,
        WeightManipulation,
        WittenBell,
    )
    from priorwise.priors.bxr_files import read_bxr_priors, write_bxr_priors
    from priorwise.priors.informed import ImaginedTexts, Informed
    from priorwise.priors.keywords import Keywords
    from priorwise.readers.collections.medline import MedlineReader
    from priorwise.readers.collections.newsgroups import NewsgroupsReader
    from priorwise.readers.collections.odp import ODPReader
    from priorwise.readers.collections.ohsumed import OhsumedReader
    from priorwise.readers.collections.rcv1 import RCV1Reader
    from priorwise.readers.collections.reuters import ReutersReader
    from priorwise.readers.collections.yahoo_qa import YahooQAReader
    from priorwise.readers.folder import FolderReader
    from priorwise.readers.opening import Opening
    from priorwise.readers.records import RecordReader
    from priorwise.report import write_report
    from priorwise.review.session import Session
    from priorwise.review.simulation import simulate
    from priorwise.search import (
        PPV,
        Accuracy,
        AveragePrecision,
        FBeta,
        FewestErrors,
        FromCounts,
        FromScores,
        LeftOutRanks,
        LogLikelihood,
        LogLoss,
        MacroF1,
        MicroF1,
        PPVAtK,
    )

__all__ = [
    "PPV",
    "AbsoluteDiscount",
    "Accuracy",
    "AveragePrecision",
    "BernoulliNB",
    "Beta",
    "CategoryGraph",
    "CategoryPage",
    "CollectionBeta",
    "Corpus",
    "Dirichlet",
    "Document",
    "FBeta",
    "FewestErrors",
    "FolderReader",
    "FromCounts",
    "FromScores",
    "Gaussian",
    "HyperPrior",
    "ImaginedTexts",
    "Informed",
    "InverseDocumentFrequency",
    "Jeffreys",
    "JelinekMercer",
    "Keywords",
    "Laplace",
    "LeftOutRanks",
    "LinearDiscount",
    "LinearModel",
    "LogLikelihood",
    "LogLoss",
    "LogisticRegression",
    "MacroF1",
    "MedlineReader",
    "MemberFinder",
    "MemberRegression",
    "MicroF1",
    "MultinomialNB",
    "NamedColumns",
    "NewsgroupsReader",
    "ODPReader",
    "OhsumedReader",
    "Opening",
    "Origin",
    "PPVAtK",
    "PearsonSelection",
    "PresenceNB",
    "PriorSearch",
    "PriorwiseError",
    "ProbitRegression",
    "PseudoCounts",
    "RCV1Reader",
    "RecordReader",
    "ReutersReader",
    "Run",
    "Session",
    "Spark",
    "Spelling",
    "StructuredGaussian",
    "TermBeta",
    "TermFrequency",
    "Thresholded",
    "WeightManipulation",
    "WeightedNB",
    "WittenBell",
    "Words",
    "YahooQAReader",
    "discover",
    "discover_many",
    "discover_runs",
    "embed",
    "explore",
    "fit_threshold",
    "ingest",
    "ingest_wikipedia",
    "read_bxr_priors",
    "simulate",
    "try_priors",
    "variance_path",
    "write_bxr_priors",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'priorwise' has no attribute '{name}'")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
