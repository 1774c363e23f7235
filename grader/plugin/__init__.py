"""Drives a TensorRT plugin library through its life, and writes down what it saw."""
