"""The run child of a spec's reference: ``python -I -m grader.plugin.reference_child``.

It runs the reference file once and then its function for each request. It answers plain data, which the parent compares
with what the device wrote; it never sees the plugin's results.
"""

from __future__ import annotations

import sys

from grader.sandbox import channel, foreign, plain

NAME = "reference"
FILE = "<reference>"


def main() -> None:
    wire = channel()
    function = problem = None
    while (request := wire.receive()) is not None:
        header, payload = request
        try:
            if "source" in header:
                function = problem = None
                function = foreign.define(header["source"], NAME, FILE).get(header["function"])
                if not callable(function):
                    problem = {"error": f"there is no function {header['function']} in it", "line": None}
                wire.send(problem or {"ready": True})
            else:
                inputs, attributes = plain.decode(header["arguments"], payload)
                structure, data = plain.encode(_lists(function(inputs, attributes)))
                wire.send({"values": structure}, data)
        except BaseException as error:  # SystemExit and KeyboardInterrupt are answers too
            wire.send({"error": foreign.words(error), "line": foreign.line(error, FILE)})
        sys.stdout.flush()


def _lists(values):
    """One array may stand for a list of one; a tuple for a list."""
    return list(values) if isinstance(values, (list, tuple)) else [values]


if __name__ == "__main__":
    main()
