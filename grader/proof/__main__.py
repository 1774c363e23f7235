"""`python -m grader.proof prove [SLUG...] [--json]` and `python -m grader.proof verify`."""

from __future__ import annotations

import argparse
import sys

from grader.proof.command import prove, verify


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m grader.proof", description=__doc__)
    actions = parser.add_subparsers(dest="action", required=True)
    proving = actions.add_parser("prove", help="prove exercises and keep the proofs")
    proving.add_argument("slug", nargs="*", help="slug or alias; all exercises without one")
    proving.add_argument("--json", action="store_true", help="print a summary as JSON")
    proving.add_argument("--jobs", type=int, help="worker processes")
    verifying = actions.add_parser("verify", help="hold the kept proofs against the files")
    verifying.add_argument("--sample", type=int, default=1, help="stale proofs to prove again")
    verifying.add_argument("--seed", type=int, help="of the sample; drawn and printed without one")
    options = parser.parse_args(arguments)
    if options.action == "prove":
        return prove(options.slug, as_json=options.json, jobs=options.jobs)
    return verify(sample=options.sample, seed=options.seed)


if __name__ == "__main__":
    sys.exit(main())
