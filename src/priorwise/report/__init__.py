"""What a run found and how good it is: one HTML file that needs nothing else, and lists for an editor."""

from priorwise.report.lists import write_csv, write_wikitext
from priorwise.report.page import report_html, write_report
from priorwise.report.subject import Subject

__all__ = ["Subject", "report_html", "write_csv", "write_report", "write_wikitext"]
