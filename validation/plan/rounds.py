"""The rounds of a plan: FOLDER/round-N/plan.json, and a folder for each number of nodes with what tutti validate --mpi runs."""
import collections
import dataclasses
import glob
import json
import os
import re

from validation import ValidationError, json_file
from validation.command import write_beside
from validation.mpi import arms, results, script
from validation.mpi.open_mpi import OpenMpi
from validation.table import Cell, cell_of

FORMAT = "tutti-plan-1"


@dataclasses.dataclass
class Round:
    number: int
    path: str
    node_hours: float
    arms: dict[Cell, list[str]]  # the choices that are forced
    with_usage: bool | None = None  # whether jobs weighed its cells; None: its plan, of an older version, does not say

    def folder_of(self, nodes: int) -> str:
        return os.path.join(self.path, f"nodes-{nodes}")

    def nodes(self) -> list[int]:
        return sorted({cell.nodes for cell in self.arms})


def cells_text(found: dict[Cell, list[str]]) -> str:
    return ",\n  ".join(json.dumps({**dataclasses.asdict(cell), "arms": found[cell]}) for cell in sorted(found, key=dataclasses.astuple))


def plan_text(found: dict[Cell, list[str]], more: dict) -> str:
    head = "".join(f" {json.dumps(key)}: {json.dumps(value)},\n" for key, value in {"format": FORMAT, **more}.items())
    return f'{{\n{head} "cells": [\n  {cells_text(found)}\n ]\n}}\n'


def read_cells(path: str) -> tuple[dict[Cell, list[str]], dict]:
    """The arms of each cell of a plan, and the document."""
    text = json_file.read_text(path, "a plan that tutti plan wrote")
    document = json_file.parse(text, path)
    if document.get("format") != FORMAT:
        raise ValidationError(f'{path}:1: expected a plan that tutti plan wrote, with "format": "{FORMAT}"')
    found = {}
    for line, one in json_file.elements(document, text, "cells", path):
        cell, names = cell_of(json_file.Fields(one, f"{path}:{line}")), one.get("arms")
        if not isinstance(names, list) or not names or not all(isinstance(name, str) and name for name in names) or cell in found:
            raise ValidationError(f'{path}:{line}: expected a cell, each once, with "arms", a list of choices')
        found[cell] = names
    return found, document


def read_rounds(folder: str, table_checksum: str, series: str) -> list[Round]:
    """Of one table and one series of Open MPI; plans of older versions do not say which."""
    found = []
    for path in sorted((path for path in glob.glob(os.path.join(folder, "round-*")) if re.fullmatch(r"round-\d+", os.path.basename(path))),
                       key=lambda path: int(path.rsplit("-", 1)[1])):
        file = os.path.join(path, "plan.json")
        cells, document = read_cells(file)
        if document.get("table") != table_checksum:
            raise ValidationError(f"{file}:1: is of another table: expected the one that the plan began with, or another folder")
        if (planned := document.get("series", series)) != series:
            raise ValidationError(f"{file}:1: is for another Open MPI than {series}: expected --series {str(planned)[:20]}, or another folder")
        hours = document.get("node_hours")
        if type(hours) not in (int, float) or not 0 <= hours < 1e12:
            raise ValidationError(f'{file}:1: expected "node_hours", a number')
        with_usage = document.get("with_usage")
        if with_usage is not None and type(with_usage) is not bool:
            raise ValidationError(f'{file}:1: expected "with_usage", true or false')
        found.append(Round(len(found) + 1, path, float(hours), cells, with_usage))
        if os.path.basename(path) != f"round-{len(found)}":
            raise ValidationError(f"{file}: expected round-{len(found)} before it")
    return found


def measured_in(one: Round) -> tuple[dict[Cell, dict[str, list[float]]], list[str]]:
    """Times of forced arms, in microseconds; and the scripts that have not run to their end."""
    times: dict = collections.defaultdict(lambda: collections.defaultdict(list))
    unfinished = []
    for nodes in one.nodes():
        folder = one.folder_of(nodes)
        for ppn in sorted({cell.ppn for cell in one.arms if cell.nodes == nodes}):
            if not os.path.exists(os.path.join(folder, f"forced-{ppn}-0.csv")):
                unfinished.append(os.path.join(folder, "run.sh"))
                continue
            of_key = results.read_results(folder, ppn).times_us
            for cell in one.arms:
                if (cell.nodes, cell.ppn) == (nodes, ppn):
                    for arm, values in of_key.get((cell.collective, cell.ranks, cell.bytes), {}).items():
                        if arm not in (arms.DEFAULT, arms.TABLE):
                            times[cell][arm].extend(values)
    return times, sorted(set(unfinished))


def write_round(one: Round, library: OpenMpi, choices: dict[Cell, str], rules: str, run: script.Run, predicted_us: dict, more: dict) -> list[str]:
    """Its folders, then its plan.json: without it there is no round. Returns the scripts."""
    scripts = []
    for nodes in one.nodes():
        folder, cells = one.folder_of(nodes), {cell: names for cell, names in one.arms.items() if cell.nodes == nodes}
        os.makedirs(folder, exist_ok=True)
        write_beside(os.path.join(folder, arms.RULES), rules)
        write_beside(os.path.join(folder, "plan.json"), plan_text(cells, {}))
        plans = [forced_plan(library, cell, choices[cell], cells[cell]) for cell in sorted(cells, key=dataclasses.astuple)]
        scripts.append(script.write_run(run, folder, plans, predicted_us))
    write_beside(os.path.join(one.path, "plan.json"), plan_text(one.arms, {"node_hours": one.node_hours, **more}))
    return scripts


def forced_plan(library: OpenMpi, cell: Cell, choice: str, names: list[str]) -> arms.Plan:
    settings = {name: library.settings(cell.collective, name) for name in sorted({choice, *names})}
    wrong = [name for name, found in settings.items() if found is None]
    if wrong:
        raise ValidationError(f"{cell.collective}: a plan asks for {wrong[0]}, which this Open MPI cannot be told")
    return arms.Plan(cell, choice, settings)
