#!/usr/bin/env python3
"""Runs `make test` again and again in fresh clones of what is committed: a test that fails once in twenty runs is one that nobody
believes. Prints a line for each run; status 1: one failed, and its log is kept."""
import argparse
import concurrent.futures
import contextlib
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SUMMARY = re.compile(r"^\d+ passed, \d+ failed, \d+ skipped$", re.MULTILINE)


@contextlib.contextmanager
def busy_loops(number):
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def clone(folder, number):
    """With the measured data beside it, where they are."""
    home = os.path.join(folder, str(number))
    subprocess.run(["git", "clone", "-q", ROOT, os.path.join(home, "tutti")], check=True)
    shared = os.environ.get("TUTTI_SHARED", os.path.join(ROOT, "..", "shared"))
    if os.path.isdir(shared):
        os.symlink(os.path.realpath(shared), os.path.join(home, "shared"))
    return home


def test(home, name):
    """Whether all passed."""
    log, begun = os.path.join(home, f"{name}.log"), time.monotonic()
    with open(log, "w", encoding="utf-8") as file:
        status = subprocess.run(["make", "-C", os.path.join(home, "tutti"), "test"], stdout=file, stderr=subprocess.STDOUT).returncode
    with open(log, encoding="utf-8", errors="replace") as file:
        text = file.read()
    summary = SUMMARY.findall(text)
    print(f"{name}: {summary[-1] if summary else 'no test ran'}, {time.monotonic() - begun:.0f} s"
          + (f", status {status}: {log}" if status else ""), flush=True)
    for line in re.findall(r"^FAILED .*$", text, re.MULTILINE):
        print(f"  {line}", flush=True)
    return status == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog="Example: checks/repeated.py --runs 20 --busy 10")
    parser.add_argument("--runs", type=int, default=20, help="in each clone (20)")
    parser.add_argument("--busy", type=int, default=10, help="of these beside as many busy loops as there are processors, first (10)")
    parser.add_argument("--clones", type=int, default=1, help="side by side, as of several people on a machine (1)")
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="tutti-repeated-")
    passed = []
    with concurrent.futures.ThreadPoolExecutor(arguments.clones) as pool:
        homes = list(pool.map(lambda number: clone(folder, number), range(arguments.clones)))
        for run in range(arguments.runs):
            is_busy = run < arguments.busy
            with busy_loops(os.cpu_count() if is_busy else 0):
                passed += pool.map(lambda home: test(home, f"run {run + 1}{' beside busy loops' if is_busy else ''}"), homes)
    print(f"{sum(passed)} of {len(passed)} runs without a failure; logs in {folder}")
    return 0 if all(passed) else 1


sys.exit(main())
