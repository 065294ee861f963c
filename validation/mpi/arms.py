"""What is run in every cell: the library's default, the table, and each of the library's algorithms forced."""
import dataclasses
import os

from validation.messages import expected
from validation.mpi.open_mpi import OpenMpi
from validation.mpi.rules import Rule, rules_for
from validation.table import Cell, Table
from validation.verdict import DEFAULT, TABLE

FORCED = "forced"
JOBS = DEFAULT, TABLE, FORCED
RULES = "open-mpi.rules"
# coll/han as it is by itself where it comes first, and with its simple variants: jobs, and arms, of hosts with several ranks.
HAN, HAN_SIMPLE = "han", "han_simple"
HAS_SIMPLE = "allreduce", "bcast", "reduce"  # what a file can have run
SERVED_BY_HAN = "allgather", "allreduce", "barrier", "bcast", "gather", "reduce", "scatter"


@dataclasses.dataclass
class Plan:
    cell: Cell
    choice: str  # the table's, as the rules file has it
    forced: dict[str, dict[str, int]]  # control variables by choice, the table's own among them unless coll/han runs it
    han: list[str] = dataclasses.field(default_factory=list)  # further arms, each with a job of its own
    sends: dict | None = None  # by (rank, rank), where no arm is what the table's choice is: (messages, bytes)


def han_arms(series: str, cell: Cell) -> list[str]:
    """Open MPI 5.0 runs coll/han by itself there."""
    if cell.ppn == 1 or cell.nodes == 1 or cell.collective not in SERVED_BY_HAN:
        return []
    return [HAN_SIMPLE] if series == "5.0" else [HAN, HAN_SIMPLE]


def rule_of(rules: dict, cell: Cell) -> Rule | None:
    """None: the file leaves it to the library."""
    matching = [rule for rule in rules_for(rules, cell.collective, cell.ranks) if rule.from_bytes <= cell.bytes]
    return matching[-1] if matching and matching[-1].algorithm else None


def simple_choices(rules_file: str, cells: list[Cell]) -> dict[Cell, tuple[str, dict]]:
    """Of the cells in which the files have coll/han run its simple variant, what that is, and what it sends: the arm that is
    told to run such variants has other parts."""
    by_han = [cell for cell in cells if cell.nodes > 1 and cell.ppn > 1 and cell.collective in HAS_SIMPLE]
    found = {}
    for ppn in sorted({cell.ppn for cell in by_han}):
        there = [cell for cell in by_han if cell.ppn == ppn]
        calls = [(cell.collective, cell.ranks, cell.bytes, "byte", "sum", 0) if cell.collective == "bcast" else
                 (cell.collective, cell.ranks, cell.bytes // 4, "int", "sum", 0) for cell in there]
        said = expected(os.environ["TUTTI_PROGRAM"], [(call, f"file:open-mpi:{os.path.abspath(rules_file)}") for call in calls], ppn=ppn)
        found |= {cell: (answer.choice, answer.matrix) for cell, answer in zip(there, said)
                  if answer.choice and answer.choice.split(":")[0] == HAN_SIMPLE}
    return found


def plan_cell(library: OpenMpi, table: Table, rules: dict, cell: Cell, within: float,
              simple: dict[Cell, tuple[str, dict]]) -> Plan | None:
    """Rivals are, of each algorithm, the parameters that the table predicts to be best, where that is within so many times
    the best prediction. None: nothing to validate, as the rules leave the cell to the library. `simple`: simple_choices."""
    rule = rule_of(rules, cell)
    if not rule and cell not in simple:
        return None
    choice, sends = (library.choice(cell.collective, rule.algorithm, rule.fanout, rule.segment), None) if rule else simple[cell]
    predicted = table.predicted_us[cell]
    best: dict[str, str] = {}
    for candidate in sorted(predicted, key=lambda text: (predicted[text], text)):
        if library.settings(cell.collective, candidate) is not None:
            best.setdefault(candidate.split(":")[0], candidate)
    least = min(predicted[candidate] for candidate in best.values())
    candidates = ({choice} if rule else set()) | {candidate for candidate in best.values() if predicted[candidate] <= within * least}
    return Plan(cell, choice, {text: library.settings(cell.collective, text) for text in sorted(candidates)}, sends=sends)


def plan_lines(plan: Plan) -> dict[str, list[str]]:
    """For tutti-mpi-bench plan, by kind of job: the default's, the table's with its rules, and that of the forced
    algorithms. Each is a job of its own: Open MPI reads rules when it starts, and prefers them to what is forced."""
    head = f"{plan.cell.collective} {plan.cell.ranks} {plan.cell.bytes}"
    return {DEFAULT: [f"{head} {DEFAULT}"], TABLE: [f"{head} {TABLE}"], **{arm: [f"{head} {arm}"] for arm in plan.han},
            FORCED: [" ".join([head, text, *(f"{key}={value}" for key, value in settings.items())])
                     for text, settings in plan.forced.items()]}
