"""tutti status FOLDER, of MPI jobs: the command line."""
import argparse
import json
import os
import sys

from validation.command import Parser, counted, status_of
from validation.progress import Part, read_parts, seconds_left


def text_of(parts: list[Part]) -> str:
    count = lambda state: sum(part.state == state for part in parts)
    jobs, done = sum(len(part.jobs) for part in parts), sum(len(part.done) for part in parts)
    lines = [f"{done} of {counted(jobs, 'job')} done"]
    if len(parts) > 1:
        lines = [f"{len(parts)} parts: " + ", ".join(f"{count(state)} {state}" for state in ("done", "under way", "waiting", "failed")), *lines]
    for part in parts:
        of = f"{part.name}: " if part.name else ""
        if part.under_way and part.state == "under way":
            lines.append(f"under way: {of}{os.path.splitext(part.under_way)[0]}, {len(part.done)} of {counted(len(part.jobs), 'job')} done, written "
                         f"{part.seconds_since_written:.0f} s ago")
        lines += [f"failed: {of}{os.path.splitext(job)[0]} ended with status {status}" for job, status in sorted(part.failed.items())]
    left, running = seconds_left(parts), count("under way")
    if left:
        lines.append(f"about {left:.0f} s of jobs left" + (f", which is {left / running:.0f} s if {running} parts go on at a time" if running > 1 else ""))
    return "\n".join(lines) + "\n"


def as_json(parts: list[Part]) -> dict:
    def one(part: Part) -> dict:
        found = {"name": part.name, "state": part.state, "jobs": len(part.jobs), "jobs_done": len(part.done),
                 "failed": [{"job": os.path.splitext(job)[0], "status": status} for job, status in sorted(part.failed.items())]}
        if part.state == "under way":
            found |= {"job": os.path.splitext(part.under_way)[0], "seconds_since_written": round(part.seconds_since_written, 3)}
        return found
    return {"parts": [one(part) for part in parts], "seconds_done": sum(sum(part.spent.values()) for part in parts),
            "seconds_left": seconds_left(parts)}


def run(arguments: argparse.Namespace) -> int:
    parts = read_parts(arguments.folder)
    print(json.dumps(as_json(parts), indent=2) if arguments.json else text_of(parts), end="\n" if arguments.json else "")
    return 1 if any(part.failed for part in parts) else 0


def main() -> int:
    top = Parser(prog="tutti status", description="How far MPI jobs are, what failed, and what is left; exit status 1 after failures.",
                 epilog="Example: tutti status results")
    top.add_argument("folder", help="where tutti validate --mpi, tutti calibrate --mpi or tutti plan wrote a script")
    top.add_argument("--json", action="store_true", help="for machines")
    arguments = top.parse_args()
    return status_of("tutti status", lambda: run(arguments))


if __name__ == "__main__":
    sys.exit(main())
