"""What tutti bench plan measured, from all finished jobs of a folder."""
import collections
import dataclasses
import glob
import os

from validation.jobs import Key, read_jobs, take_lines, time_us


@dataclasses.dataclass
class Results:
    times_us: dict[Key, dict[str, list[float]]]  # by algorithm, in order of measurement
    ran: dict[Key, dict[str, str]]  # the algorithm that an arm means; "": none that can run


def job_name(nodes: int, ppn: int, block: int) -> str:
    return f"runtime-{nodes}x{ppn}-{block}.csv"


def finished_jobs(folder: str, nodes: int, ppn: int) -> list[str]:
    return glob.glob(os.path.join(glob.escape(folder), f"runtime-{nodes}x{ppn}-*.csv"))


PROGRAM = "tutti bench plan"


def no_results() -> Results:
    return Results(collections.defaultdict(lambda: collections.defaultdict(list)), collections.defaultdict(dict))


def add(found: Results, kind: str, key: Key, arm: str, rest: list[str]) -> None:
    if kind == "time":
        found.times_us[key][arm].append(time_us(rest[1]))
    elif kind == "ran":
        found.ran[key][arm] = rest[0]
    else:
        raise ValueError(kind)


def expect_results(text: str, job: str) -> None:
    """Raises ValidationError where it is not what a job says that has measured."""
    take_lines(text, f"{job} (stdout)", PROGRAM, lambda *words: add(no_results(), *words))


def read_results(folder: str, nodes: int, ppn: int) -> Results:
    found = no_results()
    read_jobs(folder, f"runtime-{nodes}x{ppn}", f"{job_name(nodes, ppn, 0)}: has it been measured?", PROGRAM, lambda *words: add(found, *words))
    return found
