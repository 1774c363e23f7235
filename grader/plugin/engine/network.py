"""Builds a plan of one layer, the plugin, with TensorRT's own builder. Runs in the engine's process only.

Written for TensorRT 10.x and 11.x: flags are asked for by name, since 11.0 dropped some (EXPLICIT_BATCH) and gave
others new numbers (STRONGLY_TYPED, deprecated and always on there).
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import tensorrt as trt

from grader.plugin.python_file import import_plugin
from grader.plugin.types import DIMS

# Names of a spec to those of trt.DataType.
TYPES = {"float32": "FLOAT", "float16": "HALF", "bfloat16": "BF16", "float8": "FP8", "int8": "INT8", "int32": "INT32",
         "int64": "INT64", "uint8": "UINT8", "bool": "BOOL", "int4": "INT4", "float4": "FP4"}  # fmt: skip
# ... and to those of trt.PluginFieldType, with the NumPy type of one element in memory.
FIELDS: dict[str, tuple[str, Any]] = {
    "float16": ("FLOAT16", np.int16), "float32": ("FLOAT32", np.int32), "float64": ("FLOAT64", np.int64),
    "bfloat16": ("BF16", np.int16), "int8": ("INT8", np.int8), "int16": ("INT16", np.int16),
    "int32": ("INT32", np.int32), "int64": ("INT64", np.int64), "char": ("CHAR", np.int8), "dims": ("DIMS", DIMS),
    "unknown": ("UNKNOWN", np.int8), "float8": ("FP8", np.int8),
}  # fmt: skip
MOST_MESSAGES = 50


class CannotBuild(Exception):
    """TensorRT did not make a plan; the sentence says at which step."""


class Log(trt.ILogger):
    """Keeps what TensorRT says, from warnings upwards."""

    def __init__(self) -> None:
        trt.ILogger.__init__(self)
        self.messages: list[str] = []

    def log(self, severity: trt.ILogger.Severity, msg: str) -> None:
        if severity in (trt.ILogger.WARNING, trt.ILogger.ERROR, trt.ILogger.INTERNAL_ERROR):
            if len(self.messages) < MOST_MESSAGES:
                self.messages.append(f"{severity.name}: {msg}"[:2000])


def load(library: str) -> list[object]:
    """Bring the plugin's creators into the registry; what is returned must live as long as the process."""
    registry = trt.get_plugin_registry()
    if library.endswith(".py"):
        return import_plugin(Path(library), trt)
    handle = registry.load_library(library)
    if handle is None:
        raise CannotBuild("TensorRT does not load the library: it must export getCreators and setLoggerFinder.")
    return [handle]


def build(request: dict[str, Any], log: Log) -> tuple[bytes, dict[str, Any]]:
    """The plan, and facts: seconds, the interface. ``request`` is made by ``command.build_request``."""
    builder = trt.Builder(log)
    network = builder.create_network(_flags("STRONGLY_TYPED"))
    config, profile = builder.create_builder_config(), builder.create_optimization_profile()
    tensors, shape_tensors = [], []
    for one in request["inputs"]:
        tensor = network.add_input(one["name"], getattr(trt.DataType, TYPES[one["type"]]), trt.Dims(one["shape"]))
        if one["values"] is not None:
            shape_tensors.append(tensor)
            profile.set_shape_input(one["name"], *one["values"])
        else:
            tensors.append(tensor)
            if -1 in one["shape"]:
                profile.set_shape(one["name"], *map(trt.Dims, one["profile"]))
    config.add_optimization_profile(profile)
    if request["aliasing"]:
        config.set_preview_feature(trt.PreviewFeature.ALIASED_PLUGIN_IO_10_03, True)
    layer, interface = _add(network, tensors, shape_tensors, request)
    if layer.num_outputs != len(request["outputs"]):
        raise CannotBuild(f"The plugin has {layer.num_outputs} outputs, the spec {len(request['outputs'])}.")
    for index, name in enumerate(request["outputs"]):
        output = layer.get_output(index)
        output.name = name
        network.mark_output(output)
    start = time.perf_counter()
    plan = builder.build_serialized_network(network, config)
    if plan is None:
        raise CannotBuild("TensorRT built no engine with the plugin.")
    return bytes(plan), {"seconds": time.perf_counter() - start, "interface": interface}


def _add(
    network: trt.INetworkDefinition, tensors: list, shape_tensors: list, request: dict[str, Any]
) -> tuple[Any, str]:
    """The layer, and the plugin's interface. The creator gets its fields from arrays that live through the call."""
    name, version, namespace = request["plugin"]
    creator = trt.get_plugin_registry().get_creator(name, version, namespace)
    if creator is None:
        raise CannotBuild(f"TensorRT finds no creator {name}, version {version}, namespace '{namespace}'.")
    arrays = [(one, field_array(one["type"], bytes.fromhex(one["data"]))) for one in request["fields"]]
    fields = [trt.PluginField(one["name"], data, getattr(trt.PluginFieldType, FIELDS[one["type"]][0]))
              for one, data in arrays]  # fmt: skip
    collection: Any = trt.PluginFieldCollection(fields)
    plugin: Any
    if isinstance(creator, trt.IPluginCreatorV3One):
        plugin = creator.create_plugin(name, collection, trt.TensorRTPhase.BUILD)
    elif isinstance(creator, trt.IPluginCreator):
        plugin = creator.create_plugin(name, collection)
    else:
        raise CannotBuild(f"The creator of {name} is of a kind that this tool does not know.")
    if plugin is None:
        raise CannotBuild(f"The creator of {name} made no plugin of the spec's attributes.")
    if isinstance(plugin, trt.IPluginV3):
        return network.add_plugin_v3(tensors, shape_tensors, plugin), "IPluginV3"
    if shape_tensors:
        raise CannotBuild("Only an IPluginV3 takes shape inputs.")
    return network.add_plugin_v2(tensors, plugin), "IPluginV2"


def field_array(type_name: str, data: bytes) -> np.ndarray:
    """A field's bytes as an array of as many elements as the field is long: the bindings take its size for that."""
    return np.frombuffer(data, FIELDS[type_name][1])


def _flags(*names: str) -> int:
    """Network creation flags by name; what this TensorRT does not know is left out."""
    kinds = trt.NetworkDefinitionCreationFlag
    return sum(1 << int(getattr(kinds, name)) for name in names if hasattr(kinds, name))
