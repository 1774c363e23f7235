"""Grading a class on top of nbgrader: instructor's tree, class release, autograde, feedback and export.

nbgrader keeps the gradebook, the formgrader and the course root; the verdicts are this package's own.
nbgrader takes two seconds to import, so only the functions that need it import it.
"""
