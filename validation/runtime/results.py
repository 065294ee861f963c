"""What tutti bench plan measured, from all finished jobs of a folder."""
import collections
import dataclasses
import glob
import os
import re

from validation.mpi import ValidationError

Key = tuple[str, int, int]  # collective, ranks, bytes


@dataclasses.dataclass
class Results:
    times_us: dict[Key, dict[str, list[float]]]  # by algorithm, in order of measurement
    ran: dict[Key, dict[str, str]]  # the algorithm that an arm means; "": none that can run


def job_name(nodes: int, ppn: int, block: int) -> str:
    return f"runtime-{nodes}x{ppn}-{block}.csv"


def read_results(folder: str, nodes: int, ppn: int) -> Results:
    files = sorted((path for path in glob.glob(os.path.join(folder, f"runtime-{nodes}x{ppn}-*.csv"))
                    if re.fullmatch(r"runtime-\d+x\d+-\d+\.csv", os.path.basename(path))),
                   key=lambda path: int(path[:-4].rsplit("-", 1)[1]))
    if not files:
        raise ValidationError(f"{folder}: expected results such as {job_name(nodes, ppn, 0)}: has it been measured?")
    times: dict = collections.defaultdict(lambda: collections.defaultdict(list))
    ran: dict = collections.defaultdict(dict)
    for path in files:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                words = line.rstrip("\n").split(",")
                try:
                    kind, key, arm = words[0], (words[1], int(words[2]), int(words[3])), words[4]
                    if kind == "time":
                        times[key][arm].append(float(words[6]))
                    elif kind == "ran":
                        ran[key][arm] = words[5]
                    else:
                        raise ValueError(kind)
                except (IndexError, ValueError) as error:
                    raise ValidationError(f"{path}:{number}: expected a line of tutti bench plan ({error})") from error
    return Results(times, ran)
