"""Kernels that the simulated GPU is judged by: ``faulty/`` must be found, ``right/`` must never be blamed.

They are written from CUDA's rules alone: the CUDA C++ Programming Guide 13.0, the memory consistency model of the PTX
ISA 9.0, the documentation of compute-sanitizer. ``case.py`` reads a kernel's header, ``judge.py`` runs it and compares,
``not_yet.toml`` lists what is not found yet, ``matrix.py`` prints the table.
"""
