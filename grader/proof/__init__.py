"""Proof that the exercises judge rightly: `prove` makes and keeps proofs, `verify` compares them to files.

Both return the exit status of the command: 0 proven, 1 not, 2 wrong use, 3 the grader itself failed.
"""

from grader.proof.command import prove, verify

__all__ = ["prove", "verify"]
