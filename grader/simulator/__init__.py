"""The simulated GPU: PTX in; results, counters and faults out.

Names are imported on first use, so that the device process, which needs few of them, starts fast.
"""

__all__ = ["Device", "DeviceError", "Fault", "KernelInfo", "Launch", "Parameter", "TraceRequest"]


def __getattr__(name: str):
    if name not in __all__:
        raise AttributeError(f"module 'grader.simulator' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module("grader.simulator.device"), name)
