"""What was found, in the files people have: their own file with results added, and lists for wikis."""

from priorwise.exports.result import STATUSES, Result
from priorwise.exports.write_back import write_back

__all__ = ["STATUSES", "Result", "write_back"]
