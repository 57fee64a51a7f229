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

_NAMES = {
    "corpus": "CategoryGraph CategoryPage Corpus Document Origin ingest",
    "corpus.build.wikipedia": "ingest_wikipedia",
    "discovery": "Run discover",
    "discovery.many": "discover_many discover_runs",
    "engines.spark": "Spark",
    "errors": "PriorwiseError",
    "explorer": "explore",
    "features": "InverseDocumentFrequency NamedColumns PearsonSelection Spelling TermFrequency Words",
    "features.vectors": "embed",
    "models.linear_model": "LinearModel",
    "models.naive_bayes.estimators": "BernoulliNB MultinomialNB WeightedNB",
    "models.naive_bayes.presence": "PresenceNB",
    "models.prior_search": "PriorSearch",
    "models.regression.logistic": "LogisticRegression",
    "models.regression.member_finder": "MemberFinder",
    "models.regression.member_regression": "MemberRegression",
    "models.regression.probit": "ProbitRegression",
    "models.threshold": "Thresholded fit_threshold",
    "priors": "AbsoluteDiscount Beta CollectionBeta Dirichlet Gaussian HyperPrior Jeffreys JelinekMercer "
    "Laplace LinearDiscount PseudoCounts StructuredGaussian TermBeta WeightManipulation WittenBell",
    "priors.bxr_files": "read_bxr_priors write_bxr_priors",
    "priors.informed": "ImaginedTexts Informed",
    "priors.keywords": "Keywords",
    "readers.collections.medline": "MedlineReader",
    "readers.collections.newsgroups": "NewsgroupsReader",
    "readers.collections.odp": "ODPReader",
    "readers.collections.ohsumed": "OhsumedReader",
    "readers.collections.rcv1": "RCV1Reader",
    "readers.collections.reuters": "ReutersReader",
    "readers.collections.yahoo_qa": "YahooQAReader",
    "readers.folder": "FolderReader",
    "readers.opening": "Opening",
    "readers.records": "RecordReader",
    "report": "write_report",
    "review.session": "Session",
    "review.simulation": "simulate",
    "search": "Accuracy AveragePrecision FBeta FewestErrors FromCounts FromScores LeftOutRanks "
    "LogLikelihood LogLoss MacroF1 MicroF1 PPV PPVAtK",
}
"""Which names each module has."""
_HOME = {name: f"priorwise.{module}" for module, names in _NAMES.items() for name in names.split()}

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
