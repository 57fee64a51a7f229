"""The published experiments of five papers, run again: our number next to the published one.

Not part of the package that is installed. From a clone: ``.venv/bin/python -m reproductions presence --data DIR``.
"""
