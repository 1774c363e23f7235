"""The rules, by what they are about. Importing this fills ``rule.RULES``."""

from grader.checks.conformance.rules import blob as _blob  # noqa: F401
from grader.checks.conformance.rules import build as _build  # noqa: F401
from grader.checks.conformance.rules import clones as _clones  # noqa: F401
from grader.checks.conformance.rules import fields as _fields  # noqa: F401
from grader.checks.conformance.rules import formats as _formats  # noqa: F401
from grader.checks.conformance.rules import identity as _identity  # noqa: F401
from grader.checks.conformance.rules import library as _library  # noqa: F401
from grader.checks.conformance.rules import memory as _memory  # noqa: F401
from grader.checks.conformance.rules import outcomes as _outcomes  # noqa: F401
from grader.checks.conformance.rules import serialization as _serialization  # noqa: F401
from grader.checks.conformance.rules import shapes as _shapes  # noqa: F401
from grader.checks.conformance.rules import sharing as _sharing  # noqa: F401
from grader.checks.conformance.rules import streams as _streams  # noqa: F401
from grader.checks.conformance.rules import values as _values  # noqa: F401
