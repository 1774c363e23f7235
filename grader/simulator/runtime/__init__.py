"""The CUDA runtime of a plugin process: calls go to the device process, which keeps streams, graphs and a log."""
