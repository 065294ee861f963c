"""tutti calibrate --mpi FOLDER: a script that measures what messages take under the user's MPI, and the fit to what it found."""
import argparse
import os
import re
import shlex
import subprocess
import sys

from validation import ValidationError, json_file, progress
from validation.batch import RUN, START_SECONDS, add_batch_options, batch_of, directives, from_anywhere, mpi_bench, run_script, to_folder, what_to_do, write_jobs, write_script
from validation.command import SIZE_UNITS, Parser, status_of

INSIDE = "cache", "numa", "socket", "node"  # what two cores share at most
BENCHMARKS = "latency", "bandwidth"
SECONDS = 30.0  # what one of them takes, and more
MATRIX, NODE = "matrix.txt", "node.xml"
NONE = "# none: "  # the first line where a node has no such cores


def parser() -> argparse.ArgumentParser:
    top = Parser(prog="tutti calibrate", description="Measures messages between cores and nodes under your MPI, and fits a machine to them.",
                 epilog="Example: tutti calibrate --mpi points --nodes 2 --base example-cluster -o mine.json")
    top.add_argument("--mpi", required=True, metavar="FOLDER", help="where the script and its results go; what is finished there is not run again")
    top.add_argument("--nodes", type=int, default=2, help="between how many nodes: two for what a message takes, more for all pairs of them (default 2)")
    top.add_argument("--sizes", help="of messages, doubling (default 1:4M)")
    top.add_argument("--mpirun", default="mpirun", help='the launcher, as in "mpirun --hostfile hosts"')
    top.add_argument("--bench", help="tutti-mpi-bench where the jobs run (default: the one beside tutti)")
    add_batch_options(top)
    end = top.add_mutually_exclusive_group()
    end.add_argument("--batch", action="store_true", help="only write FOLDER/run.sh, with directives for sbatch")
    end.add_argument("--read", action="store_true", help="only fit to the results of a script that has run")
    for name in ("base", "name", "output"):
        top.add_argument("--" + name)
    top.add_argument("--json", action="store_true")
    return top


def jobs_of(nodes: int) -> dict[str, float]:
    inside = {f"{benchmark}-{level}.txt": SECONDS for level in INSIDE for benchmark in BENCHMARKS}
    between = {f"{benchmark}-network.txt": SECONDS for benchmark in BENCHMARKS} if nodes > 1 else {}
    return {**inside, **between, **({MATRIX: 2 + 0.01 * nodes * nodes} if nodes > 2 else {})}


def script_text(arguments: argparse.Namespace, folder: str) -> str:
    batch, jobs = batch_of(arguments), jobs_of(arguments.nodes)
    lines = ["#!/bin/bash"]
    if batch:
        lines += directives(batch, "calibrate", folder, arguments.nodes, 2, sum(jobs.values()) + START_SECONDS * len(jobs))
    lines += ["# Times messages between two cores of a node, near and far, and between nodes. MPIRUN may name another launcher:",
              '# MPIRUN="srun --mpi=pmix". What is finished already is not run again.', "set -euo pipefail", to_folder("jobs.txt", folder),
              f"MPIRUN=${{MPIRUN:-{shlex.quote(from_anywhere(arguments.mpirun))}}}", f"BENCH={shlex.quote(mpi_bench(arguments.bench))}",
              f"SIZES={shlex.quote(arguments.sizes)} SETTINGS=()", "", RUN,
              'case "$(basename "${MPIRUN%% *}")" in', '  srun) LOOSE="$MPIRUN --cpu-bind=none" ;;', '  mpirun*|orterun*|prterun*) LOOSE="$MPIRUN --bind-to none" ;;',
              '  *) LOOSE=$MPIRUN ;;', "esac",
              f"if [ ! -s {NODE} ] && command -v lstopo-no-graphics > /dev/null; then",
              f"  $MPIRUN -n 1 lstopo-no-graphics --no-io --of xml < /dev/null > node.part && mv node.part {NODE}", "fi",
              f"for level in {' '.join(INSIDE)}; do"]
    lines += [f'  MPIRUN=$LOOSE run {benchmark}-$level.txt 2 1 "$BENCH" {benchmark} --sizes "$SIZES" --apart $level' for benchmark in BENCHMARKS]
    lines += ["done"]
    if arguments.nodes > 1:
        lines += [f'run {benchmark}-network.txt 1 2 "$BENCH" {benchmark} --sizes "$SIZES"' for benchmark in BENCHMARKS]
    if arguments.nodes > 2:
        lines += [f'run {MATRIX} 1 {arguments.nodes} "$BENCH" matrix']
    return "\n".join(lines) + "\n"


