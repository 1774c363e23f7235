"""What stands between plain data and a learner's Python function, in the run child: modules with a ``call``.

They run beside the learner's code and are seen by it, so they hold no expected value.
"""
