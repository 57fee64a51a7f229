"""The pieces of work that priorwise and its peers do side by side."""

from contest import Job
from jobs.classes import CLASSES
from jobs.dump import DUMP
from jobs.hidden import HIDDEN
from jobs.rank import RANK
from jobs.regression import GAUSSIAN, LAPLACE
from jobs.start import START
from jobs.terrain import TERRAIN

JOBS: dict[str, Job] = {job.name: job for job in (CLASSES, LAPLACE, GAUSSIAN, HIDDEN, TERRAIN, RANK, DUMP, START)}
