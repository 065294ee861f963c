#!/usr/bin/env python3
"""Speed of the fast engine beside the SimGrid engine's and SMPI's, on the very same platform, in one run: whole processes, processor time (user and
system), in turn; medians. Then the fast engine's instructions per message, which a busy machine does not change.
usage: bench.py BUILD_FOLDER"""
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
MACHINE = os.path.join(HERE, "machine.json")
RANKS_PER_NODE = 16
REPETITIONS = 3
# Who simulates something else cannot be compared: simulated times of all may differ by so much.
TIMES_WITHIN = 0.02
MOST_SECONDS = 60  # of a simulator's processor time where it is asked once; "<": it was not done by then
# Ours, SMPI's name of the same algorithm, ranks, bytes of a block, and how often the others are asked. SMPI's allgather "NTSLR" is the
# neighbour ring and its alltoall "ring" the shifted pairwise exchange.
CASES = [("allgather", "ring", "NTSLR", 256, 65536, REPETITIONS),
         ("allgather", "ring", "NTSLR", 1024, 1024, REPETITIONS),
         ("alltoall", "pairwise", "ring", 256, 65536, REPETITIONS),
         ("alltoall", "pairwise", "ring", 1024, 65536, 1),
         ("allgather", "ring", "NTSLR", 4096, 65536, 1),
         # Nodes that are not alike: all ranks are simulated.
         ("allgather", "ring", "NTSLR", 976, 65536, 0),
         ("alltoall", "pairwise", "ring", 976, 65536, 0)]
# With the instructions per message (of GCC 12) that were counted last, which may not grow by more than that.
COUNTED = [("allgather", "ring", 256, 65536, 2701), ("allgather", "ring", 240, 65536, 4730), ("alltoall", "pairwise", 256, 65536, 4364),
           ("alltoall", "pairwise", 240, 65536, 7862)]
INSTRUCTIONS_WITHIN = 0.05
# As on the machine: a message's receiver is waited for, and only links cost.
SMPI_OPTIONS = ["--cfg=smpi/send-is-detached-thresh:0", "--cfg=smpi/simulate-computation:no", "--cfg=network/model:CM02", "--cfg=network/crosstraffic:0",
                "--cfg=smpi/os:0:0:0:0:0", "--cfg=smpi/or:0:0:0:0:0", "--log=root.thresh:error"]


