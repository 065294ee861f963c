#!/usr/bin/env python3
"""Watches the progress of a real sweep, of simulations or of a proof, as a terminal shows it: from the first tenth of the work on, the
whole work that it foresees must be right within so much. Work is processor time: how fast it goes on, others on the machine
decide, too. Prints how far off it was at each tenth; status 1: too far."""
import argparse
import os
import pty
import re
import subprocess
import sys

DONE = re.compile(r"(\d+) of (\d+) (\w[\w ]*), (\d+) % of the work, about (\d+) s left")
TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds(process):
    """Of a process that lives, of those that it has started and seen end, and of those that it has started and that live."""
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
            children = file.read().split()
    except (FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
        return 0
    return sum(map(int, fields[11:15])) / TICKS + sum(map(processor_seconds, children))


def watch(command):
    """(processor seconds so far, part of the work that is said to be done) for every estimate, and the processor seconds in all."""
    shown, terminal = pty.openpty()
    program = subprocess.Popen(command, stderr=terminal, stdout=subprocess.DEVNULL)
    os.close(terminal)
    estimates, before = [], None
    while True:
        try:
            text = os.read(shown, 65536).decode()
        except OSError:  # the other side is closed
            break
        for found in list(DONE.finditer(text))[-1:]:  # those before it are of some time ago
            if found.group(1) != before:  # not the same once more, while a long step goes on
                estimates.append((processor_seconds(program.pid), float(found.group(4)) / 100))
            before = found.group(1)
    _, status, used = os.wait4(program.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)}: ended with {os.waitstatus_to_exitcode(status)}")
    return estimates, used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog="Example: checks/progress.py build/tutti tune --machine "
                                     "example-cluster --nodes 2-16 --ppn 1,4 --osu-sizes 8:1M -o /dev/null")
    parser.add_argument("--within", type=float, default=0.3, help="of the whole work (0.3)")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the program and its arguments")
    arguments = parser.parse_args()
    estimates, whole = watch(arguments.command)
    judged = [(at, at / part) for at, part in estimates if at >= whole / 10 and part > 0]
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
