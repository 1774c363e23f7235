"""The real engine: where full TensorRT and a GPU are, a plugin goes through a network, a plan and its execution."""
