"""Between the bytes of an ONNX model and an ONNX GraphSurgeon ``Graph``, for functions that edit a graph.

``call(function, model)``: ``model`` is the file as an array of bytes (uint8). The function gets the ``Graph`` and
returns one, or nothing if it edited the one that it got. What comes back is a dictionary: ``{"model": array}``,
or ``{"error": words, "line": line of the cell or None}``, so that one model that fails does not hide the others.
"""

from __future__ import annotations

import numpy as np
import onnx
import onnx_graphsurgeon as gs

from grader.sandbox import foreign

CELL = "<answer>"  # as the run child names the cell


def call(function, model: np.ndarray) -> dict:
    graph = gs.import_onnx(onnx.load_from_string(model.tobytes()))
    try:
        edited = function(graph)
        edited = graph if edited is None else edited
        if not isinstance(edited, gs.Graph):
            raise TypeError(f"{function.__name__}() must return the graph, not a value of type {type(edited).__name__}")
        data = gs.export_onnx(edited).SerializeToString()
    except BaseException as error:  # SystemExit too; an export fails of what the function did
        return {"error": foreign.words(error), "line": foreign.line(error, CELL)}
    return {"model": np.frombuffer(data, np.uint8)}
