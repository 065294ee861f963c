"""Where jobs run: a CSV of sacct's, such as `sacct -a … --parsable2 -o JobID,NNodes,NTasks,ElapsedRaw` or that with commas."""
import collections
import csv
import math
import re
from dataclasses import dataclass

from validation import ValidationError, json_file

COLUMNS = "NNodes", "NTasks", "ElapsedRaw"
NO_PROGRAMS = ".batch", ".extern", ".interactive"  # a job's script, what the job is held by and its shell: a task on each of their nodes
Layout = tuple[int, int]  # nodes, ranks per node


@dataclass
class Usage:
    node_seconds: dict[Layout, float]
    left_out: int  # lines of whole jobs, whose NTasks sacct leaves empty, and of NO_PROGRAMS
    says_steps: bool  # there is a JobID, without which NO_PROGRAMS pass for programs of one rank a node


def read_usage(path: str) -> Usage:
    text = json_file.read_text(path, "what sacct prints").removeprefix("\ufeff")  # which spreadsheets write before CSV in UTF-8
    if not text.strip():
        raise ValidationError(f"{path}:1: the file is empty: expected what sacct prints")
    if not text.endswith("\n"):
        raise ValidationError(f"{path}:{text.count(chr(10)) + 1}: the file ends inside this line: expected a line end")
    lines = text[:-1].split("\n")
    reader = csv.reader(lines, delimiter="|" if "|" in lines[0] else ",")
    try:
        head = next(reader)
        missing = [name for name in COLUMNS if name not in head]
        if missing:
            raise ValidationError(f"{path}:1: expected the column {missing[0]}, as of sacct --parsable2 -o JobID,{','.join(COLUMNS)}")
        place = [head.index(name) for name in COLUMNS]
        step = head.index("JobID") if "JobID" in head else None
        found: dict[Layout, float] = collections.defaultdict(float)
        left_out = 0
        for words in reader:
            if len(words) != len(head):
                raise ValidationError(f"{path}:{reader.line_num}: expected {len(head)} columns, found {len(words)}")
            nodes, tasks, seconds = (words[column] for column in place)
            if tasks == "" or (step is not None and words[step].endswith(NO_PROGRAMS)):
                left_out += 1
                continue
            for name, word, least in ((COLUMNS[0], nodes, 1), (COLUMNS[1], tasks, 1), (COLUMNS[2], seconds, 0)):
                if not re.fullmatch("[0-9]{1,12}", word) or int(word) < least:
                    raise ValidationError(f"{path}:{reader.line_num}: expected {name}, a whole number from {least} on, found '{word[:40]}'")
            if int(seconds) > 0:
                found[int(nodes), math.ceil(int(tasks) / int(nodes))] += int(nodes) * int(seconds)
    except csv.Error as error:
        raise ValidationError(f"{path}:{reader.line_num}: expected CSV: {error}") from error
    if not sum(found.values()):
        raise ValidationError(f"{path}: expected a step that ran, with its number of tasks (sacct without -X has steps)")
    return Usage(dict(found), left_out, step is not None)


def weights_of(usage: dict[Layout, float], layouts: list[Layout]) -> dict[Layout, float]:
    """Of the node-seconds, the part of each of a table's layouts: those of a job count for the layout that is nearest in doublings of nodes and
    of ranks per node."""
    total, weights = sum(usage.values()), dict.fromkeys(layouts, 0.0)
    for (nodes, ppn), seconds in usage.items():
        nearest = min(layouts, key=lambda one: (abs(math.log2(one[0] / nodes)) + abs(math.log2(one[1] / ppn)), one))
        weights[nearest] += seconds / total
    return weights
