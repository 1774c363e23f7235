"""The class secret and the seeds of hidden cases that follow from it."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from pathlib import Path

from grader.classroom.errors import ClassroomError

BYTES = 32


def create(path: Path) -> None:
    """Write a new secret that only its owner can read. An existing one is kept: old grades hang on it."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    with os.fdopen(descriptor, "wb") as file:
        file.write(secrets.token_hex(BYTES).encode() + b"\n")


def read(path: Path) -> bytes:
    """The secret's 32 bytes. `ClassroomError` if it is missing, damaged, or readable by others."""
    try:
        text = path.read_bytes().strip()
        mode = path.stat().st_mode
    except OSError as problem:
        raise ClassroomError(
            f"the class secret {path} cannot be read ({problem.strerror}). `grader class init` makes one; a "
            "grade can only be reproduced with the secret it was made with, so restore a backup if you can."
        ) from None
    if mode & 0o077:
        raise ClassroomError(f"others can read the class secret: run  chmod 600 {path}")
    try:
        secret = bytes.fromhex(text.decode("ascii"))
    except (UnicodeDecodeError, ValueError):
        secret = b""
    if len(secret) != BYTES:
        raise ClassroomError(
            f"the class secret {path} is damaged: it must hold {2 * BYTES} hexadecimal digits"
        )
    return secret


def hidden_seed(secret: bytes, assignment: str, exercise: str, student: str) -> int:
    """The seed of one student's hidden cases in one exercise, below 2**48 (exact in every JSON reader).

    The names are framed as JSON, so that no two triples run together to the same text.
    """
    message = json.dumps([assignment, exercise, student]).encode()
    return int.from_bytes(hmac.digest(secret, message, hashlib.sha256)[:6], "big")
