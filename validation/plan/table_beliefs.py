"""What is believed of the cells of a selection table."""
import dataclasses
import statistics

from validation import ValidationError, json_file
from validation.mpi.arms import rule_of
from validation.mpi.open_mpi import OpenMpi
from validation.table import Cell, Table
from validation.plan.belief import OF_TRUST, Belief, Time, learn_scales

MOST_TIMES = 4000  # of one collective: a matrix of that many rows takes seconds
WITHIN = 3.0  # candidates that are predicted to be slower than so many times the best are not looked at, as in tutti validate


@dataclasses.dataclass
class Known:
    beliefs: list[Belief]  # a collective each
    choices: dict[Cell, str]  # the table's, as the library's rules have it
    left_out: int  # cells that the rules leave to the library


def trust_by_cell(path: str) -> dict[Cell, str]:
    """The least that a table's rules say of a cell."""
    document = json_file.parse(json_file.read_text(path, "a selection table"), path)
    found: dict[tuple, list] = {}
    for line, rule in json_file.elements(document, json_file.read_text(path, "a selection table"), "rules", path):
        fields = json_file.Fields(rule, f"{path}:{line}")
        trust = rule.get("trust", "")
        if trust not in OF_TRUST:
            raise ValidationError(f'{path}:{line}: expected "trust" to be one of {", ".join(repr(one) for one in OF_TRUST if one)}')
        place = fields.text("collective"), fields.whole("nodes", 1), fields.whole("ppn", 1)
        found.setdefault(place, []).append((fields.whole("from_bytes", 0), fields.whole("to_bytes", 0, or_none=True), trust))

    class ByCell(dict):
        def __missing__(self, cell: Cell) -> str:
            return next((trust for first, last, trust in found.get((cell.collective, cell.nodes, cell.ppn), [])
                         if first <= cell.bytes and (last is None or cell.bytes <= last)), "")
    return ByCell()


def candidates(library: OpenMpi, table: Table, cell: Cell, choice: str) -> list[str]:
    """The choice, and of each algorithm the parameters that are predicted to be best where that is near the best. Of several that are predicted to
    take the same, one: on so few ranks they send the same."""
    predicted, best = table.predicted_us[cell], {}
    for one in sorted(predicted, key=lambda text: (text != choice, predicted[text], text)):
        if predicted[one] > 0 and library.settings(cell.collective, one) is not None:
            best.setdefault(one.split(":")[0], one)
    least = min((predicted[one] for one in best.values()), default=0)
    different: dict[float, str] = {}
    for one in best.values():  # the choice is the first
        if one == choice or predicted[one] <= WITHIN * least:
            different.setdefault(predicted[one], one)
    return sorted(different.values())


def beliefs_of(library: OpenMpi, table: Table, trust: dict[Cell, str], rules: dict, cells: list[Cell]) -> Known:
    times: dict[str, list[Time]] = {}
    known = Known([], {}, 0)
    for cell in cells:
        rule = rule_of(rules, cell)
        choice = rule and library.choice(cell.collective, rule.algorithm, rule.fanout, rule.segment)
        found = candidates(library, table, cell, choice) if choice else []
        if choice not in found:
            known.left_out += 1
            continue
        known.choices[cell] = choice
        times.setdefault(cell.collective, []).extend(
            Time(cell, one, one.split(":")[0], cell.ranks, cell.bytes, table.predicted_us[cell][one], trust[cell]) for one in found)
    for collective, of in times.items():
        if len(of) > MOST_TIMES:
            raise ValidationError(f"{collective}: {len(of)} times of cells: expected at most {MOST_TIMES}; ask for fewer with --collectives, "
                                  "--ranks or --bytes")
        known.beliefs.append(Belief(of))
    if not known.beliefs:
        raise ValidationError("expected a cell that the rules decide, among those that are asked for")
    return known


def observe(beliefs: list[Belief], measured_us: dict[Cell, dict[str, list[float]]]) -> int:
    """Repeated times by choice; returns how many medians were taken."""
    taken = 0
    for belief in beliefs:
        for (cell, choice), number in belief.place.items():
            samples = measured_us.get(cell, {}).get(choice)
            if samples and (median := statistics.median(samples)) > 0:
                spread = statistics.median(abs(one - median) for one in samples) / median
                belief.observe(number, median, 1.8 * spread / len(samples) ** 0.5)  # of a median, by the median deviation, were it normal
                taken += 1
    learn_scales(beliefs)
    return taken
