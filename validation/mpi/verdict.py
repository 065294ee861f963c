"""What the measurements say of each cell, and of all together."""
import dataclasses
import math
import statistics

from validation.mpi.arms import DEFAULT, TABLE, Plan
from validation.mpi.results import Results, key_of, who_ran
from validation.mpi.statistics import Estimate, estimate
from validation.mpi.table import Table

SLOWER = 0.05  # a table that costs more than this of the default's time, beyond noise, is a finding
LOSS = 0.10  # where the default loses more than this to the best, the table has something to recover


@dataclasses.dataclass
class Verdict:
    plan: Plan
    repetitions: int
    median_us: dict[str, float]  # by arm
    followed: bool  # the library sent what the table's choice sends
    default_ran: list[str]  # forced algorithms that send what the default sends
    best: str  # the fastest forced algorithm
    speedup: Estimate  # the default's time / the table's
    regret: Estimate  # the table's time / that of the best forced algorithm
    error: Estimate  # predicted time / measured - 1, of the table's choice
    errors: dict[str, float]  # the same of every forced algorithm
    predicted_us: dict[str, float]

    @property
    def slower(self) -> bool:
        return self.speedup.high < 1 / (1 + SLOWER)

    @property
    def recovered(self) -> float | None:
        """The part of the default's loss to the best that the table recovers; None: no loss worth the name."""
        default, best = self.median_us[DEFAULT], self.median_us[self.best]
        if default <= (1 + LOSS) * best:
            return None
        return (default - self.median_us[TABLE]) / (default - best)


def judge(plan: Plan, table: Table, results: Results) -> Verdict:
    key = key_of(plan)
    times = results.times_us[key]
    median = {arm: statistics.median(values) for arm, values in times.items()}
    # Of those dropped early there are few repetitions: too few to be called the best.
    complete = [arm for arm in plan.forced if arm in times and len(times[arm]) == max(len(times[a]) for a in plan.forced)]
    best = min(complete, key=lambda arm: median[arm])
    predicted = table.predicted_us[plan.cell]
    ratio = lambda medians: medians[0] / medians[1]  # noqa: E731
    ran = who_ran(results, key, TABLE)
    return Verdict(
        plan, len(times[TABLE]), median, plan.choice in ran, who_ran(results, key, DEFAULT), best,
        estimate([times[DEFAULT], times[TABLE]], ratio),
        estimate([times[TABLE]] + [times[arm] for arm in complete], lambda medians: medians[0] / min(medians[1:])),
        estimate([times[TABLE]], lambda medians: predicted[plan.choice] / medians[0] - 1),
        {arm: predicted[arm] / median[arm] - 1 for arm in plan.forced if arm in median and arm in predicted},
        {arm: predicted[arm] for arm in plan.forced if arm in predicted})


@dataclasses.dataclass
class Summary:
    cells: int
    not_followed: int
    slower: int
    speedup_geometric_mean: float
    speedup_greatest: float
    regret_mean: float
    regret_worst: float
    error_table_median: float  # of absolute values
    error_forced_median: float
    cells_with_loss: int
    recovered_mean: float | None


def summarize(verdicts: list[Verdict]) -> Summary:
    recovered = [v.recovered for v in verdicts if v.recovered is not None]
    return Summary(
        len(verdicts), sum(not v.followed for v in verdicts), sum(v.slower for v in verdicts),
        math.exp(statistics.mean(math.log(v.speedup.value) for v in verdicts)), max(v.speedup.value for v in verdicts),
        statistics.mean(v.regret.value for v in verdicts), max(v.regret.value for v in verdicts),
        statistics.median(abs(v.error.value) for v in verdicts),
        statistics.median(abs(error) for v in verdicts for error in v.errors.values()),
        len(recovered), statistics.mean(recovered) if recovered else None)
