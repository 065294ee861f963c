"""What the measurements say of each cell, and of all together."""
import dataclasses
import statistics
import typing

from validation.statistics import Estimate, estimate, geometric_mean
from validation.table import Cell

DEFAULT, TABLE = "default", "table"  # the library left to itself; the table's choice
SLOWER = 0.05  # a table that costs more than this of the default's time, beyond noise, is a finding
LOSS = 0.10  # where the default loses more than this to the best, the table has something to recover


class Planned(typing.Protocol):
    """What was to be measured, under an MPI library or the project's own runtime."""
    cell: Cell
    choice: str


@dataclasses.dataclass
class Verdict:
    plan: Planned
    repetitions: int
    median_us: dict[str, float]  # by arm
    followed: bool | None  # the library sent what the table's choice sends; None: that cannot be told
    default_ran: list[str]  # forced algorithms, and arms of coll/han, that send what the default sends
    best: str  # the fastest forced algorithm
    speedup: Estimate  # the default's time / the table's
    regret: Estimate  # the table's time / that of the best forced algorithm
    error: Estimate  # predicted time / measured - 1, of the table's choice
    errors: dict[str, float]  # the same of every forced algorithm
    predicted_us: dict[str, float]
    rivals: dict[str, Estimate] = dataclasses.field(default_factory=dict)  # further ones by name: their time / the table's

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


def ratio(samples: list[float], to_samples: list[float]) -> Estimate:
    return estimate([samples, to_samples], lambda medians: medians[0] / medians[1])


def judge_times(plan: Planned, algorithms: list[str], times: dict[str, list[float]], predicted: dict[str, float],
                followed: bool | None, default_ran: list[str]) -> Verdict:
    """`times`: of DEFAULT, TABLE, and the algorithms, in microseconds."""
    median = {arm: statistics.median(values) for arm, values in times.items()}
    # Of those dropped early there are few repetitions: too few to be called the best.
    found = [arm for arm in algorithms if arm in times]
    complete = [arm for arm in found if len(times[arm]) == max(len(times[a]) for a in found)]
    best = min(complete, key=lambda arm: median[arm])
    return Verdict(
        plan, len(times[TABLE]), median, followed, default_ran, best, ratio(times[DEFAULT], times[TABLE]),
        estimate([times[TABLE]] + [times[arm] for arm in complete], lambda medians: medians[0] / min(medians[1:])),
        estimate([times[TABLE]], lambda medians: predicted[plan.choice] / medians[0] - 1),
        {arm: predicted[arm] / median[arm] - 1 for arm in found if arm in predicted},
        {arm: predicted[arm] for arm in algorithms if arm in predicted})


@dataclasses.dataclass
class Rivalry:
    """The table beside one rival, over all cells that have it. Ties: the interval holds 1."""
    geometric_mean: float  # of the rival's time / the table's
    won: int
    tied: int
    lost: int


def rivalry(estimates: list[Estimate]) -> Rivalry:
    return Rivalry(geometric_mean(one.value for one in estimates),
                   sum(one.low > 1 for one in estimates), sum(one.low <= 1 <= one.high for one in estimates),
                   sum(one.high < 1 for one in estimates))


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
    rivals: dict[str, Rivalry]


def summarize(verdicts: list[Verdict]) -> Summary:
    recovered = [v.recovered for v in verdicts if v.recovered is not None]
    return Summary(
        len(verdicts), sum(v.followed is False for v in verdicts), sum(v.slower for v in verdicts),
        geometric_mean(v.speedup.value for v in verdicts), max(v.speedup.value for v in verdicts),
        statistics.mean(v.regret.value for v in verdicts), max(v.regret.value for v in verdicts),
        statistics.median(abs(v.error.value) for v in verdicts),
        statistics.median(abs(error) for v in verdicts for error in v.errors.values()),
        len(recovered), statistics.mean(recovered) if recovered else None,
        {name: rivalry([v.rivals[name] for v in verdicts if name in v.rivals])
         for name in sorted({name for v in verdicts for name in v.rivals})})
