"""The script that runs everything under the user's MPI, by hand or in a batch job."""
import dataclasses
import math
import os
import re
import shlex

from validation.mpi.arms import HAN, HAN_SIMPLE, JOBS, SERVED_BY_HAN, Plan, plan_lines

DROP = r"""# Arms of which no time is within so many times the cell's best time are not repeated.
drop_slow() {
  awk -F, -v within="$WITHIN" '
    FILENAME != plan && $1 == "time" { cell = $2 " " $3 " " $4; arm = cell " " $5
      if (!(arm in least) || $7 < least[arm]) least[arm] = $7
      if (!(cell in best) || $7 < best[cell]) best[cell] = $7 }
    FILENAME == plan { split($0, word, " "); cell = word[1] " " word[2] " " word[3]; arm = cell " " word[4]
      if (least[arm] <= within * best[cell]) print }' plan="$1" "${@:2}" "$1"
}
"""


def is_word(text: str) -> bool:
    """Whether sbatch can be told it in a directive."""
    return re.fullmatch(r"[\w.,:+-]+", text) is not None


@dataclasses.dataclass
class Batch:
    """What sbatch is told, beside what follows from the plans."""
    account: str | None
    partition: str | None
    time: str | None  # as sbatch has it; estimated, if None


@dataclasses.dataclass
class Run:
    bench: str  # tutti-mpi-bench
    mpirun: str  # a command, perhaps with arguments
    first: int  # repetitions of all arms
    blocks: int
    repetitions: int  # of the remaining arms in each of the blocks
    within: float
    nap_us: int
    batch: Batch | None
    has_han_rules: bool = False  # the rules file has another one beside it, for coll/han
    han: dict[int, list[str]] = dataclasses.field(default_factory=dict)  # the arms of coll/han, by ranks per node


# Time for an MPI job to start and to connect all ranks; and by which factor calls may exceed what was predicted.
START_SECONDS, CAUTION = 60, 10


def estimated_seconds(run: Run, plans: list[Plan], predicted_us: dict) -> float:
    jobs = (1 + run.blocks) * sum(3 + len(run.han.get(ppn, [])) for ppn in {plan.cell.ppn for plan in plans})
    calls = 1 + run.first + run.blocks * run.repetitions
    longest = sum(max(predicted_us[plan.cell].values()) * (2 + len(plan.forced) + len(plan.han)) for plan in plans)
    return jobs * START_SECONDS + CAUTION * calls * longest / 1e6


def time_text(seconds: float) -> str:
    """HH:MM:SS, rounded up to ten minutes."""
    minutes = 10 * math.ceil(seconds / 600)
    return f"{minutes // 60:02}:{minutes % 60:02}:00"


def directives(batch: Batch, folder: str, nodes: int, ppn: int, seconds: float) -> list[str]:
    """The log's name is whole, since a job's folder is where sbatch was called."""
    lines = ["--job-name=tutti-validate", f"--nodes={nodes}", f"--ntasks-per-node={ppn}", "--exclusive",
             f"--time={batch.time or time_text(seconds)}", "--output=" + os.path.join(folder, "run-%j.log").join('""')]
    lines += [f"--account={batch.account}"] if batch.account else []
    lines += [f"--partition={batch.partition}"] if batch.partition else []
    missing = [name for name in ("account", "partition") if not getattr(batch, name)]
    return [f"#SBATCH {line}" for line in lines] + [
        f"# Where the centre asks for it: sbatch --{name}=NAME, or tutti validate --batch --{name} NAME." for name in missing]


def write_plans(folder: str, plans: list[Plan]) -> dict[int, int]:
    """JOB-PPN.plan of each kind of job that has calls; returns the nodes that each number of ranks per node needs."""
    nodes: dict[int, int] = {}
    for ppn in sorted({plan.cell.ppn for plan in plans}):
        of_ppn = [plan for plan in plans if plan.cell.ppn == ppn]
        nodes[ppn] = max(plan.cell.nodes for plan in of_ppn)
        for job in (*JOBS, *(arm for arm in (HAN, HAN_SIMPLE) if any(arm in plan.han for plan in of_ppn))):
            with open(os.path.join(folder, f"{job}-{ppn}.plan"), "w", encoding="utf-8") as file:
                file.writelines(line + "\n" for plan in of_ppn for line in plan_lines(plan).get(job, []))
    return nodes


