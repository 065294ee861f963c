#!/usr/bin/env python3
"""Every algorithm over verbs on 2, 3, 5, 8 and 12 ranks, in one machine and on four: the last rank as root, counts 0, 1 and
7001, int and an operator that does not commute.

    all_counts.py [--build build] [--machines 1,4] [--ranks 2,3,5,8,12] [--state FILE]

Says how far it is. Each number of ranks on each number of machines is a part of its own: with --state, those that are noted in
FILE as passed by the same program are not run again. Ends with 0 if all parts passed, 1 if one did not, 77 where such machines
cannot run."""
import argparse
import hashlib
import os
import re
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "runtime", "verbs"))
import kernel  # noqa: E402
from machines_case import bring, collectives  # noqa: E402
import rig  # noqa: E402

SECONDS = 1200  # of one part: the slowest takes three minutes beside other work
VERDICT = re.compile(r"\d+ algorithms in (\d+) calls were right")


class Progress:
    """Prints the last line that machine 0 has added, now and then."""

    def __init__(self, share, part):
        self.share, self.part, self.said, self.begun = share, part, "", time.monotonic()

    def follow(self, processes):
        """Until the machines have said how it ended, or are gone, or the time is over."""
        said_at = self.begun
        while time.monotonic() - self.begun < SECONDS and any(process.poll() is None for process in processes):
            if all(rig.status(self.share, machine) is not None for machine in range(len(processes))):
                return
            time.sleep(0.5)
            if time.monotonic() - said_at < 15:
                continue
            said_at = time.monotonic()
            line = (rig.text(self.share, "output", 0).splitlines() or ["starting"])[-1]
            print(f"  {self.part}, {said_at - self.begun:.0f} s: {line}", flush=True)


def name_of(machines, ranks):
    return f"{ranks} ranks on {machines} machine{'s' if machines > 1 else ''}"


def run_part(program, machines, ranks):
    """The calls that were made; 0 if anything was wrong, which is printed."""
    part = name_of(machines, ranks)
    with tempfile.TemporaryDirectory() as share:
        command = collectives(bring(program, share), "verbs" if machines == 1 else "shm,verbs", machines, [ranks])
        progress = Progress(share, part)
        statuses = rig.run(machines, share, command, 60, megabytes=1024 if machines == 1 else 512, while_running=progress.follow)
        verdict = VERDICT.search(rig.text(share, "output", 0))
        took = time.monotonic() - progress.begun
        if any(status != 0 for status in statuses) or not verdict:
            print(f"{part}: FAILED after {took:.0f} s")
            rig.report(share, statuses, sys.stdout)
            return 0
        print(f"{part}: {verdict.group(0)}, {took:.0f} s", flush=True)
        return int(verdict.group(1))


def numbers(text):
    return [int(each) for each in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.environ.get("TUTTI_BUILD", "build"))
    parser.add_argument("--machines", type=numbers, default=[1, 4])
    parser.add_argument("--ranks", type=numbers, default=[2, 3, 5, 8, 12])
    parser.add_argument("--state", help="parts that have passed are noted here, and left out another time")
    arguments = parser.parse_args()
    program = os.path.join(arguments.build, "tests", "rdma_collectives")
    with open(program, "rb") as file:
        fingerprint = hashlib.sha256(file.read()).hexdigest()[:16]
    passed = set()
    if arguments.state and os.path.exists(arguments.state):
        with open(arguments.state) as file:
            passed = {line.strip() for line in file}

    begun, calls_in_all, parts, failed = time.monotonic(), 0, 0, []
    for machines in arguments.machines:
        for ranks in arguments.ranks:
            mark = f"{fingerprint} machines={machines} ranks={ranks}"
            if mark in passed:
                print(f"{name_of(machines, ranks)}: passed before")
                continue
            try:
                calls = run_part(program, machines, ranks)
            except kernel.Unavailable as error:
                if parts > 0:  # they could be had a moment ago
                    raise
                print(f"all_counts ... skipped {f'no test machines here: {error}'!r}")
                return 77
            parts += 1
            calls_in_all += calls
            if not calls:
                failed.append(name_of(machines, ranks))
            elif arguments.state:
                with open(arguments.state, "a") as file:
                    file.write(mark + "\n")
    print(f"{parts} parts, {calls_in_all} calls right, {(time.monotonic() - begun) / 60:.0f} minutes; "
          f"{'failed: ' + ', '.join(failed) if failed else 'none failed'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
