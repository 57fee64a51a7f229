"""Judging documents: the queue, the verdicts, the session that learns from them, and the results."""

from priorwise.review.agreement import Agreement, GroupAgreement, cohen_kappa, fleiss_kappa, krippendorff_alpha
from priorwise.review.export import export_run, finished_of, write_into
from priorwise.review.queue import Choices, Item, items_of, teaching_items
from priorwise.review.results import decisions, judged, results
from priorwise.review.team import Disagreement, Team
from priorwise.review.verdicts import Verdict, Verdicts

__all__ = [
    "Agreement",
    "Choices",
    "Disagreement",
    "GroupAgreement",
    "Item",
    "Team",
    "Verdict",
    "Verdicts",
    "cohen_kappa",
    "decisions",
    "export_run",
    "finished_of",
    "fleiss_kappa",
    "items_of",
    "judged",
    "krippendorff_alpha",
    "results",
    "teaching_items",
    "write_into",
]
