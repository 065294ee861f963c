#!/usr/bin/env python3
"""Speed of the fast engine beside the SimGrid engine's and SMPI's, on the very same platform, in one run: whole processes, processor time (user and
system), in turn; medians. Then the fast engine's instructions per message, which a busy machine does not change.
usage: bench.py BUILD_FOLDER"""
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MACHINE = os.path.join(HERE, "machine.json")
RANKS_PER_NODE = 16
REPETITIONS = 3
# Who simulates something else cannot be compared: simulated times of all may differ by so much.
TIMES_WITHIN = 0.02
# Ours, SMPI's name of the same algorithm, ranks, bytes of a block, and whether the others bear it. SMPI's allgather "NTSLR" is the neighbour
# ring and its alltoall "ring" the shifted pairwise exchange. Blocks of 64 KiB do not fit SMPI's memory at 1024 ranks; beyond, both take too
# long.
CASES = [("allgather", "ring", "NTSLR", 256, 65536, True),
         ("allgather", "ring", "NTSLR", 1024, 1024, True),
         ("alltoall", "pairwise", "ring", 256, 65536, True),
         ("alltoall", "pairwise", "ring", 1024, 65536, False),
         ("allgather", "ring", "NTSLR", 4096, 65536, False),
         # Nodes that are not alike: all ranks are simulated.
         ("allgather", "ring", "NTSLR", 976, 65536, False),
         ("alltoall", "pairwise", "ring", 976, 65536, False)]
COUNTED = [("allgather", "ring", 256, 65536), ("allgather", "ring", 240, 65536), ("alltoall", "pairwise", 256, 65536),
           ("alltoall", "pairwise", 240, 65536)]
# As on the machine: a message's receiver is waited for, and only links cost.
SMPI_OPTIONS = ["--cfg=smpi/send-is-detached-thresh:0", "--cfg=smpi/simulate-computation:no", "--cfg=network/model:CM02", "--cfg=network/crosstraffic:0",
                "--cfg=smpi/os:0:0:0:0:0", "--cfg=smpi/or:0:0:0:0:0", "--log=root.thresh:error"]


def timed(command, environment=None):
    """(processor seconds, peak MiB, output) of a command and its children."""
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=environment)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        output.seek(0)
        text = output.read().decode(errors="replace")
    if status != 0:
        sys.exit(f"bench.py: {' '.join(command)} ended with status {status}:\n{text[-2000:]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text


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


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: bench.py BUILD_FOLDER")
    build = os.path.abspath(sys.argv[1])
    platform = os.path.join(build, "sim/simgrid/libtutti_smpi_platform.so")
    names = ("fast", "simgrid", "smpi")
    with tempfile.TemporaryDirectory() as folder:
        program, hosts = os.path.join(folder, "smpi_collective"), os.path.join(folder, "hosts")
        subprocess.run(["smpicc", "-O2", os.path.join(HERE, "smpi_collective.c"), "-o", program], check=True)
        print(f"{'messages a second':<34} {'messages':>9}" + "".join(f" {name:>9} {'MiB':>5}" for name in names) + "   fast over simgrid, smpi; simgrid over smpi")
        for collective, algorithm, smpi_name, ranks, block, beside in CASES:
            with open(hosts, "w", encoding="utf-8") as file:
                file.writelines(f"core{core}\n" for core in range(ranks))
            smpi = ["smpirun", "-np", str(ranks), "-hostfile", hosts, "-platform", platform, *SMPI_OPTIONS,
                    f"--cfg=smpi/{collective}:{smpi_name}", program, collective, str(block)]
            environment = {**os.environ, "TUTTI_MACHINE": MACHINE, "TUTTI_CORES": str(ranks)}
            commands = [(simulate(build, collective, algorithm, ranks, block), None)]
            if beside:
                commands += [(simulate(build, collective, algorithm, ranks, block, "simgrid"), None), (smpi, environment)]
            runs = [[timed(*command) for command in commands] for _ in range(REPETITIONS if beside else 1)]
            check_times(f"{collective} {algorithm}, {ranks} ranks", [simulated_microseconds(text) for _, _, text in runs[0]])
            messages = ranks * (ranks - 1)
            line = f"{f'{collective} {algorithm}, {ranks} ranks, {block} B':<34} {messages:>9}"
            for which in range(len(commands)):
                line += f" {messages / statistics.median(run[which][0] for run in runs):>9.0f} {max(run[which][1] for run in runs):>5.0f}"
            if beside:
                line += "   " + ", ".join(f"{statistics.median(run[slow][0] / run[quick][0] for run in runs):.1f}"
                                          for quick, slow in ((0, 1), (0, 2), (1, 2)))
            print(line, flush=True)
    for collective, algorithm, ranks, block in COUNTED:
        idle = instructions(build, collective, algorithm, RANKS_PER_NODE, 0)
        whole = instructions(build, collective, algorithm, ranks, block)
        print(f"{collective} {algorithm}, {ranks} ranks, {block} B: {(whole - idle) / (ranks * (ranks - 1)):.0f} instructions per message",
              flush=True)


if __name__ == "__main__":
    main()
