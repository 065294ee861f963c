"""The script that runs everything under the user's MPI, by hand or in a batch job."""
import dataclasses
import glob
import os
import shlex
import shutil

from validation import ValidationError, json_file
from validation.batch import JOBS_FILE, RUN, START_SECONDS, Batch, array_text, directives, part_folder, to_folder, write_jobs, write_script
from validation.command import write_beside
from validation.mpi.arms import HAN, HAN_SIMPLE, JOBS, RULES, SERVED_BY_HAN, Plan, plan_lines

DROP = r"""# Arms of which no time is within so many times the cell's best time are not repeated. Numbers have points, whatever the language.
drop_slow() {
  LC_ALL=C awk -F, -v within="$WITHIN" '
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
    batch: Batch | None
    has_han_rules: bool = False  # the rules file has another one beside it, for coll/han
    han: dict[int, list[str]] = dataclasses.field(default_factory=dict)  # the arms of coll/han, by ranks per node


CAUTION = 10  # by which factor calls may exceed what was predicted


def han_of(plans: list[Plan]) -> dict[int, list[str]]:
    return {ppn: sorted({arm for plan in plans if plan.cell.ppn == ppn for arm in plan.han}) for ppn in {plan.cell.ppn for plan in plans}}


def job_names(run: Run, ppn: int) -> list[str]:
    return [*JOBS, *run.han.get(ppn, [])]


def seconds_of_calls(run: Run, plan: Plan, predicted_us: dict) -> float:
    """As they are predicted."""
    calls = 2 + run.first + run.blocks * run.repetitions
    return calls * max(predicted_us[plan.cell].values()) * (2 + len(plan.forced) + len(plan.han)) / 1e6


def estimated_seconds(run: Run, plans: list[Plan], predicted_us: dict) -> float:
    jobs = (1 + run.blocks) * sum(len(job_names(run, ppn)) for ppn in {plan.cell.ppn for plan in plans})
    return jobs * START_SECONDS + CAUTION * sum(seconds_of_calls(run, plan, predicted_us) for plan in plans)


def estimated_jobs(run: Run, plans: list[Plan], predicted_us: dict) -> dict[str, float]:
    """By the files that they make; of the seconds, only how they compare matters."""
    found = {}
    for ppn in sorted({plan.cell.ppn for plan in plans}):
        calls = sum(seconds_of_calls(run, plan, predicted_us) for plan in plans if plan.cell.ppn == ppn)
        for block in range(run.blocks + 1):
            for name in job_names(run, ppn):
                found[f"{name}-{ppn}-{block}.csv"] = 2 + calls / len(job_names(run, ppn)) / (run.blocks + 1)
    return found


def expect_same_calls(folder: str, name: str, text: str) -> None:
    """Results of other calls would be taken for these."""
    path = os.path.join(folder, name)
    if os.path.exists(path) and glob.glob(os.path.join(glob.escape(folder), "*-*-*.csv")) and json_file.read_text(path, "a plan") != text:
        raise ValidationError(f"{folder}: has results of other calls than these: expected a new folder")


def write_plans(folder: str, plans: list[Plan]) -> dict[int, int]:
    """JOB-PPN.plan of each kind of job that has calls; returns the nodes that each number of ranks per node needs."""
    nodes: dict[int, int] = {}
    texts: dict[str, str] = {}
    for ppn in sorted({plan.cell.ppn for plan in plans}):
        of_ppn = [plan for plan in plans if plan.cell.ppn == ppn]
        nodes[ppn] = max(plan.cell.nodes for plan in of_ppn)
        for job in (*JOBS, *(arm for arm in (HAN, HAN_SIMPLE) if any(arm in plan.han for plan in of_ppn))):
            texts[f"{job}-{ppn}.plan"] = "".join(line + "\n" for plan in of_ppn for line in plan_lines(plan).get(job, []))
    for name, text in texts.items():
        expect_same_calls(folder, name, text)
    for name, text in texts.items():
        write_beside(os.path.join(folder, name), text)
    return nodes


JOB = r"""# job NAME PPN NODES PLAN REPETITIONS [VARIABLE=VALUE ...]
job() {
  [ -s "$4" ] || { echo "$1.csv 0 0" >> times.txt; return 0; }  # no rival was near the best
  local SETTINGS=("${@:6}")
  run "$1.csv" "$2" "$3" "$BENCH" plan "$PWD/$4" --repetitions "$5" $PROBE --nap "$NAP"
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


# coll/monitoring, which comes with pml_monitoring, puts itself before coll/han, which then cannot take itself out of a
# communicator that it does not serve. What the environment says of components stays but for it; what files of parameters
# say of them does not hold for the jobs that count.
PROBED = ['case ${OMPI_MCA_coll:-} in "") COLL=^monitoring;; ^*) COLL=$OMPI_MCA_coll,monitoring;; *) COLL=$OMPI_MCA_coll;; esac',
          'PROBED=(OMPI_MCA_pml_monitoring_enable=1 "OMPI_MCA_coll=$COLL")']


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
    """Blocks of three jobs, the default's, the table's and its rivals', so that the machine's state is alike for all."""
    ppn_most = max(nodes)
    lines = ["#!/bin/bash"]
    if run.batch:
        lines += directives(run.batch, "validate", folder, max(nodes.values()), ppn_most, seconds)
    lines += ["# Times the MPI library's default, the selection table and the table's rivals in turn. MPIRUN may name another",
              '# launcher: MPIRUN="srun --mpi=pmix". What is finished already is not run again.',
              "set -euo pipefail", to_folder(f"default-{ppn_most}.plan", folder),
              f"MPIRUN=${{MPIRUN:-{shlex.quote(run.mpirun)}}}", f"BENCH={shlex.quote(run.bench)}",
              f"WITHIN={run.within:g} NAP={run.nap_us}", "", DROP, RUN, JOB,
              "DYNAMIC=(OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_han_priority=0)",
              'RULES=("${DYNAMIC[@]}" "OMPI_MCA_coll_tuned_dynamic_rules_filename=$PWD/open-mpi.rules")',
              *PROBED, *han_settings(run), ""]
    for ppn, count in nodes.items():
        lines += [f"compare_with_cores {ppn}", "PROBE=--probe",
                  f'job default-{ppn}-0 {ppn} {count} default-{ppn}.plan {run.first} "${{PROBED[@]}}"',
                  f'job table-{ppn}-0 {ppn} {count} table-{ppn}.plan {run.first} "${{PROBED[@]}}" "${{RULES[@]}}"',
                  f'job forced-{ppn}-0 {ppn} {count} forced-{ppn}.plan {run.first} "${{PROBED[@]}}" "${{DYNAMIC[@]}}"',
                  *(f'job {arm}-{ppn}-0 {ppn} {count} {arm}-{ppn}.plan {run.first} "${{PROBED[@]}}" "${{{arm.upper()}[@]}}"'
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


def write_run(run: Run, folder: str, plans: list[Plan], predicted_us: dict) -> str:
    """The script and all that it needs but the rules."""
    if os.path.exists(part_folder(folder, 1)):
        raise ValidationError(f"{folder}: was shared out among tasks before: expected a new folder, or --tasks")
    nodes = write_plans(folder, plans)
    write_jobs(folder, estimated_jobs(run, plans, predicted_us))
    path = os.path.join(folder, "run.sh")
    write_script(path, script_text(run, folder, nodes, estimated_seconds(run, plans, predicted_us)))
    return path


def shared_out(run: Run, plans: list[Plan], predicted_us: dict, parts: int) -> list[list[Plan]]:
    """Cells in at most so many parts of about as many seconds each, none empty; neighbours by ranks per node and nodes stay together, since an
    MPI job has the nodes of its largest cell."""
    ordered = sorted(plans, key=lambda plan: (plan.cell.ppn, plan.cell.nodes, dataclasses.astuple(plan.cell)))
    seconds = [seconds_of_calls(run, plan, predicted_us) for plan in ordered]
    found: list[list[Plan]] = [[] for _ in range(parts)]
    before = 0.0
    for plan, own in zip(ordered, seconds):
        found[int(parts * (before + own / 2) / sum(seconds))].append(plan)
        before += own
    return [part for part in found if part]


def write_array(run: Run, folder: str, parts: list[list[Plan]], predicted_us: dict) -> str:
    """part-1 to part-N, with the rules beside each part's script, and run.sh, an array of them."""
    if os.path.exists(part_folder(folder, len(parts) + 1)) or os.path.exists(os.path.join(folder, JOBS_FILE)):
        raise ValidationError(f"{folder}: was shared out otherwise before: expected a new folder, or as many tasks")
    heads, batch = [], run.batch
    for number, plans in enumerate(parts, 1):
        own = part_folder(folder, number)
        os.makedirs(own, exist_ok=True)
        for rules in (RULES, RULES + ".han"):
            if os.path.exists(os.path.join(folder, rules)):
                shutil.copy(os.path.join(folder, rules), own)
        write_run(dataclasses.replace(run, batch=None, han=han_of(plans)), own, plans, predicted_us)
    if batch:
        heads = directives(batch, "validate", folder, max(plan.cell.nodes for plans in parts for plan in plans),
                           max(plan.cell.ppn for plans in parts for plan in plans),
                           max(estimated_seconds(run, plans, predicted_us) for plans in parts), len(parts))
    path = os.path.join(folder, "run.sh")
    write_script(path, array_text(heads, folder, len(parts)))
    return path
