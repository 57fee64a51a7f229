"""What was found, in the files people have: their own file with results added, new files, and lists for wikis."""

from priorwise.exports.finished import KINDS, LISTS, Finished, finished_bytes, write_finished
from priorwise.exports.write_back import STATUSES, Result, WrittenBack, write_back

__all__ = [
    "KINDS",
    "LISTS",
    "STATUSES",
    "Finished",
    "Result",
    "WrittenBack",
    "finished_bytes",
    "write_back",
    "write_finished",
]
