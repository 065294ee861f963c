#!/usr/bin/env python3
"""What a table's picks lose after a part of all measurements, chosen as `tutti plan` chooses them, replayed on measured collectives.
usage: budget_replay.py PREDICTIONS.csv... [--part 0.05] [--rounds 5] [--hindsight] [--csv OUT.csv]

PREDICTIONS.csv as tutti calibrate --predictions writes it, one for each machine: what was measured and what is predicted. A scenario is counted
as in docs/fidelity.md. Every measurement costs the same. The regret is the mean of measured(pick) / measured(best) over all scenarios.
With --hindsight somebody chooses who knows all times beforehand: one after the other those that lower the regret most. So far could a better
choice of what to measure lead; what is then learnt of the other times is the same."""
import argparse
import csv
import math
import os
import sys

import scores  # first: it finds the Python that has matplotlib and numpy

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.path.insert(0, ROOT)  # before plots/, which has a validation, too
import numpy  # noqa: E402
from validation.plan.belief import Belief, Time, learn_scales  # noqa: E402
from validation.plan.choose import choose  # noqa: E402


def tables(paths):
    """measured and predicted, by scenario and algorithm: the fastest of several runs."""
    measured, predicted, near = {}, {}, set()
    for path in paths:
        for key, row in scores.read(path):
            for times, column in ((measured, "measured_us"), (predicted, "time_us")):
                found = times.setdefault(key, {})
                found[row["algorithm"]] = min(float(row[column]), found.get(row["algorithm"], math.inf))
            if row["fitted"] == "1":
                near.add((key, row["algorithm"]))
    keys = [key for key in sorted(measured) if scores.counts(key, measured[key])]
    return {key: measured[key] for key in keys}, predicted, near


def beliefs_of(measured, predicted, near):
    """By machine, one of each collective."""
    machines = {}
    for system in sorted({key.system for key in measured}):
        for collective in sorted({key.collective for key in measured if key.system == system}):
            times = [Time(key, name, name, key.ranks, key.bytes, predicted[key][name], "fitted near" if (key, name) in near else "fitted far")
                     for key in measured if (key.system, key.collective) == (system, collective) for name in sorted(predicted[key])]
            machines.setdefault(system, []).append(Belief(times))
    return machines


def regret(beliefs, measured):
    picked = [belief.times[number] for belief in beliefs for number in belief.picks()]
    return sum(measured[time.cell][time.choice] / min(measured[time.cell].values()) for time in picked) / len(picked)


def replay(paths, part, rounds):
    """Rows: round, measurements so far, mean regret of the picks, mean regret that the beliefs expect."""
    measured, predicted, near = tables(paths)
    machines = beliefs_of(measured, predicted, near)
    beliefs = [belief for found in machines.values() for belief in found]
    weights = [numpy.ones(len(belief.cells)) for belief in beliefs]
    budget = int(part * sum(len(belief.times) for belief in beliefs))

    def row(number, spent):
        expected = numpy.concatenate([belief.regrets() for belief in beliefs]).mean()
        return {"round": number, "measurements": spent, "of": sum(len(belief.times) for belief in beliefs), "scenarios": len(measured),
                "regret": regret(beliefs, measured), "expected_regret": 1 + expected}

    rows, spent = [row(0, 0)], 0
    for number in range(1, rounds + 1):
        chosen = choose(beliefs, weights, lambda _: 1.0, budget * number // rounds - spent)
        for which, time in chosen:
            of = beliefs[which].times[time]
            beliefs[which].observe(time, measured[of.cell][of.choice])
        spent += len(chosen)
        for found in machines.values():
            learn_scales(found)
        rows.append(row(number, spent))
    return rows


def lost(belief, measured):
    picked = [belief.times[number] for number in belief.picks()]
    return sum(measured[time.cell][time.choice] / min(measured[time.cell].values()) - 1 for time in picked)


def in_hindsight(paths, part):
    """A row for each choice: a time, or a cell's pick and its best, whichever lowers the regret most for each measurement."""
    measured, predicted, near = tables(paths)
    beliefs = [belief for found in beliefs_of(measured, predicted, near).values() for belief in found]
    count = sum(len(belief.times) for belief in beliefs)

    def offers_of(belief):
        for number in range(len(belief.times)):
            yield [number]
        for pick in belief.picks():
            cell = belief.times[pick].cell
            yield [pick, belief.place[cell, min(measured[cell], key=measured[cell].get)]]

    def best_of(belief):
        """What is saved for each measurement, how many these are, and the belief after them."""
        now, best = lost(belief, measured), (0.0, 0, belief)
        for numbers in offers_of(belief):
            unknown, more = [number for number in numbers if not belief.known[number]], belief
            for number in dict.fromkeys(unknown):
                more = more.told(number, measured[more.times[number].cell][more.times[number].choice])
            saved = (now - lost(more, measured)) / max(1, len(unknown))
            if saved > best[0]:
                best = saved, len(set(unknown)), more
        return best

    offers, rows, left = [best_of(belief) for belief in beliefs], [], int(part * count)
    while True:
        which = max(range(len(beliefs)), key=lambda one: (offers[one][0] if offers[one][1] <= left else 0.0, -one))
        if not 0 < offers[which][1] <= left:
            return rows
        left -= offers[which][1]
        beliefs[which] = offers[which][2]
        offers[which] = best_of(beliefs[which])
        rows.append({"round": 1, "measurements": int(part * count) - left, "of": count, "scenarios": len(measured), "regret": regret(beliefs, measured)})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("predictions", nargs="+")
    parser.add_argument("--part", type=float, default=0.05)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--hindsight", action="store_true")
    parser.add_argument("--csv", default="-")
    options = parser.parse_args()
    rows = in_hindsight(options.predictions, options.part) if options.hindsight else replay(options.predictions, options.part, options.rounds)
    with (open(options.csv, "w", encoding="utf-8", newline="") if options.csv != "-" else sys.stdout) as out:
        writer = csv.DictWriter(out, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: f"{value:.4f}" if isinstance(value, float) else value for name, value in row.items()} for row in rows)


if __name__ == "__main__":
    main()
