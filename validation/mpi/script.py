"""The script that runs everything under the user's MPI, by hand or in a batch job."""
import dataclasses
import os
import shlex

from validation.mpi.arms import JOBS, Plan, plan_lines

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


@dataclasses.dataclass
class Run:
    bench: str  # tutti-mpi-bench
    mpirun: str  # a command, perhaps with arguments
    first: int  # repetitions of all arms
    blocks: int
    repetitions: int  # of the remaining arms in each of the blocks
    within: float
    nap_us: int
    batch: bool


def write_plans(folder: str, plans: list[Plan]) -> dict[int, int]:
    """JOB-PPN.plan of each kind of job; returns the nodes that each number of ranks per node needs."""
    nodes: dict[int, int] = {}
    for ppn in sorted({plan.cell.ppn for plan in plans}):
        of_ppn = [plan for plan in plans if plan.cell.ppn == ppn]
        nodes[ppn] = max(plan.cell.nodes for plan in of_ppn)
        for job in JOBS:
            with open(os.path.join(folder, f"{job}-{ppn}.plan"), "w", encoding="utf-8") as file:
                file.writelines(line + "\n" for plan in of_ppn for line in plan_lines(plan)[job])
    return nodes


def script_text(run: Run, nodes: dict[int, int]) -> str:
    """Blocks of three jobs: the default's, the table's, its rivals', so that none has the better hour."""
    most, ppn_most = max(nodes.values()), max(nodes)
    lines = ["#!/bin/bash",
             "# Times the MPI library's default, the selection table and the table's rivals in turn. MPIRUN may name another",
             "# launcher. What is finished already is not run again."]
    if run.batch:
        lines += [f"#SBATCH --nodes={most}", f"#SBATCH --ntasks-per-node={ppn_most}"]
    lines += ["set -euo pipefail", 'cd "${SLURM_SUBMIT_DIR:-$(dirname "$0")}"',
              f"MPIRUN=${{MPIRUN:-{shlex.quote(run.mpirun)}}}", f"BENCH=${{BENCH:-{shlex.quote(run.bench)}}}",
              f"WITHIN={run.within:g}", "", DROP,
              "# job NAME PPN RANKS PLAN REPETITIONS [MPIRUN'S OPTION ...]: one mpirun; NAME.csv is there when it is whole.",
              "job() {",
              '  [ ! -s "$1.csv" ] || return 0',
              '  echo "$(date +%T) $1" >&2',
              '  $MPIRUN -np "$3" --map-by "ppr:$2:node" "${@:6}" "$BENCH" plan "$PWD/$4" --repetitions "$5" \\',
              f'    $PROBE --nap {run.nap_us} < /dev/null > "$1.part"',
              '  mv "$1.part" "$1.csv"', "}",
              'DYNAMIC="--mca coll_tuned_use_dynamic_rules 1 --mca coll_han_priority 0"',
              'RULES="$DYNAMIC --mca coll_tuned_dynamic_rules_filename $PWD/open-mpi.rules"',
              'PROBED="--mca pml_monitoring_enable 1"', ""]
    for ppn, count in nodes.items():
        ranks = count * ppn
        lines += ["PROBE=--probe",
                  f"job default-{ppn}-0 {ppn} {ranks} default-{ppn}.plan {run.first} $PROBED",
                  f"job table-{ppn}-0 {ppn} {ranks} table-{ppn}.plan {run.first} $PROBED $RULES",
                  f"job forced-{ppn}-0 {ppn} {ranks} forced-{ppn}.plan {run.first} $PROBED $DYNAMIC",
                  f"drop_slow forced-{ppn}.plan {{default,table,forced}}-{ppn}-0.csv > kept-{ppn}.plan",
                  "PROBE="]
        if run.blocks:
            lines += [f"for block in $(seq {run.blocks}); do",
                      f'  job "default-{ppn}-$block" {ppn} {ranks} default-{ppn}.plan {run.repetitions}',
                      f'  job "table-{ppn}-$block" {ppn} {ranks} table-{ppn}.plan {run.repetitions} $RULES',
                      f'  job "forced-{ppn}-$block" {ppn} {ranks} kept-{ppn}.plan {run.repetitions} $DYNAMIC', "done"]
    return "\n".join(lines) + "\n"
