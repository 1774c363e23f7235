"""Grading a class: the instructor's tree, the class release, autograde, feedback and export, on top of nbgrader.

nbgrader keeps the gradebook, the formgrader and the course root; the verdicts are this package's own. nbgrader
takes two seconds to import, so only the functions that need it import it.
"""
