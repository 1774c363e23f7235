"""A stand-in for full TensorRT that holds what the lean bindings lack: builder, network, config, engine, context.

With it the code of ``grader/plugin/engine`` that imports ``tensorrt`` runs without TensorRT and a GPU: registry,
creators, fields and the plugin are real. ``Driver`` keeps "device memory" in a dictionary. The engine computes
``Behaviour.compute``.
"""

import sys
from types import ModuleType, SimpleNamespace


class Behaviour:
    """What the engine does: arrays of bytes by input name to (shape, bytes) of each output."""

    compute = None
    plan = b"plan"
    data_dependent = ()  # names of outputs whose shape is known only afterwards


class Tensor:
    def __init__(self, name="", dtype=None, shape=()):
        self.name, self.dtype, self.shape = name, dtype, shape


class Layer:
    def __init__(self, outputs):
        self._outputs = [Tensor() for _ in range(outputs)]
        self.num_outputs = outputs

    def get_output(self, index):
        return self._outputs[index]


class Network:
    outputs = 1

    def __init__(self, flags):
        self.flags, self.inputs, self.marked, self.added = flags, [], [], None

    def add_input(self, name, dtype, shape):
        self.inputs.append(Tensor(name, dtype, tuple(shape)))
        return self.inputs[-1]

    def add_plugin_v3(self, inputs, shape_inputs, plugin):
        self.added = (inputs, shape_inputs, plugin)
        return Layer(self.outputs)

    def mark_output(self, tensor):
        self.marked.append(tensor.name)


class Profile:
    def __init__(self):
        self.shapes, self.values = {}, {}

    def set_shape(self, name, low, opt, high):
        self.shapes[name] = tuple(map(tuple, (low, opt, high)))

    def set_shape_input(self, name, low, opt, high):
        self.values[name] = (low, opt, high)


class Config:
    def __init__(self):
        self.profiles, self.preview = [], {}

    def add_optimization_profile(self, profile):
        self.profiles.append(profile)

    def set_preview_feature(self, feature, on):
        self.preview[feature] = on


class Builder:
    last = None

    def __init__(self, log):
        self.log, Builder.last = log, self

    def create_network(self, flags):
        self.network = Network(flags)
        return self.network

    def create_builder_config(self):
        self.config = Config()
        return self.config

    def create_optimization_profile(self):
        return Profile()

    def build_serialized_network(self, network, config):
        return Behaviour.plan


class Context:
    def __init__(self, driver):
        self.driver, self.shapes, self.places, self.allocators, self.made = driver, {}, {}, {}, {}

    def set_input_shape(self, name, shape):
        self.shapes[name] = tuple(shape)
        return True

    def set_tensor_address(self, name, address):
        self.places[name] = address
        return True

    def set_output_allocator(self, name, allocator):
        self.allocators[name] = allocator
        return True

    def infer_shapes(self):
        return []

    def get_tensor_shape(self, name):
        shape = dict(Behaviour.compute(self.shapes, None))[name][0]
        return tuple(-1 for _ in shape) if name in Behaviour.data_dependent else shape

    def execute_async_v3(self, stream):
        data = {name: self.driver.memory[self.places[name]] for name in self.shapes}
        for name, (shape, value) in Behaviour.compute(self.shapes, data).items():
            if name in self.allocators:
                self.places[name] = self.allocators[name].reallocate_output_async(name, 0, len(value), 1, stream)
                self.allocators[name].notify_shape(name, shape)
            self.driver.memory[self.places[name]] = value
        return True


class Engine:
    driver = None

    def create_execution_context(self):
        return Context(self.driver)

    def create_engine_inspector(self):
        return SimpleNamespace(get_engine_information=lambda form: '{"Layers": ["plugin", {"Name": "Reformat"}]}')


class Runtime:
    def __init__(self, log):
        pass

    def deserialize_cuda_engine(self, plan):
        return Engine() if plan == b"plan" else None


class Driver:
    """As ``engine.driver.Driver``, without a GPU."""

    stream = 1

    def __init__(self):
        self.memory, self.next = {}, 512

    def alloc(self, nbytes):
        self.next += 512
        self.memory[self.next] = bytes(nbytes)
        return self.next

    def free(self, address):
        del self.memory[address]

    def write(self, address, data):
        self.memory[address] = data

    def read(self, address, nbytes):
        return self.memory[address][:nbytes]

    def fill(self, address, byte, nbytes):
        self.memory[address] = bytes([byte]) * nbytes

    def synchronize(self):
        pass

    def event(self):
        return 0

    def record(self, event):
        pass

    def milliseconds(self, start, end):
        return 0.25


def install(bindings) -> ModuleType:
    """The lean bindings with the parts above, as ``sys.modules["tensorrt"]``; flags numbered as in 11.0."""
    module = ModuleType("tensorrt")
    module.__dict__.update({name: value for name, value in vars(bindings).items() if not name.startswith("__")})
    module.Builder, module.Runtime = Builder, Runtime
    module.NetworkDefinitionCreationFlag = SimpleNamespace(STRONGLY_TYPED=0)
    module.PreviewFeature = SimpleNamespace(ALIASED_PLUGIN_IO_10_03="aliasing")
    module.LayerInformationFormat = SimpleNamespace(JSON=1)
    sys.modules["tensorrt"] = module
    return module
