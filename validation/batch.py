"""Scripts of MPI jobs, by hand or for sbatch: what is finished is not run again, and tutti status tells how far they are."""
import argparse
import dataclasses
import math
import os
import re
import shlex

from validation import ValidationError
from validation.command import write_beside
from validation.job import run_job

JOBS_FILE, TIMES_FILE = "jobs.txt", "times.txt"  # "JOB SECONDS" foreseen; "JOB STATUS SECONDS" of every end
START_SECONDS = 60  # for an MPI job to start and to connect all ranks


def is_word(text: str) -> bool:
    """Whether sbatch can be told it in a directive."""
    return re.fullmatch(r"[\w.,:+-]+", text) is not None


@dataclasses.dataclass
class Batch:
    """What sbatch is told, beside what follows from the jobs."""
    account: str | None
    partition: str | None
    time: str | None  # as sbatch has it; estimated, if None


def add_batch_options(group) -> None:
    group.add_argument("--account", help="--batch: the account that the job is for, where the centre asks for one")
    group.add_argument("--partition", help="--batch: where the job runs")
    group.add_argument("--time", help="--batch: the most that the job may take, as sbatch has it (default: estimated)")


def batch_of(arguments: argparse.Namespace) -> Batch | None:
    """None: not asked for."""
    for name in ("account", "partition", "time"):
        if (text := getattr(arguments, name)) is None:
            continue
        if not arguments.batch:
            raise ValidationError(f"--{name} {text}: expected together with --batch")
        if not is_word(text):
            raise ValidationError(f"--{name} {text!r}: expected what sbatch takes, without blanks")
    return Batch(arguments.account, arguments.partition, arguments.time) if arguments.batch else None


def from_anywhere(command: str) -> str:
    """A launcher with its arguments, for a script that changes its folder and takes them apart at blanks."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValidationError(f"--mpirun {command}: {error}") from error
    if not words or any(re.search(r"[\s'\"\\]", word) or not word for word in words):
        raise ValidationError(f"--mpirun {command}: expected a command whose words have no blanks and no quotes, since run.sh takes it apart there")
    found = [os.path.abspath(words[0]) if "/" in words[0] else words[0]]
    for before, word in zip(words, words[1:]):
        option, equals, value = word.rpartition("=")
        names_file = re.search("file$", option if equals else before) and (option if equals else before).startswith("-")
        found.append(option + equals + os.path.abspath(value) if names_file and os.path.exists(value) else word)
    return " ".join(found)


def mpi_bench(given: str | None) -> str:
    beside = os.path.join(os.path.dirname(os.environ["TUTTI_PROGRAM"]), "tutti-mpi-bench")
    bench = given or beside
    return os.path.abspath(bench) if "/" in bench else bench


def time_text(seconds: float) -> str:
    """HH:MM:SS, rounded up to ten minutes."""
    minutes = 10 * math.ceil(seconds / 600)
    return f"{minutes // 60:02}:{minutes % 60:02}:00"


def log_pattern(folder: str, name: str) -> str:
    """A log's path for sbatch, which fills in %j and the like in `name`, and nothing in the folder's own name."""
    return os.path.join(folder.replace("%", "%%"), name)


def in_directive(text: str) -> str:
    """A word for sbatch in a #SBATCH line, where a backslash takes a sign's meaning away within quotes, too."""
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'


def directives(batch: Batch, verb: str, folder: str, nodes: int, ppn: int, seconds: float, tasks: int = 1) -> list[str]:
    """The log's name is whole, since a job's folder is where sbatch was called."""
    log = "run-%j.log" if tasks == 1 else "run-%A_%a.log"
    lines = [f"--job-name=tutti-{verb}", f"--nodes={nodes}", f"--ntasks-per-node={ppn}", "--exclusive",
             f"--time={batch.time or time_text(seconds)}", "--output=" + in_directive(log_pattern(folder, log))]
    lines += [f"--array=1-{tasks}", "--requeue", "--open-mode=append"] if tasks > 1 else []
    lines += [f"--account={batch.account}"] if batch.account else []
    lines += [f"--partition={batch.partition}"] if batch.partition else []
    missing = [name for name in ("account", "partition") if not getattr(batch, name)]
    return [f"#SBATCH {line}" for line in lines] + [
        f"# Where the centre asks for it: sbatch --{name}=NAME, or tutti {verb} --batch --{name} NAME." for name in missing]


