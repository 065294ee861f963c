"""What is run in every cell: the table's choice, its runner-up and other candidates, and what libraries would pick."""
import dataclasses
import os

from validation import ValidationError, json_file
from validation.table import Cell, Table

TABLE, DEFAULT = "table", "default:"


@dataclasses.dataclass
class Plan:
    cell: Cell
    choice: str  # the table's
    runner_up: str | None
    candidates: list[str]  # rivals by name, the choice and the runner-up among them


@dataclasses.dataclass(frozen=True)
class Rule:
    from_bytes: int
    to_bytes: float
    algorithm: str
    runner_up: str | None


def read_rules(path: str) -> dict[tuple[str, int, int], list[Rule]]:
    """By collective, nodes and ranks per node. Throws ValidationError "FILE:LINE: what was expected"."""
    text = json_file.read_text(path, "a selection table")
    rules: dict[tuple[str, int, int], list[Rule]] = {}
    for line, one in json_file.elements(json_file.parse(text, path), text, "rules", path):
        fields = json_file.Fields(one, f"{path}:{line}")
        most = fields.whole("to_bytes", 0, or_none=True)
        place = fields.text("collective"), fields.whole("nodes", 1, 1 << 30), fields.whole("ppn", 1, 1 << 30)
        rules.setdefault(place, []).append(Rule(fields.whole("from_bytes", 0), float("inf") if most is None else most,
                                                fields.text("algorithm"), fields.text("runner_up", or_none=True)))
    return rules


def plan_cell(rules: dict, table: Table, cell: Cell, within: float) -> Plan | None:
    """Rivals are, of each algorithm, the parameters that the table predicts to be best, where that is within so many times
    the best prediction. None: the table has no rule for the cell."""
    rule = next((rule for rule in rules.get((cell.collective, cell.nodes, cell.ppn), [])
                 if rule.from_bytes <= cell.bytes <= rule.to_bytes), None)
    if not rule:
        return None
    predicted = table.predicted_us[cell]
    best: dict[str, str] = {}
    for candidate in sorted(predicted, key=lambda text: (predicted[text], text)):
        best.setdefault(candidate.split("(")[0].split(":")[0], candidate)
    least = min(predicted.values())
    near = {candidate for candidate in best.values() if predicted[candidate] <= within * least}
    # The runner-up is the closest rival anywhere in the rule's range: here it may be none.
    runner_up = rule.runner_up if rule.runner_up in predicted else None
    return Plan(cell, rule.algorithm, runner_up, sorted(near | {rule.algorithm} | ({runner_up} if runner_up else set())))


def plan_text(plans: list[Plan], libraries: list[str]) -> str:
    """The file for tutti bench plan; what the table chooses is a comment there, for whoever asks later of which table it was."""
    lines = []
    for plan in plans:
        of_table, *others = plan_lines(plan, libraries)
        lines += [f"{of_table}  # {plan.choice}", *others]
    return "\n".join(lines) + "\n"


def calls_of(text: str) -> dict[tuple[str, ...], tuple[list[str], str | None]]:
    """By cell, a plan's arms and the table's choice; None: it does not say."""
    found: dict = {}
    for line in text.splitlines():
        call, _, choice = line.partition("#")
        *cell, arm = call.split() or [""]
        arms, chosen = found.get(tuple(cell), ([], None))
        found[tuple(cell)] = [*arms, arm], choice.strip() or chosen
    return found


def expect_same_calls(path: str, text: str, only_read: bool) -> None:
    """`path`: the plan of the results that lie beside it, which those of `text` would be mixed with or taken for; reading, these may be fewer."""
    folder = os.path.dirname(path)
    if not os.path.exists(path):
        raise ValidationError(f"{folder}: has results without {os.path.basename(path)}, which says of what: expected a new folder")
    before, now = calls_of(json_file.read_text(path, "a plan")), calls_of(text)
    if any(cell in before and before[cell][1] not in (None, choice) for cell, (_, choice) in now.items()):
        raise ValidationError(f"{folder}: has results of another table's choices: expected a new folder")
    if any(cell not in before or before[cell][0] != arms for cell, (arms, _) in now.items()) or not only_read and len(before) > len(now):
        raise ValidationError(f"{folder}: has results of other calls than these: expected a new folder")


def plan_lines(plan: Plan, libraries: list[str]) -> list[str]:
    """For tutti bench plan."""
    head = f"{plan.cell.collective} {plan.cell.ranks} {plan.cell.bytes}"
    return [f"{head} {arm}" for arm in [TABLE, *(DEFAULT + library for library in libraries), *plan.candidates]]
