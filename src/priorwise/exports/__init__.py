"""What was found, in the files people have: their own file with results added, new files, and lists for wikis."""

from priorwise.exports.finished import KINDS as KINDS
from priorwise.exports.finished import LISTS as LISTS
from priorwise.exports.finished import Finished as Finished
from priorwise.exports.finished import finished_bytes as finished_bytes
from priorwise.exports.finished import write_finished as write_finished
from priorwise.exports.write_back import STATUSES as STATUSES
from priorwise.exports.write_back import Result as Result
from priorwise.exports.write_back import WrittenBack as WrittenBack
from priorwise.exports.write_back import write_back as write_back