def to_folder(file: str, folder: str) -> str:
    """A line that goes to where `file` is: sbatch runs a copy of the script that lies elsewhere, in the folder where it was called. By CDPATH
    cd would go to a folder of the script's folder's name elsewhere."""
    return f'unset CDPATH; cd -- "$(dirname -- "$0")"; [ -e {file} ] || cd {shlex.quote(folder)}'


RUN = r"""# run NAME.SUFFIX PPN NODES COMMAND ...: one MPI job; what it prints is in that file once it is whole. SETTINGS of the library
# are variables, which every launcher passes on.
run() {
  local file=$1 name=${1%.*} ranks=$(($2 * $3)) placed attempt status
  [ ! -s "$file" ] || return 0
  echo "$(date +%T) $name" >&2
  case "$(basename "${MPIRUN%% *}")" in
    srun) placed="--nodes=$3 --ntasks=$ranks --ntasks-per-node=$2" ;;
    *) placed="-np $ranks --map-by ppr:$2:node" ;;
  esac
  for attempt in first last; do  # a library that crashes once in a hundred ends is no reason to lose hours of the others' runs
    status=0
    SECONDS=0
    env "${SETTINGS[@]}" $MPIRUN $placed "${@:4}" < /dev/null > "$name.part" || status=$?
    echo "$file $status $SECONDS" >> times.txt
    if [ "$status" = 0 ]; then
      mv "$name.part" "$file"
      return 0
    fi
    echo "run.sh: $name ended with status $status$([ $attempt = last ] || echo ': once more')" >&2
  done
  return "$status"
}
"""


def write_jobs(folder: str, seconds_of: dict[str, float]) -> None:
    """What a script in the folder will run, by the files that jobs make."""
    write_beside(os.path.join(folder, JOBS_FILE), "".join(f"{file} {seconds:.0f}\n" for file, seconds in seconds_of.items()))


def what_to_do(by: str, script: str, folder: str) -> str:
    """What is said of the script that was written, to be called by sh or sbatch; run.sh in the folder runs all."""
    return (f"{by} {shlex.quote(script)}\n# or, within an allocation: {shlex.quote(os.path.join(folder, 'run.sh'))}\n"
            f"# how far it is: tutti status {shlex.quote(folder)}\n# then call this again with --read in place of --batch")


def write_script(path: str, text: str) -> None:
    write_beside(path, text)
    os.chmod(path, 0o755)


def run_script(path: str) -> None:
    """Runs it here, with its own launcher: MPIRUN is for who calls it by hand."""
    environment = {name: value for name, value in os.environ.items() if name != "MPIRUN"}
    if run_job([path], env=environment).returncode:
        raise ValidationError(f"{path}: a job failed, see above")


def part_folder(folder: str, part: int) -> str:
    return os.path.join(folder, f"part-{part}")


def array_text(heads: list[str], folder: str, parts: int) -> str:
    """A script of part-1 to part-N, each with a run.sh of its own: as an array's task one of them, else one after the other."""
    return "\n".join(["#!/bin/bash", *heads, "# As a task of an array the part of its number, otherwise all parts.", "set -euo pipefail",
                      to_folder("part-1", folder), "status=0", f'for part in ${{SLURM_ARRAY_TASK_ID:-$(seq {parts})}}; do',
                      '  "part-$part/run.sh" || status=$?', "done", 'exit "$status"']) + "\n"


def submit_text(folder: str, partition: str | None, account: str | None) -> str:
    """A script that submits the array and, once it has ended, the job that reads what there is."""
    more = "".join(f" --{name}={value}" for name, value in (("partition", partition), ("account", account)) if value)
    return "\n".join(["#!/bin/sh", "# Submits run.sh as an array, and a job that reads its results once it has ended: report.md. What is done stays",
                      "# done when this is called again. tutti status and this folder tell how far it is.", "set -eu",
                      f"folder={shlex.quote(folder)}", f"log={shlex.quote(log_pattern(folder, 'read-%j.log'))}", 'array=$(sbatch --parsable "$folder/run.sh")', 'array=${array%%;*}',
                      f"read=$(sbatch --parsable --job-name=tutti-read --ntasks=1 --time=10:00{more} --dependency=\"afterany:$array\" "
                      '--output="$log" "$folder/read.sh")',
                      'echo "array: job $array; then read: job ${read%%;*}"']) + "\n"


def read_text(command: list[str]) -> str:
    return f"#!/bin/sh\n# Status 1: the results have findings.\ncd {shlex.quote(os.getcwd())} && exec {shlex.join(command)}\n"