def write(arguments: argparse.Namespace, folder: str) -> str:
    write_jobs(folder, jobs_of(arguments.nodes))
    path = os.path.join(folder, "run.sh")
    write_script(path, script_text(arguments, folder))
    return path


def measured(folder: str) -> list[str]:
    """--osu LEVEL=FILE for all that was measured."""
    part, = progress.read_parts(folder)
    if part.state != "done":
        raise ValidationError(f"{folder}: expected that run.sh has run to its end; see tutti status {folder}")
    found = []
    for level in (*INSIDE, "network"):
        for benchmark in BENCHMARKS:
            path = os.path.join(folder, f"{benchmark}-{level}.txt")
            if os.path.basename(path) in part.jobs and not json_file.read_text(path, "what tutti-mpi-bench wrote").startswith(NONE):
                found += ["--osu", f"{level}={path}"]
    return found


def expect_sizes(text: str) -> None:
    """As tutti-mpi-bench has them."""
    words = [re.fullmatch("([0-9]{1,10})([KMG]?)", word) for word in text.split(":")]
    sizes = [int(word[1]) * SIZE_UNITS[word[2]] for word in words if word]
    if len(words) != 2 or len(sizes) != 2 or not 1 <= sizes[0] <= sizes[1] < 1 << 31:
        raise ValidationError(f"--sizes {text}: expected the least and the most, 1:4M, below 2G")


def expect_same_sizes(folder: str, sizes: str) -> None:
    """Results of others would be taken for these."""
    script = os.path.join(folder, "run.sh")
    line = f"SIZES={shlex.quote(sizes)} "
    has_results = any(os.path.exists(os.path.join(folder, f"{benchmark}-{level}.txt")) for benchmark in BENCHMARKS for level in (*INSIDE, "network"))
    if has_results and os.path.exists(script) and line not in json_file.read_text(script, "a script"):
        raise ValidationError(f"{folder}: has results of other --sizes than {sizes}: expected the same, or a new folder")


def expect_machine(base: str) -> None:
    """Before anything is measured: the fit would refuse it after that."""
    done = subprocess.run([os.environ["TUTTI_PROGRAM"], "machine", base, "--json"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise ValidationError("--base: " + done.stderr.strip().removeprefix("tutti: "))


def run(arguments: argparse.Namespace) -> int:
    if arguments.nodes < 1:
        raise ValidationError(f"--nodes {arguments.nodes}: expected 1 or more")
    batch_of(arguments)
    if arguments.sizes or not arguments.read:
        arguments.sizes = arguments.sizes or "1:4M"
        expect_sizes(arguments.sizes)
    if not arguments.batch and not arguments.output:
        raise ValidationError("expected --output, the machine's file, or --batch")
    if arguments.base:
        expect_machine(arguments.base)
    folder = os.path.abspath(arguments.mpi)
    os.makedirs(folder, exist_ok=True)
    if arguments.sizes:
        expect_same_sizes(folder, arguments.sizes)
    if not arguments.read:
        path = write(arguments, folder)
        if arguments.batch:
            print(what_to_do("sbatch", path, folder))
            return 0
        run_script(path)
    words = ["calibrate", *measured(folder)]
    node = os.path.join(folder, NODE)
    if os.path.exists(node):
        words += ["--node", node]
    for name in ("base", "name", "output"):
        if getattr(arguments, name):
            words += ["--" + name, getattr(arguments, name)]
    words += ["--json"] if arguments.json else []
    status = subprocess.run([os.environ["TUTTI_PROGRAM"], *words]).returncode
    if status == 0 and os.path.exists(os.path.join(folder, MATRIX)):
        print(f"# the levels between nodes: tutti machine --from matrix={os.path.join(folder, MATRIX)} …", file=sys.stderr)
    return status


def main() -> int:
    arguments = parser().parse_args()
    return status_of("tutti calibrate", lambda: run(arguments))


if __name__ == "__main__":
    sys.exit(main())
