#!/usr/bin/env python3
"""Speed and memory of the fast engine where nothing is shared: processor time (user and system) and peak memory of whole processes,
without what the same machine takes with two ranks. Instructions per message where valgrind is installed. usage: contention_free.py
BUILD_FOLDER"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from bench import check_instructions, timed

HERE = os.path.dirname(os.path.abspath(__file__))
MILLION = 1 << 20
# Collective, algorithm, ranks, bytes as OSU counts them: of a block of the allgather, else of the vector.
CASES = [("allgather", "ring", 4096, 65536),
         ("allgather", "ring", 4095, 65536),  # the last node is not full: all ranks are simulated
         ("allgather", "ring", 4096, 65537),  # above the eager limit
         ("allgather", "ring", 16384, 65536),
         ("bcast", "binomial", MILLION, 65536),
         ("barrier", "bruck", MILLION, 0),
         ("allreduce", "recursive_doubling", MILLION, 1024),
         # Ranks that do not fill the last node: none stands for another.
         ("bcast", "binomial", MILLION - 1, 65536),
         ("barrier", "bruck", MILLION - 1, 0),
         ("allreduce", "recursive_doubling", MILLION - 1, 1024)]
# Bytes of memory that a rank may take where there are a million.
MOST_BYTES_PER_RANK = 1024
INSTRUCTIONS_BEFORE = 1247  # a message, as in bench.py


def command(build, collective, algorithm, ranks, size):
    sizes = [] if collective == "barrier" else ["--osu-sizes", str(size)]
    return [os.path.join(build, "tutti"), "simulate", collective, "--machine", os.path.join(HERE, "crossbar.json"),
            "--algorithm", algorithm, "--ranks", str(ranks), "--ppn", "16", *sizes]


def messages(text):
    return int(text.split()[-1])


def instructions(arguments):
    """(instructions, messages)"""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", *arguments], check=True,
                              capture_output=True, text=True)
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1)), messages(done.stdout)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: contention_free.py BUILD_FOLDER")
    build = os.path.abspath(sys.argv[1])
    print(f"{'without contention':<44} {'messages':>10} {'seconds':>8} {'million/s':>9} {'MiB':>6} {'B/rank':>7}")
    for case in CASES:
        before = timed(command(build, case[0], case[1], 2, case[3]))
        seconds, mebibytes, text = timed(command(build, *case))
        seconds -= before[0]
        mebibytes -= before[1]
        name = f"{case[0]} {case[1]}, {case[2]} ranks, {case[3]} B"
        bytes_per_rank = mebibytes * 1024 * 1024 / case[2]
        print(f"{name:<44} {messages(text):>10} {seconds:>8.2f} {messages(text) / seconds / 1e6:>9.2f} {mebibytes:>6.0f} "
              f"{bytes_per_rank:>7.0f}", flush=True)
        if case[2] >= MILLION - 1 and bytes_per_rank > MOST_BYTES_PER_RANK:
            sys.exit(f"contention_free.py: {name}: expected at most {MOST_BYTES_PER_RANK} bytes of memory a rank")
    if shutil.which("valgrind"):
        small, large = (instructions(command(build, "allgather", "ring", ranks, 65536)) for ranks in (63, 255))
        counted, name = (large[0] - small[0]) / (large[1] - small[1]), "allgather ring, 63 to 255 ranks"
        print(f"{name}: {counted:.0f} instructions a message, {INSTRUCTIONS_BEFORE} before")
        check_instructions(name, counted, INSTRUCTIONS_BEFORE)


if __name__ == "__main__":
    main()
