"""Grading a class on top of nbgrader: instructor's tree, class release, autograde, feedback and export.

nbgrader keeps the gradebook, the formgrader and the course root; the verdicts are this package's own.
nbgrader takes long to import, so only the functions that need it import it.
"""

import sys

# jsonschema, which nbformat imports, makes the grammars of web addresses as it is imported: 1.4 of 1.6 seconds, for a
# check that no notebook asks for. Where they are missing it does without.
sys.modules.setdefault("rfc3987_syntax", None)
