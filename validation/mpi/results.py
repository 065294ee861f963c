"""What tutti-mpi-bench measured, and what that says of a cell."""
import collections
import dataclasses

from validation.jobs import Key, read_jobs, time_us
from validation.mpi.arms import DEFAULT, HAN, HAN_SIMPLE, JOBS, TABLE, Plan
from validation.table import Table
from validation.verdict import Verdict, judge_times


@dataclasses.dataclass
class Results:
    times_us: dict[Key, dict[str, list[float]]]  # by arm, in order of measurement
    sent: dict[Key, dict[str, str]]  # by arm: FROM>TO:MESSAGES:BYTES of all ranks


def key_of(plan: Plan) -> Key:
    return plan.cell.collective, plan.cell.ranks, plan.cell.bytes


def read_results(folder: str, ppn: int) -> Results:
    times: dict = collections.defaultdict(lambda: collections.defaultdict(list))
    sent: dict = collections.defaultdict(dict)

    def take(kind: str, key: Key, arm: str, rest: list[str]) -> None:
        if kind == "time":
            times[key][arm].append(time_us(rest[1]))
        elif kind == "sent":
            sent[key][arm] = rest[0].strip()
        else:
            raise ValueError(kind)

    read_jobs(folder, "|".join(f"{job}-{ppn}" for job in (*JOBS, HAN, HAN_SIMPLE)), f"default-{ppn}-0.csv: has run.sh run to its end?",
              "tutti-mpi-bench plan", take)
    return Results(times, sent)


def who_ran(results: Results, key: Key, arm: str) -> list[str]:
    """The forced algorithms that send just what the arm sends, in messages and bytes from rank to rank."""
    sent = results.sent.get(key, {})
    if arm not in sent:
        return []
    return sorted(other for other, text in sent.items() if other not in (DEFAULT, TABLE) and text == sent[arm])


def judge(plan: Plan, table: Table, results: Results) -> Verdict:
    key = key_of(plan)
    return judge_times(plan, [*plan.forced, *plan.han], results.times_us[key], table.predicted_us[plan.cell],
                       plan.choice in who_ran(results, key, TABLE), who_ran(results, key, DEFAULT))
