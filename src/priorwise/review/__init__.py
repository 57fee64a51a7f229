"""Judging documents: the queue, the verdicts, the session that learns from them, and the results."""

from priorwise.review.agreement import Agreement as Agreement
from priorwise.review.agreement import GroupAgreement as GroupAgreement
from priorwise.review.agreement import cohen_kappa as cohen_kappa
from priorwise.review.agreement import fleiss_kappa as fleiss_kappa
from priorwise.review.agreement import krippendorff_alpha as krippendorff_alpha
from priorwise.review.export import export_run as export_run
from priorwise.review.export import finished_of as finished_of
from priorwise.review.export import write_into as write_into
from priorwise.review.queue import Choices as Choices
from priorwise.review.queue import Item as Item
from priorwise.review.queue import items_of as items_of
from priorwise.review.queue import teaching_items as teaching_items
from priorwise.review.results import decisions as decisions
from priorwise.review.results import judged as judged
from priorwise.review.results import results as results
from priorwise.review.team import Disagreement as Disagreement
from priorwise.review.team import Team as Team
from priorwise.review.verdicts import Verdict as Verdict
from priorwise.review.verdicts import Verdicts as Verdicts