JOB = r"""# job NAME PPN NODES PLAN REPETITIONS [VARIABLE=VALUE ...]: one MPI job; NAME.csv is there when it is whole. Open MPI's settings
# are variables, which every launcher passes on.
job() {
  [ ! -s "$1.csv" ] || return 0
  [ -s "$4" ] || return 0  # no rival was near the best
  echo "$(date +%T) $1" >&2
  local ranks=$(($2 * $3)) placed
  case "$(basename "${MPIRUN%% *}")" in
    srun) placed="--nodes=$3 --ntasks=$ranks --ntasks-per-node=$2" ;;
    *) placed="-np $ranks --map-by ppr:$2:node" ;;
  esac
  local attempt status
  for attempt in first last; do  # a library that crashes once in a hundred ends is no reason to lose hours of the others' runs
    status=0
    env "${@:6}" $MPIRUN $placed "$BENCH" plan "$PWD/$4" --repetitions "$5" $PROBE --nap "$NAP" < /dev/null > "$1.part" || status=$?
    if [ "$status" = 0 ]; then
      mv "$1.part" "$1.csv"
      return 0
    fi
    echo "run.sh: $1 ended with status $status$([ $attempt = last ] || echo ': once more')" >&2
  done
  return "$status"
}
# Where ranks outnumber a node's cores they wait for each other's turns, and times are those of the turns.
compare_with_cores() {
  local cores
  cores=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)
  rm -f "shared-$1.txt"
  [ "$1" -gt "$cores" ] || return 0
  echo "$1 $cores" > "shared-$1.txt"
  echo "run.sh: warning: $1 ranks share the $cores cores of a node: times say how they take turns, not what the network does" >&2
}
"""


def han_settings(run: Run) -> list[str]:
    lines = []
    if run.has_han_rules:
        lines += ['RULES=(OMPI_MCA_coll_tuned_use_dynamic_rules=1 "OMPI_MCA_coll_tuned_dynamic_rules_filename=$PWD/open-mpi.rules"',
                  '  OMPI_MCA_coll_han_use_dynamic_file_rules=1 "OMPI_MCA_coll_han_dynamic_rules_filename=$PWD/open-mpi.rules.han")']
    if any(run.han.values()):
        simple = " ".join(f"OMPI_MCA_coll_han_use_simple_{collective}=1" for collective in SERVED_BY_HAN if collective != "barrier")
        lines += ["HAN=(OMPI_MCA_coll_han_priority=100)", f'HAN_SIMPLE=("${{HAN[@]}}" {simple})']
    return lines


def script_text(run: Run, folder: str, nodes: dict[int, int], seconds: float) -> str:
    """Blocks of three jobs, the default's, the table's and its rivals', so that the machine's state is alike for all. sbatch
    runs a copy of it that lies elsewhere, in the folder where it was called: so the script knows where its plans are."""
    # Messages of coll/han are not counted: Open MPI 5.0.11 breaks down in MPI_Comm_free under both.
    ppn_most = max(nodes)
    lines = ["#!/bin/bash"]
    if run.batch:
        lines += directives(run.batch, folder, max(nodes.values()), ppn_most, seconds)
    lines += ["# Times the MPI library's default, the selection table and the table's rivals in turn. MPIRUN may name another",
              '# launcher: MPIRUN="srun --mpi=pmix". What is finished already is not run again.',
              "set -euo pipefail", 'cd "$(dirname "$0")"', f"[ -e default-{ppn_most}.plan ] || cd {shlex.quote(folder)}",
              f"MPIRUN=${{MPIRUN:-{shlex.quote(run.mpirun)}}}", f"BENCH=${{BENCH:-{shlex.quote(run.bench)}}}",
              f"WITHIN={run.within:g} NAP={run.nap_us}", "", DROP, JOB,
              "DYNAMIC=(OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_han_priority=0)",
              'RULES=("${DYNAMIC[@]}" "OMPI_MCA_coll_tuned_dynamic_rules_filename=$PWD/open-mpi.rules")',
              "PROBED=(OMPI_MCA_pml_monitoring_enable=1)", *han_settings(run), ""]
    for ppn, count in nodes.items():
        lines += [f"compare_with_cores {ppn}", "PROBE=--probe",
                  f"PROBE= job default-{ppn}-0 {ppn} {count} default-{ppn}.plan {run.first}" if run.has_han_rules else
                  f'job default-{ppn}-0 {ppn} {count} default-{ppn}.plan {run.first} "${{PROBED[@]}}"',
                  f'job table-{ppn}-0 {ppn} {count} table-{ppn}.plan {run.first} "${{PROBED[@]}}" "${{RULES[@]}}"',
                  f'job forced-{ppn}-0 {ppn} {count} forced-{ppn}.plan {run.first} "${{PROBED[@]}}" "${{DYNAMIC[@]}}"',
                  *(f'PROBE= job {arm}-{ppn}-0 {ppn} {count} {arm}-{ppn}.plan {run.first} "${{{arm.upper()}[@]}}"'
                    for arm in run.han.get(ppn, [])),
                  f"drop_slow forced-{ppn}.plan {{default,table,forced}}-{ppn}-0.csv > kept-{ppn}.plan",
                  "PROBE="]
        if run.blocks:
            lines += [f"for block in $(seq {run.blocks}); do",
                      f'  job "default-{ppn}-$block" {ppn} {count} default-{ppn}.plan {run.repetitions}',
                      f'  job "table-{ppn}-$block" {ppn} {count} table-{ppn}.plan {run.repetitions} "${{RULES[@]}}"',
                      f'  job "forced-{ppn}-$block" {ppn} {count} kept-{ppn}.plan {run.repetitions} "${{DYNAMIC[@]}}"',
                      *(f'  job "{arm}-{ppn}-$block" {ppn} {count} {arm}-{ppn}.plan {run.repetitions} "${{{arm.upper()}[@]}}"'
                        for arm in run.han.get(ppn, [])), "done"]
    return "\n".join(lines) + "\n"
