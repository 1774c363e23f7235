"""y = scale * x by a CUDA kernel of CuPy's: a Python plugin whose enqueue runs where a GPU and CuPy are."""

import numpy as np
import tensorrt as trt

KERNEL = r"""
extern "C" __global__ void scale(const float* x, float* y, float scale, long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = scale * x[i];
}
"""


class CupyScale(trt.IPluginV3, trt.IPluginV3OneCore, trt.IPluginV3OneBuild, trt.IPluginV3OneRuntime):
    def __init__(self, scale=1.0):
        trt.IPluginV3.__init__(self)
        trt.IPluginV3OneCore.__init__(self)
        trt.IPluginV3OneBuild.__init__(self)
        trt.IPluginV3OneRuntime.__init__(self)
        self.plugin_name, self.plugin_version, self.plugin_namespace = "CupyScale", "1", ""
        self.num_outputs = 1
        self.scale = np.array([scale], dtype=np.float32)
        self.kernel = None

    def get_capability_interface(self, type):
        return self

    def get_output_data_types(self, input_types):
        return [input_types[0]]

    def get_output_shapes(self, inputs, shape_inputs, builder):
        return [trt.DimsExprs(inputs[0])]

    def supports_format_combination(self, pos, in_out, num_inputs):
        return in_out[pos].desc.format == trt.TensorFormat.LINEAR and in_out[pos].desc.type == trt.float32

    def configure_plugin(self, inputs, outputs):
        pass

    def on_shape_change(self, inputs, outputs):
        if self.kernel is None:
            import cupy as cp

            self.kernel = cp.RawKernel(KERNEL, "scale")
            self.kernel.compile()

    def set_tactic(self, tactic):
        pass

    def get_fields_to_serialize(self):
        return trt.PluginFieldCollection([trt.PluginField("scale", self.scale, trt.PluginFieldType.FLOAT32)])

    def attach_to_context(self, context):
        return self.clone()

    def enqueue(self, input_desc, output_desc, inputs, outputs, workspace, stream):
        import cupy as cp

        count = int(np.prod(tuple(input_desc[0].dims), dtype=np.int64))
        if count == 0:
            return
        with cp.cuda.ExternalStream(stream):
            arguments = (inputs[0], outputs[0], self.scale[0], np.int64(count))
            self.kernel(((count + 255) // 256,), (256,), arguments)

    def clone(self):
        return CupyScale(self.scale[0])


class CupyScaleCreator(trt.IPluginCreatorV3One):
    def __init__(self):
        trt.IPluginCreatorV3One.__init__(self)
        self.name, self.plugin_version, self.plugin_namespace = "CupyScale", "1", ""
        field = trt.PluginField("scale", np.array([]), trt.PluginFieldType.FLOAT32)
        self.field_names = trt.PluginFieldCollection([field])

    def create_plugin(self, name, fields, phase):
        scale = 1.0
        for field in fields:
            if field.name != "scale" or field.type != trt.PluginFieldType.FLOAT32 or field.size != 1:
                return None
            scale = float(field.data[0])
        return CupyScale(scale)
