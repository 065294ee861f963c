"""What is run in every cell: the library's default, the table, and each of the library's algorithms forced."""
import dataclasses

from validation.mpi.open_mpi import OpenMpi
from validation.mpi.rules import Rule, rules_for
from validation.table import Cell, Table
from validation.verdict import DEFAULT, TABLE

FORCED = "forced"
JOBS = DEFAULT, TABLE, FORCED
RULES = "open-mpi.rules"
# coll/han as it is by itself where it comes first, and with its simple variants: jobs, and arms, of hosts with several ranks.
HAN, HAN_SIMPLE = "han", "han_simple"
SERVED_BY_HAN = "allgather", "allreduce", "barrier", "bcast", "gather", "reduce", "scatter"


@dataclasses.dataclass
class Plan:
    cell: Cell
    choice: str  # the table's, as the rules file has it
    forced: dict[str, dict[str, int]]  # control variables by choice, the table's own among them
    han: list[str] = dataclasses.field(default_factory=list)  # further arms, each with a job of its own


def han_arms(series: str, cell: Cell) -> list[str]:
    """Open MPI 5.0 runs coll/han by itself there."""
    if cell.ppn == 1 or cell.nodes == 1 or cell.collective not in SERVED_BY_HAN:
        return []
    return [HAN_SIMPLE] if series == "5.0" else [HAN, HAN_SIMPLE]


def rule_of(rules: dict, cell: Cell) -> Rule | None:
    """None: the file leaves it to the library."""
    matching = [rule for rule in rules_for(rules, cell.collective, cell.ranks) if rule.from_bytes <= cell.bytes]
    return matching[-1] if matching and matching[-1].algorithm else None


def plan_cell(library: OpenMpi, table: Table, rules: dict, cell: Cell, within: float) -> Plan | None:
    """Rivals are, of each algorithm, the parameters that the table predicts to be best, where that is within so many times
    the best prediction. None: nothing to validate, as the rules leave the cell to the library."""
    rule = rule_of(rules, cell)
    if not rule:
        return None
    choice = library.choice(cell.collective, rule.algorithm, rule.fanout, rule.segment)
    predicted = table.predicted_us[cell]
    best: dict[str, str] = {}
    for candidate in sorted(predicted, key=lambda text: (predicted[text], text)):
        if library.settings(cell.collective, candidate) is not None:
            best.setdefault(candidate.split(":")[0], candidate)
    least = min(predicted[candidate] for candidate in best.values())
    candidates = {choice} | {candidate for candidate in best.values() if predicted[candidate] <= within * least}
    return Plan(cell, choice, {text: library.settings(cell.collective, text) for text in sorted(candidates)})


def plan_lines(plan: Plan) -> dict[str, list[str]]:
    """For tutti-mpi-bench plan, by kind of job: the default's, the table's with its rules, and that of the forced
    algorithms. Each is a job of its own: Open MPI reads rules when it starts, and prefers them to what is forced."""
    head = f"{plan.cell.collective} {plan.cell.ranks} {plan.cell.bytes}"
    return {DEFAULT: [f"{head} {DEFAULT}"], TABLE: [f"{head} {TABLE}"], **{arm: [f"{head} {arm}"] for arm in plan.han},
            FORCED: [" ".join([head, text, *(f"{key}={value}" for key, value in settings.items())])
                     for text, settings in plan.forced.items()]}