def timed(command, environment=None, most_seconds=resource.RLIM_INFINITY):
    """(processor seconds, peak MiB, output) of a command and its children; (most_seconds, peak MiB, None) where one of them took more."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (most_seconds, most_seconds))

    begin = time.monotonic()
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=environment, preexec_fn=limit)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        output.seek(0)
        text = output.read().decode(errors="replace")
    seconds, mebibytes = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    # smpirun does not always wait for what it started: then its time is not counted, but time has passed.
    if status != 0 and 0 <= most_seconds <= max(seconds, time.monotonic() - begin) + 1:
        return most_seconds, mebibytes, None
    if status != 0:
        sys.exit(f"bench.py: {' '.join(command)} ended with status {status} after {seconds:.1f} s:\n{text[-2000:]}")
    return seconds, mebibytes, text


def simulated_microseconds(text):
    """From the last line of tutti's table, or from SMPI's."""
    line = text.strip().splitlines()[-1].split()
    return float(line[0] if line[-1] == "us" else line[2])


def check_times(case, times):
    if max(times) > (1 + TIMES_WITHIN) * min(times):
        sys.exit(f"bench.py: {case}: expected simulated times within {TIMES_WITHIN:.0%} of each other, not "
                 + ", ".join(f"{time:.1f} us" for time in times))


def simulate(build, collective, algorithm, ranks, block, engine="fast"):
    return [os.path.join(build, "tutti"), "simulate", collective, "--machine", MACHINE, "--algorithm", algorithm, "--nodes",
            str(ranks // RANKS_PER_NODE), "--ppn", str(RANKS_PER_NODE), "--osu-sizes", str(block), "--engine", engine]


def instructions(build, collective, algorithm, ranks, block):
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out"]
        return int(re.search(r"Collected : (\d+)", timed(command + simulate(build, collective, algorithm, ranks, block))[2]).group(1))


def check_instructions(name, counted, before):
    if counted > (1 + INSTRUCTIONS_WITHIN) * before:
        sys.exit(f"{name}: expected at most {INSTRUCTIONS_WITHIN:.0%} more instructions per message than {before}, not {counted:.0f}")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: bench.py BUILD_FOLDER")
    build = os.path.abspath(sys.argv[1])
    platform = os.path.join(build, "sim/simgrid/libtutti_smpi_platform.so")
    names = ("fast", "simgrid", "smpi")
    with tempfile.TemporaryDirectory() as folder:
        program, hosts = os.path.join(folder, "smpi_collective"), os.path.join(folder, "hosts")
        subprocess.run(["smpicc", "-O2", os.path.join(HERE, "smpi_collective.c"), "-o", program], check=True)
        # Not SMPI's memory: of its buffers, which are one, every rank's counts.
        print(f"{'messages a second':<38} {'messages':>9}" + "".join(f" {name:>9}" + (f" {'MiB':>5}" if name != "smpi" else "") for name in names) + "   fast over simgrid, smpi; simgrid over smpi")
        for collective, algorithm, smpi_name, ranks, block, asked in CASES:
            with open(hosts, "w", encoding="utf-8") as file:
                file.writelines(f"core{core}\n" for core in range(ranks))
            smpi = ["smpirun", "-np", str(ranks), "-hostfile", hosts, "-platform", platform, *SMPI_OPTIONS,
                    f"--cfg=smpi/{collective}:{smpi_name}",
                    f"--cfg=smpi/shared-malloc-blocksize:{ranks * block}", program, collective, str(block)]
            environment = {**os.environ, "TUTTI_MACHINE": MACHINE, "TUTTI_CORES": str(ranks)}
            commands = [(simulate(build, collective, algorithm, ranks, block), None)]
            if asked:
                commands += [(simulate(build, collective, algorithm, ranks, block, "simgrid"), None), (smpi, environment)]
            limits = [resource.RLIM_INFINITY] + 2 * [resource.RLIM_INFINITY if asked > 1 else MOST_SECONDS]
            runs = [[timed(*command, limit) for command, limit in zip(commands, limits)] for _ in range(max(1, asked))]
            check_times(f"{collective} {algorithm}, {ranks} ranks", [simulated_microseconds(text) for _, _, text in runs[0] if text])
            messages = ranks * (ranks - 1)
            line = f"{f'{collective} {algorithm}, {ranks} ranks, {block} B':<38} {messages:>9}"
            ended = [runs[0][which][2] is not None for which in range(len(commands))]
            for which in range(len(commands)):
                rate = messages / statistics.median(run[which][0] for run in runs)
                line += f" {('' if ended[which] else '<') + f'{rate:.0f}':>9}"
                line += f" {max(run[which][1] for run in runs):>5.0f}" if which < 2 else ""
            if asked:
                line += "   " + ", ".join((">" if not ended[slow] else "") + f"{statistics.median(run[slow][0] / run[quick][0] for run in runs):.1f}"
                                          for quick, slow in ((0, 1), (0, 2), (1, 2)) if ended[quick])
            print(line, flush=True)
    for collective, algorithm, ranks, block, before in COUNTED:
        idle = instructions(build, collective, algorithm, RANKS_PER_NODE, 0)
        whole = instructions(build, collective, algorithm, ranks, block)
        name, counted = f"{collective} {algorithm}, {ranks} ranks, {block} B", (whole - idle) / (ranks * (ranks - 1))
        print(f"{name}: {counted:.0f} instructions per message, {before} before", flush=True)
        check_instructions(name, counted, before)


if __name__ == "__main__":
    main()
