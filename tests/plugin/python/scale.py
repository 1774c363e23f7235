"""y = scale * x, and twice as many rows: a class-based Python plugin as a learner would hand it in."""

import numpy as np
import tensorrt as trt


class Scale(trt.IPluginV3, trt.IPluginV3OneCore, trt.IPluginV3OneBuild, trt.IPluginV3OneRuntime):
    def __init__(self, scale=1.0):
        trt.IPluginV3.__init__(self)
        trt.IPluginV3OneCore.__init__(self)
        trt.IPluginV3OneBuild.__init__(self)
        trt.IPluginV3OneRuntime.__init__(self)
        self.plugin_name, self.plugin_version, self.plugin_namespace = "PyScale", "1", ""
        self.num_outputs = 1
        self.scale = np.array([scale], dtype=np.float32)

    def get_capability_interface(self, type):
        return self

    def get_output_data_types(self, input_types):
        return [input_types[0]]

    def get_output_shapes(self, inputs, shape_inputs, builder):
        output = trt.DimsExprs(inputs[0])
        output[0] = builder.operation(trt.DimensionOperation.PROD, inputs[0][0], builder.constant(2))
        return [output]

    def supports_format_combination(self, pos, in_out, num_inputs):
        linear = in_out[pos].desc.format == trt.TensorFormat.LINEAR
        if pos == 0:
            return linear and in_out[0].desc.type in (trt.float32, trt.float16)
        return linear and in_out[pos].desc.type == in_out[0].desc.type

    def configure_plugin(self, inputs, outputs):
        pass

    def on_shape_change(self, inputs, outputs):
        if len(inputs[0].dims) != 2:
            raise ValueError("a matrix is wanted")

    def get_valid_tactics(self):
        return [1, 2]

    def set_tactic(self, tactic):
        pass

    def get_fields_to_serialize(self):
        return trt.PluginFieldCollection([trt.PluginField("scale", self.scale, trt.PluginFieldType.FLOAT32)])

    def attach_to_context(self, context):
        return self.clone()

    def enqueue(self, input_desc, output_desc, inputs, outputs, workspace, stream):
        raise RuntimeError("no GPU here")

    def clone(self):
        return Scale(self.scale[0])


class ScaleCreator(trt.IPluginCreatorV3One):
    def __init__(self):
        trt.IPluginCreatorV3One.__init__(self)
        self.name, self.plugin_version, self.plugin_namespace = "PyScale", "1", ""
        field = trt.PluginField("scale", np.array([]), trt.PluginFieldType.FLOAT32)
        self.field_names = trt.PluginFieldCollection([field])

    def create_plugin(self, name, fields, phase):
        scale = 1.0
        for field in fields:
            if field.name != "scale" or field.type != trt.PluginFieldType.FLOAT32 or field.size != 1:
                return None
            scale = float(field.data[0])
        return Scale(scale)


if __name__ == "__main__":
    trt.Builder(trt.Logger())
