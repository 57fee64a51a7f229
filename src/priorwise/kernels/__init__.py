"""The compiled inner loops: arrays in, arrays out, no project types."""

from priorwise.kernels.kept_code import find_room

find_room()
