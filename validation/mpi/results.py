"""What tutti-mpi-bench measured, and what that says of a cell."""
import collections
import dataclasses

from validation.jobs import Key, read_jobs, time_us
from validation.messages import parse_outcome
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
    """The forced algorithms, and arms of coll/han, that send just what the arm sends, in messages and bytes from rank to rank."""
    sent = results.sent.get(key, {})
    if arm not in sent:
        return []
    return sorted(other for other, text in sent.items() if other not in (DEFAULT, TABLE) and text == sent[arm])


# What Open MPI makes of other collectives: under rules these are what the rules say, where it is forced what the library picks.
MADE_OF_OTHERS = {("allgather", "linear"), ("allreduce", "reduce_bcast"), ("reduce_scatter", "non_overlapping"), ("reduce_scatter_block", "linear")}


def followed(plan: Plan, results: Results) -> bool | None:
    """None: it cannot be told."""
    if plan.sends is not None:
        return parse_outcome(results.sent.get(key_of(plan), {}).get(TABLE, "").split()).matrix == plan.sends
    if plan.choice in who_ran(results, key_of(plan), TABLE):
        return True
    return None if (plan.cell.collective, plan.choice.split(":")[0]) in MADE_OF_OTHERS else False


def missing_arm(plan: Plan, results: Results) -> str | None:
    """Of all that every cell is measured with, what has no time yet."""
    times = results.times_us.get(key_of(plan), {})
    has_rival = any(times.get(arm) for arm in plan.forced)
    return next((arm for arm in (DEFAULT, TABLE) if not times.get(arm)), None if has_rival else plan.choice)


def judge(plan: Plan, table: Table, results: Results) -> Verdict:
    key = key_of(plan)
    return judge_times(plan, [*plan.forced, *plan.han], results.times_us[key], table.predicted_us[plan.cell],
                       followed(plan, results), who_ran(results, key, DEFAULT))
