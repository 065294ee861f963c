"""What is believed of a collective's times: the model's predictions, off by errors that cells near each other share.

The logarithm of measured over predicted time is a Gaussian process: one part is common to all algorithms of a collective, one is an
algorithm's own, and both fade with the distance in size and in ranks; a third part is of each time alone. How large errors are is
learnt from what was measured, by machine and by collective. (Rasmussen, Williams: Gaussian Processes for Machine Learning, 2006.)"""
import copy
import dataclasses
import math
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads for matrices of some hundred rows wait for each other
import numpy  # noqa: E402

# Standard deviations of logarithms, and the distances, in doublings, over which errors fade. Between what the errors of three machines make
# likely (docs/budget.md); the measurements of a plan decide on the scale.
SHARED, OWN, ALONE = 0.30, 0.15, 0.05
SIZE_DOUBLINGS, RANK_DOUBLINGS = 4.0, 1.0
OF_TRUST = {"fitted near": 0.5, "fitted far": 1.0, "guessed": 1.5, "": 1.0}
# So many measurements weigh the scale of 1 for a machine, and a machine's for each of its collectives.
FOR_MACHINE, FOR_COLLECTIVE = 4.0, 2.0
LEAST_NOISE = 0.03


@dataclasses.dataclass(frozen=True)
class Time:
    """One time that may be measured."""
    cell: tuple  # what the choice is made for
    choice: str  # with its parameters
    algorithm: str  # without
    ranks: int
    bytes: int
    predicted_us: float
    trust: str = ""


def prior_covariance(times: list[Time]) -> numpy.ndarray:
    names = {name: number for number, name in enumerate(sorted({time.algorithm for time in times}))}
    algorithm = numpy.array([names[time.algorithm] for time in times])
    size = numpy.array([math.log2(max(1, time.bytes)) for time in times])
    ranks = numpy.array([math.log2(time.ranks) for time in times])
    trust = numpy.array([OF_TRUST[time.trust] for time in times])
    near = numpy.exp(-abs(size[:, None] - size) / SIZE_DOUBLINGS - abs(ranks[:, None] - ranks) / RANK_DOUBLINGS)
    own = (algorithm[:, None] == algorithm) * OWN ** 2
    return (near * (SHARED ** 2 + own) + numpy.eye(len(times)) * ALONE ** 2) * numpy.outer(trust, trust)


class Belief:
    """Of one collective on one machine. `times` stand cell by cell. `mean` and `covariance` are of the logarithms."""

    def __init__(self, times: list[Time]):
        self.times = times
        self.place = {(time.cell, time.choice): number for number, time in enumerate(times)}
        self.starts = numpy.array([number for number, time in enumerate(times) if not number or times[number - 1].cell != time.cell])
        self.cells = [times[start].cell for start in self.starts]
        if len(set(self.cells)) < len(self.cells):
            raise ValueError("the times of a cell do not stand together")
        self.predicted = numpy.log([time.predicted_us for time in times])
        self.prior = prior_covariance(times)
        self.observed: dict[int, tuple[float, float]] = {}  # number: logarithm of the measured time, variance
        self.scale = 1.0
        self.believe()

    def believe(self) -> None:
        self.mean, self.covariance = self.predicted.copy(), self.prior * self.scale
        self.known = numpy.zeros(len(self.times), bool)
        for number, (value, variance) in self.observed.items():
            self._take(number, value, variance)

    def _take(self, number: int, value: float, variance: float) -> None:
        shared = self.covariance[:, number] / math.sqrt(self.covariance[number, number] + variance)
        self.mean = self.mean + shared * (value - self.mean[number]) / math.sqrt(self.covariance[number, number] + variance)
        self.covariance = self.covariance - numpy.outer(shared, shared)
        self.known[number] = True

    def observe(self, number: int, measured_us: float, noise: float = 0.0) -> None:
        """`noise`: the standard deviation of the measured median's logarithm."""
        self.observed[number] = math.log(measured_us), LEAST_NOISE ** 2 + noise ** 2

    def told(self, number: int, measured_us: float) -> "Belief":
        """Another one, which knows one time more."""
        more = copy.copy(self)
        more.known, more.observed = self.known.copy(), dict(self.observed)
        more.observe(number, measured_us)
        more._take(number, *more.observed[number])
        return more

    def expect(self, number: int) -> None:
        """As if it were measured as it is believed: for the choice of what to measure beside it."""
        self._take(number, self.mean[number], LEAST_NOISE ** 2)

    def surprise(self) -> tuple[float, int]:
        """The squared errors of what was measured, in units of what was expected of them before, and how many."""
        numbers = list(self.observed)
        if not numbers:
            return 0.0, 0
        values, variances = (numpy.array(column) for column in zip(*self.observed.values()))
        error = values - self.predicted[numbers]
        return float(error @ numpy.linalg.solve(self.prior[numpy.ix_(numbers, numbers)] + numpy.diag(variances), error)), len(numbers)

    def picks(self) -> list[int]:
        """Of each cell, the number of the time that is expected to be least."""
        expected = self.mean + numpy.diag(self.covariance) / 2
        ends = [*self.starts[1:], len(self.times)]
        return [int(start + numpy.argmin(expected[start:end])) for start, end in zip(self.starts, ends)]

    def regrets(self, draws: int = 400) -> numpy.ndarray:
        """The expected time of each cell's pick over the cell's best, less 1. The same belief gives the same figures."""
        values, vectors = numpy.linalg.eigh(self.covariance)
        normal = numpy.random.default_rng(1).standard_normal((len(self.times), draws))
        # The symmetric root: which eigenvectors a processor's library finds changes nothing but the last digits.
        root = (vectors * numpy.sqrt(numpy.maximum(values, 0))) @ vectors.T
        drawn = self.mean[:, None] + root @ normal
        return numpy.exp(drawn[self.picks()] - numpy.minimum.reduceat(drawn, self.starts, axis=0)).mean(axis=1) - 1


def learn_scales(beliefs: list[Belief]) -> None:
    """How large errors are, from those seen; then each belief anew. `beliefs`: of one machine."""
    seen = [belief.surprise() for belief in beliefs]
    machine = (FOR_MACHINE + sum(square for square, _ in seen)) / (FOR_MACHINE + sum(count for _, count in seen))
    for belief, (square, count) in zip(beliefs, seen):
        belief.scale = (FOR_COLLECTIVE * machine + square) / (FOR_COLLECTIVE + count)
        belief.believe()
