"""Medians and their confidence, by the bootstrap: percentile intervals of resampled repetitions (Efron, "Bootstrap
methods: another look at the jackknife", Annals of Statistics 1979)."""
import dataclasses
import math
import random
import statistics
from collections.abc import Callable, Iterable

RESAMPLES = 1000
LEVEL = 0.95


@dataclasses.dataclass(frozen=True)
class Estimate:
    value: float
    low: float
    high: float


def estimate(samples: list[list[float]], function: Callable[[list[float]], float]) -> Estimate:
    """`function` of the samples' medians. The same samples give the same interval."""
    generator = random.Random(1)
    values = sorted(function([statistics.median(generator.choices(sample, k=len(sample))) for sample in samples])
                    for _ in range(RESAMPLES))
    cut = round((1 - LEVEL) / 2 * RESAMPLES)
    return Estimate(function([statistics.median(sample) for sample in samples]), values[cut], values[-1 - cut])


def geometric_mean(values: Iterable[float]) -> float:
    return math.exp(statistics.fmean(math.log(value) for value in values))
