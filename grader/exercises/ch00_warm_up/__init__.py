"""Chapter 0, the warm-up: three micro-kernels and three micro-classes."""
