"""Chapter 10: Masked GELU, from the kernel on."""
