"""What tutti-mpi-bench measured, from all finished jobs of a folder."""
import collections
import dataclasses
import glob
import os
import re
from collections.abc import Callable

from validation.mpi import ValidationError
from validation.mpi.arms import DEFAULT, JOBS, TABLE, Plan

Key = tuple[str, int, int]  # collective, ranks, bytes


@dataclasses.dataclass
class Results:
    times_us: dict[Key, dict[str, list[float]]]  # by arm, in order of measurement
    sent: dict[Key, dict[str, str]]  # by arm: FROM>TO:MESSAGES:BYTES of all ranks


def key_of(plan: Plan) -> Key:
    return plan.cell.collective, plan.cell.ranks, plan.cell.bytes


def read_jobs(folder: str, jobs: str, example: str, program: str, take: Callable[[str, Key, str, list[str]], None]) -> None:
    """Gives `take` the kind, cell, arm and further words of every line of the finished jobs, block by block. `jobs` is a
    pattern of their names before "-BLOCK.csv"; `example` is such a name, `program` what wrote them, for errors' texts."""
    files = sorted((path for path in glob.glob(os.path.join(folder, "*.csv"))
                    if re.fullmatch(rf"({jobs})-\d+\.csv", os.path.basename(path))),
                   key=lambda path: int(path[:-4].rsplit("-", 1)[1]))
    if not files:
        raise ValidationError(f"{folder}: expected results such as {example}")
    for path in files:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                words = line.rstrip("\n").split(",")
                try:
                    take(words[0], (words[1], int(words[2]), int(words[3])), words[4], words[5:])
                except (IndexError, ValueError) as error:
                    raise ValidationError(f"{path}:{number}: expected a line of {program} ({error})") from error


def read_results(folder: str, ppn: int) -> Results:
    times: dict = collections.defaultdict(lambda: collections.defaultdict(list))
    sent: dict = collections.defaultdict(dict)

    def take(kind: str, key: Key, arm: str, rest: list[str]) -> None:
        if kind == "time":
            times[key][arm].append(float(rest[1]))
        elif kind == "sent":
            sent[key][arm] = rest[0].strip()
        else:
            raise ValueError(kind)

    read_jobs(folder, "|".join(f"{job}-{ppn}" for job in JOBS), f"default-{ppn}-0.csv: has run.sh run to its end?",
              "tutti-mpi-bench plan", take)
    return Results(times, sent)


def who_ran(results: Results, key: Key, arm: str) -> list[str]:
    """The forced algorithms that send just what the arm sends, in messages and bytes from rank to rank."""
    sent = results.sent.get(key, {})
    if arm not in sent:
        return []
    return sorted(other for other, text in sent.items() if other not in (DEFAULT, TABLE) and text == sent[arm])
