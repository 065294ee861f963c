"""What a measurement is expected to save: the knowledge gradient for correlated beliefs (Frazier, Powell, Dayanik, INFORMS Journal on
Computing 2009), of expected times over the cells' present best."""
import numpy

from validation.plan.belief import LEAST_NOISE, Belief

NODES, WEIGHTS = numpy.polynomial.hermite_e.hermegauss(9)


def gains(belief: Belief, weights: numpy.ndarray) -> numpy.ndarray:
    """By number of a time: the sum over cells, with their weights, of the part of the best's time that knowing it is expected to save. 0 for
    what is known."""
    variance = numpy.maximum(numpy.diag(belief.covariance), 0)
    step = belief.covariance / numpy.sqrt(variance + LEAST_NOISE ** 2)
    now = numpy.minimum.reduceat(numpy.exp(belief.mean + variance / 2), belief.starts)
    rest = (variance[:, None] - step * step) / 2
    then = sum(weight * (numpy.minimum.reduceat(numpy.exp(belief.mean[:, None] + step * node + rest), belief.starts, axis=0)
                         * (weights / now)[:, None]).sum(axis=0) for node, weight in zip(NODES, WEIGHTS / WEIGHTS.sum()))
    return numpy.where(belief.known, 0.0, numpy.maximum(weights.sum() - then, 0.0))
