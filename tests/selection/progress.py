#!/usr/bin/env python3
"""Watches the progress of a real sweep, or of simulations, as a terminal shows it: from the first tenth of the time on, the
whole time that it foresees must be right within so much. Prints how far off it was at each tenth; status 1: too far."""
import argparse
import os
import pty
import re
import subprocess
import sys
import time

LEFT = re.compile(r"(\d+) of (\d+) (\w[\w ]*), (\d+) % of the work, about (\d+) s left")


def watch(command):
    """(seconds since the start, seconds left as foreseen) for every estimate, and the seconds in all."""
    shown, terminal = pty.openpty()
    begun = time.monotonic()
    program = subprocess.Popen(command, stderr=terminal, stdout=subprocess.DEVNULL)
    os.close(terminal)
    estimates = []
    while True:
        try:
            text = os.read(shown, 65536).decode()
        except OSError:  # the other side is closed
            break
        for found in LEFT.finditer(text):
            estimates.append((time.monotonic() - begun, float(found.group(5))))
    if program.wait() != 0:
        sys.exit(f"{' '.join(command)}: ended with {program.returncode}")
    return estimates, time.monotonic() - begun


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog="Example: tests/selection/progress.py build/tutti tune --machine "
                                     "example-cluster --nodes 2-16 --ppn 1,4 --osu-sizes 8:1M -o /dev/null")
    parser.add_argument("--within", type=float, default=0.3, help="of the whole time (0.3)")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the program and its arguments")
    arguments = parser.parse_args()
    estimates, whole = watch(arguments.command)
    judged = [(at, at + left) for at, left in estimates if at >= whole / 10]
    if len(judged) < 10:
        sys.exit(f"{whole:.1f} s, {len(judged)} estimates: too short to judge")
    for tenth in range(1, 10):
        at, foreseen = min(judged, key=lambda one: abs(one[0] - tenth * whole / 10))
        print(f"after {at:7.1f} s of {whole:.1f}: {foreseen:7.1f} s foreseen in all, {100 * (foreseen / whole - 1):+.0f} %")
    worst = max(judged, key=lambda one: abs(one[1] - whole))
    print(f"{len(judged)} estimates, the worst {100 * (worst[1] / whole - 1):+.0f} % after {worst[0]:.1f} s")
    sys.exit(abs(worst[1] / whole - 1) > arguments.within)


if __name__ == "__main__":
    main()
