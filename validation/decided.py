"""A selection table that follows what was measured: docs/formats.md, tables/table.schema.json."""
import itertools
import json
import math
import statistics

from validation.table import Cell

PLACE = ("collective", "nodes", "ppn")
LEAST_TRUST_FIRST = ("guessed", "fitted far", "fitted near")


def place_of(cell: dict) -> Cell:
    return Cell(*(cell[key] for key in PLACE), cell["bytes"])


def table_text(table: dict) -> str:
    """As tutti writes tables: a cell or rule a line."""
    def lines(items: list[dict]) -> str:
        return "[\n  " + ",\n  ".join(json.dumps(item, separators=(",", ":")) for item in items) + "\n ]"

    head = "".join(f' {json.dumps(key)}: {json.dumps(value)},\n' for key, value in table.items() if key not in ("cells", "rules"))
    return f'{{\n{head} "cells": {lines(table["cells"])},\n "rules": {lines(table["rules"])}\n}}\n'


def decide(table: dict, known_us: dict[Cell, dict[str, float]]) -> None:
    """The times of the cells in `known_us` become those (of candidates; others are left out), the rules the fastest by them. What was
    simulated stays beside them."""
    choices = {}
    for cell in table["cells"]:
        known = {name: time for name, time in known_us.get(place_of(cell), {}).items() if name in cell["times_us"]}
        if known:
            follow(cell, known, table["bound"])
            choices[place_of(cell)] = min(sorted(known), key=known.__getitem__)
    table["rules"] = list(rules_of(table, choices))


def follow(cell: dict, known: dict[str, float], bound: float) -> None:
    """What is not known is as much slower or faster than predicted as what sends the same (it is predicted to take the same), or else the
    same algorithm with other parameters, or else all that is known in the mean. It is not taken to be better than what is known."""
    predicted = dict(cell["times_us"])
    ratios = {name: time / predicted[name] for name, time in known.items() if predicted[name] > 0}
    common = statistics.geometric_mean(ratios.values()) if ratios else 1.0
    by_time = {predicted[name]: ratio for name, ratio in ratios.items()}
    by_algorithm: dict[str, list[float]] = {}
    for name, ratio in ratios.items():
        by_algorithm.setdefault(name.partition(":")[0], []).append(ratio)
    least = min(known.values()) * (1 + bound)

    def believed(name: str) -> float:
        if name in known:
            return known[name]
        if predicted[name] in by_time:
            return predicted[name] * by_time[predicted[name]]
        of_algorithm = by_algorithm.get(name.partition(":")[0], [common])
        return max(least, predicted[name] * statistics.geometric_mean(of_algorithm))

    cell.setdefault("simulated_us", predicted)
    times = cell["times_us"] = {name: round(believed(name), 6) for name in predicted}
    scale = {name: times[name] / predicted[name] if predicted[name] > 0 else 1.0 for name in predicted}
    for key in ("inferred", "undecided", "between_us"):  # what is measured is none of these any more
        left = [name for name in cell.get(key, []) if name not in known]
        if left:
            cell[key] = {name: cell[key][name] for name in left} if key == "between_us" else left
        else:
            cell.pop(key, None)
    for key in ("between_us", "loads_us"):
        for name, several in cell.get(key, {}).items():
            cell[key][name] = [round(one * scale[name], 6) for one in several]
    if "defaults_us" in cell:  # of an algorithm that the table has, as a rule
        cell["defaults_us"] = {library: round(time * by_time.get(time, common), 6) for library, time in cell["defaults_us"].items()}
    if "least_default_us" in cell:
        cell["least_default_us"] = round(cell["least_default_us"] * min(common, *ratios.values(), 1.0), 6)


def rule_at(rules: list[dict], cell: dict) -> dict:
    return next(rule for rule in rules if all(rule[key] == cell[key] for key in PLACE) and rule["from_bytes"] <= cell["bytes"]
                and (rule["to_bytes"] is None or cell["bytes"] <= rule["to_bytes"]))


def rules_of(table: dict, choices: dict[Cell, str]):
    """A rule for each stretch of sizes with one choice; where none was made, the one that there was."""
    def choice_in(cell: dict) -> str:
        return choices.get(place_of(cell)) or rule_at(table["rules"], cell)["algorithm"]

    def place(cell: dict) -> tuple:
        return tuple(cell[key] for key in PLACE)

    decided = {tuple(getattr(cell, key) for key in PLACE) for cell in choices}
    for here, cells in itertools.groupby(table["cells"], key=place):
        if here not in decided:
            yield from (rule for rule in table["rules"] if place(rule) == here)
            continue
        stretches = [(choice, list(of)) for choice, of in itertools.groupby(cells, key=choice_in)]
        for number, (choice, of) in enumerate(stretches):
            end = stretches[number + 1][1][0]["bytes"] - 1 if number + 1 < len(stretches) else None
            yield rule_of(table, choice, of, 0 if number == 0 else of[0]["bytes"], end)


def rule_of(table: dict, choice: str, cells: list[dict], first: int, last: int | None) -> dict:
    def ratio(time: float, cell: dict) -> float:
        return time / cell["times_us"][choice] if cell["times_us"][choice] > 0 else 1.0

    def least(name: str, cell: dict) -> float:  # of what is inferred, as the program counts it
        return min(cell["times_us"][name], cell.get("between_us", {}).get(name, [math.inf])[0])

    rivals = [(ratio(least(name, cell), cell) - 1, name) for cell in cells for name in cell["times_us"] if name != choice]
    margin, runner_up = min(rivals, default=(None, None))
    rule = {**{key: cells[0][key] for key in PLACE}, "from_bytes": first, "to_bytes": last, "algorithm": choice,
            "predicted_us": cells[0]["times_us"][choice],
            "regret": max(1 / ratio(min(cell["times_us"].values()), cell) - 1 if min(cell["times_us"].values()) > 0 else 0.0 for cell in cells),
            "runner_up": runner_up, "margin": margin}
    gains = {}
    for library in sorted({library for cell in cells for library in cell.get("defaults_us", {})}):
        logs = [math.log(found) for cell in cells if (found := ratio(cell.get("defaults_us", {}).get(library, 0), cell)) > 0]
        if logs:
            gains[library] = math.exp(statistics.fmean(logs))
    if gains:
        rule["gains"] = gains
    rule["engine"], rule["inferred"] = table["engine"], any(choice in cell.get("inferred", []) for cell in cells)
    before = [rule_at(table["rules"], cell) for cell in cells]
    if all("trust" in one for one in before):
        rule["trust"] = min((one["trust"] for one in before), key=LEAST_TRUST_FIRST.index)
    if any(cell.get("undecided") for cell in cells):
        rule["undecided"], rule["regret"], rule["margin"] = True, None, None  # what is not known may be the best, or closer
    return rule
