"""How far a script of MPI jobs is, what failed, what is left."""
import dataclasses
import glob
import os
import re
import time

from validation import ValidationError, json_file
from validation.batch import JOBS_FILE, TIMES_FILE


@dataclasses.dataclass
class Part:
    name: str  # "" where there is one alone
    jobs: dict[str, float]  # by the file that each makes: seconds foreseen
    done: set[str]
    failed: dict[str, int]  # the last status of jobs that ended otherwise
    spent: dict[str, float]  # seconds of every job that is done
    under_way: str | None  # the job that writes now, or wrote last
    seconds_since_written: float | None

    @property
    def state(self) -> str:
        if len(self.done) == len(self.jobs):
            return "done"
        return "failed" if self.failed else "under way" if self.under_way else "waiting"


def folders_of(folder: str) -> list[str]:
    """The folder, or its parts; of a campaign, those of its rounds, one for each number of nodes."""
    if os.path.exists(os.path.join(folder, JOBS_FILE)):
        return [folder]
    found = []
    for pattern in ("part-*", "nodes-*", os.path.join("round-*", "nodes-*")):
        inner = [os.path.dirname(path) for path in glob.glob(os.path.join(glob.escape(folder), pattern, JOBS_FILE))]
        found += sorted(inner, key=lambda path: [int(number) for number in re.findall(r"-(\d+)", os.path.relpath(path, folder))])
    if not found:
        raise ValidationError(f"{folder}: expected a folder of tutti tune --state, or one where tutti validate --mpi, tutti calibrate --mpi "
                              "or tutti plan wrote a script")
    return found


def lines_of(path: str, shape: str, what: str) -> list[re.Match]:
    """A last line that is being written is not there yet."""
    found = []
    for number, line in enumerate(json_file.read_text(path, what).split("\n")[:-1], 1):
        match = re.fullmatch(shape, line)
        if not match:
            raise ValidationError(f"{path}:{number}: expected {what}")
        found.append(match)
    return found


def part_of(folder: str, name: str) -> Part:
    jobs = {match[1]: float(match[2]) for match in lines_of(os.path.join(folder, JOBS_FILE), r"(\S{1,200}) (\d{1,12})", "a job and seconds")}
    ends: dict[str, tuple[int, float]] = {}
    times = os.path.join(folder, TIMES_FILE)
    if os.path.exists(times):
        for match in lines_of(times, r"(\S{1,200}) (\d{1,3}) (\d{1,9})", "a job, its status and seconds"):
            ends[match[1]] = int(match[2]), float(match[3])
    is_there = lambda job: os.path.exists(os.path.join(folder, job)) and os.path.getsize(os.path.join(folder, job)) > 0
    done = {job for job in jobs if is_there(job) or ends.get(job, (1, 0))[0] == 0}
    writing = [(os.path.getmtime(path), job) for job in jobs if job not in done
               for path in [os.path.join(folder, os.path.splitext(job)[0] + ".part")] if os.path.exists(path)]
    at, under_way = max(writing, default=(None, None))
    return Part(name, jobs, done, {job: status for job, (status, _) in ends.items() if job in jobs and job not in done},
                {job: ends[job][1] for job in done if job in ends}, under_way, None if at is None else max(0.0, time.time() - at))


def read_parts(folder: str) -> list[Part]:
    found = folders_of(folder)
    return [part_of(one, "" if one == folder else os.path.relpath(one, folder)) for one in found]


def seconds_left(parts: list[Part]) -> float | None:
    """Of all parts one after another, as jobs that are done took beside what was foreseen; None while none is done."""
    foreseen = sum(part.jobs[job] for part in parts for job in part.spent)
    left = sum(seconds for part in parts for job, seconds in part.jobs.items() if job not in part.done)
    if left == 0:
        return 0.0
    return left * sum(sum(part.spent.values()) for part in parts) / foreseen if foreseen > 0 else None
