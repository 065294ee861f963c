#!/usr/bin/env python3
"""Speed of the SimGrid engine beside SMPI's, on the very same platform, in one run: whole processes, processor time (user and
system), in turn; medians. usage: bench.py BUILD_FOLDER"""
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MACHINE = os.path.join(HERE, "machine.json")
RANKS_PER_NODE = 16
REPETITIONS = 3
# Ours, SMPI's name of the same algorithm, ranks, bytes of a block. SMPI's allgather "NTSLR" is the neighbour ring and its alltoall "ring" the
# shifted pairwise exchange. Blocks of 64 KiB do not fit SMPI's memory at 1024 ranks.
CASES = [("allgather", "ring", "NTSLR", 256, 65536),
         ("allgather", "ring", "NTSLR", 1024, 1024),
         ("alltoall", "pairwise", "ring", 256, 65536)]
SMPI_OPTIONS = ["--cfg=smpi/simulate-computation:no", "--cfg=network/model:CM02", "--cfg=network/crosstraffic:0",
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


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: bench.py BUILD_FOLDER")
    build = os.path.abspath(sys.argv[1])
    platform = os.path.join(build, "sim/simgrid/libtutti_smpi_platform.so")
    with tempfile.TemporaryDirectory() as folder:
        program, hosts = os.path.join(folder, "smpi_collective"), os.path.join(folder, "hosts")
        subprocess.run(["smpicc", "-O2", os.path.join(HERE, "smpi_collective.c"), "-o", program], check=True)
        print(f"{'case':<34} {'messages':>9} {'ours /s':>9} {'SMPI /s':>9} {'ratio':>6} {'ours MiB':>9} {'SMPI MiB':>9}")
        for collective, algorithm, smpi_name, ranks, block in CASES:
            with open(hosts, "w") as file:
                file.writelines(f"core{core}\n" for core in range(ranks))
            ours = [os.path.join(build, "tutti"), "simulate", collective, "--machine", MACHINE, "--algorithm", algorithm,
                    "--nodes", str(ranks // RANKS_PER_NODE), "--ppn", str(RANKS_PER_NODE), "--osu-sizes", str(block)]
            smpi = ["smpirun", "-np", str(ranks), "-hostfile", hosts, "-platform", platform, *SMPI_OPTIONS,
                    f"--cfg=smpi/{collective}:{smpi_name}", program, collective, str(block)]
            environment = {**os.environ, "TUTTI_MACHINE": MACHINE, "TUTTI_CORES": str(ranks)}
            runs = [(timed(ours), timed(smpi, environment)) for _ in range(REPETITIONS)]
            messages = ranks * (ranks - 1)
            our_rate, smpi_rate = (messages / statistics.median(run[side][0] for run in runs) for side in (0, 1))
            memory = [max(run[side][1] for run in runs) for side in (0, 1)]
            ratio = statistics.median(theirs[0] / mine[0] for mine, theirs in runs)
            name = f"{collective} {algorithm}, {ranks} ranks, {block} B"
            print(f"{name:<34} {messages:>9} {our_rate:>9.0f} {smpi_rate:>9.0f} {ratio:>6.2f} {memory[0]:>9.0f} {memory[1]:>9.0f}",
                  flush=True)


if __name__ == "__main__":
    main()
