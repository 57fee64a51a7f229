"""What a run found and how good it is: one HTML file that needs nothing else."""

from priorwise.report.page import report_html, write_report
from priorwise.report.subject import Subject

__all__ = ["Subject", "report_html", "write_report"]
