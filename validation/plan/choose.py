"""The measurements that save most for what they cost, within a budget."""
from collections.abc import Callable

import numpy

from validation.plan.belief import Belief
from validation.plan.gain import gains

Chosen = tuple[int, int]  # which belief, which of its times
LOOKED_AT = 50  # so many with the largest gains are set against their prices


def choose(beliefs: list[Belief], weights: list[numpy.ndarray], price_of: Callable[[Chosen], float], budget: float,
           take: Callable[[Chosen], None] = lambda _: None) -> list[Chosen]:
    """One after the other, each as if those before were measured as believed. `price_of`: of one beside those taken so far, in the budget's unit;
    `take` is told of each that is chosen. The beliefs are left as if all chosen were measured: `believe()` undoes that."""
    chosen: list[Chosen] = []
    worth = [gains(belief, weight) for belief, weight in zip(beliefs, weights)]
    left = budget

    def affordable(which: int) -> list[tuple[float, float, int]]:
        """Gain for its price, price, which time: of those with the largest gains, the best first."""
        found = []
        for number in numpy.argsort(-worth[which], kind="stable")[:LOOKED_AT]:
            price = price_of((which, int(number)))
            if worth[which][number] > 0 and price <= left:
                found.append((worth[which][number] / price, price, int(number)))
        return sorted(found, key=lambda one: (-one[0], one[2]))

    while offers := {which: found for which in range(len(beliefs)) if (found := affordable(which))}:
        which = max(offers, key=lambda one: (offers[one][0][0], -one))
        at_once = max(1, sum(one == which for one, _ in chosen) // 10)  # gains are found anew for each tenth more
        cells: set = set()
        for _, _, number in offers[which]:
            cell = beliefs[which].times[number].cell
            price = price_of((which, number))
            if len(cells) < at_once and cell not in cells and price <= left:
                cells.add(cell)
                chosen.append((which, number))
                take((which, number))
                left -= price
                beliefs[which].expect(number)
        worth[which] = gains(beliefs[which], weights[which])
    return chosen
