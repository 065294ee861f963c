#!/usr/bin/env python3
"""Scores predicted times of measured collectives, and writes docs/fidelity.md with its plot: predicted against measured, and
what the picks cost beside the library's default.

A scenario is one system, collective, number of ranks, ranks per node and size, with at least three algorithms measured and
predicted. Where one was measured more than once, the fastest counts. The pick is the algorithm predicted fastest; its regret
is measured(pick) / measured(best). Rooted collectives below 16 KiB are left out: ranks leave the barrier before them at
different times, which decides what was measured."""
import argparse
import collections
import json
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "plots"))
import drawing  # noqa: E402
import by_nodes  # noqa: E402
import crab  # noqa: E402
import sample  # noqa: E402
import sections  # noqa: E402
from drawing import InputError  # noqa: E402

import matplotlib.pyplot as pyplot  # noqa: E402

COLUMNS = ("system", "collective", "algorithm", "ranks", "ppn", "bytes", "implementation", "measured_us", "time_us", "fitted")
ROOTED, ROOTED_FROM = {"bcast", "scatter", "gather"}, 16384
WORST = 20

# `errors` of all times, `predicted` of those that nothing was fitted to
Scenario = collections.namedtuple("Scenario", "key pick best regret default errors predicted")
Key = collections.namedtuple("Key", "system collective ranks ppn bytes")


def read(path, needed=COLUMNS):
    for number, row in drawing.read_table(path, needed):
        try:
            yield Key(row["system"], row["collective"], int(row["ranks"]), int(row["ppn"]), int(row["bytes"])), row
        except (TypeError, ValueError):
            raise InputError(f"{path}:{number}: expected whole numbers of ranks, ranks per node and bytes") from None


def fastest(times, key, name, value):
    times[key][name] = min(value, times[key].get(name, value))


def counts(key, names):
    return len(names) >= 3 and (key.collective not in ROOTED or key.bytes >= ROOTED_FROM)


def scenarios(predictions, measurements, without=None, most_ranks=0):
    """Of all files of predictions; the defaults come from the file of measurements. `without` leaves out the algorithms whose names
    begin with it, `most_ranks` what was measured on more."""
    real, model, default = (collections.defaultdict(dict) for _ in range(3))
    fitted = set()
    for key, row in predicted_rows(predictions):
        if without and row["algorithm"].startswith(without) or most_ranks and key.ranks > most_ranks:
            continue
        fastest(real, key, row["algorithm"], float(row["measured_us"]))
        fastest(model, key, row["algorithm"], float(row["time_us"]))
        if row["fitted"] == "1":
            fitted.add((key, row["algorithm"]))
    for key, row in read(measurements, ("system", "collective", "algorithm", "ranks", "ppn", "bytes", "median_us")):
        if row["algorithm"] == "default":
            fastest(default, key, "default", float(row["median_us"]))
    found = []
    for key in sorted(real):
        names = sorted(real[key])
        if not counts(key, names):
            continue
        best, pick = min(names, key=real[key].get), min(names, key=model[key].get)
        error = {n: abs(model[key][n] / real[key][n] - 1) for n in names}
        found.append(Scenario(key, pick, best, real[key][pick] / real[key][best],
                              default[key]["default"] / real[key][best] if key in default else None,
                              list(error.values()), [e for n, e in error.items() if (key, n) not in fitted]))
    return found


def quantile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(part * len(values)))]


def score(found):
    regrets, defaults = [s.regret for s in found], [s.default for s in found if s.default]
    slow = [s for s in found if s.default and s.default > 1.2]
    return {"scenarios": len(found), "mean": statistics.mean(regrets), "p95": quantile(regrets, .95),
            "within": sum(r <= 1.05 for r in regrets) / len(regrets),
            "default": statistics.mean(defaults) if defaults else float("nan"),
            "slow": len(slow), "fixed": sum(s.regret <= 1.05 for s in slow),
            "error": statistics.median(e for s in found for e in s.errors),
            "predicted": statistics.median([e for s in found for e in s.predicted] or [float("nan")])}


def missed(found):
    """What of the figures that the project asks of all that was measured, but for Bine's algorithms, is worse: where eight algorithms
    take nearly the same time, which is picked is chance."""
    s = score(found)
    worse = {"mean regret": s["mean"] > 1.04, "95th percentile": s["p95"] > 1.20, "within 5 %": s["within"] < 0.88,
             "slow defaults fixed": s["fixed"] < 60, "median time error": s["error"] > 0.15}
    return [name for name, is_worse in worse.items() if is_worse]


HEAD = ("| | scenarios | mean regret | 95th percentile | within 5 % | default's mean | slow defaults fixed | median time error | of times not fitted |\n"
        "|---|---|---|---|---|---|---|---|---|\n")


def line(name, found):
    s = score(found)
    predicted = f"{s['predicted']:.1%}" if s["predicted"] == s["predicted"] else "–"
    return (f"| {name} | {s['scenarios']} | {s['mean']:.3f} | {s['p95']:.2f} | {s['within']:.1%} | {s['default']:.3f} | "
            f"{s['fixed']} of {s['slow']} | {s['error']:.1%} | {predicted} |\n")


def by(found, *fields):
    groups = collections.defaultdict(list)
    for scenario in found:
        groups[tuple(str(getattr(scenario.key, field)) for field in fields)].append(scenario)
    return sorted(groups.items())


def predicted_rows(paths):
    return (entry for path in paths for entry in read(path))


def errors_by_algorithm(paths):
    ratios = collections.defaultdict(list)
    for key, row in predicted_rows(paths):
        ratios[key.system, key.collective, row["algorithm"]].append(float(row["time_us"]) / float(row["measured_us"]))
    return ratios


def explanation(scenario, notes):
    """The first note that speaks of the scenario."""
    for note in notes:
        if all(str(getattr(scenario.key, field)) in str(values).split(",") for field, values in note["of"].items()
               if field != "pick") and note["of"].get("pick", scenario.pick) == scenario.pick:
            return note["text"]
    return "not explained"


def fits(machines):
    text = "| machine | rows fitted | of the file | which | median error of those |\n|---|---|---|---|---|\n"
    for path in machines:
        with open(path, encoding="utf-8") as file:
            machine = json.load(file)
        fit = machine.get("calibration")
        if fit:
            text += (f"| {machine['name']} | {fit['rows']} | {fit['rows'] / fit['rows_in_file']:.1%} | "
                     f"`{fit['selection']}` | {fit['median_error']:.1%} |\n")
    return text


def unpredicted(arguments):
    """{scenario: algorithms that were measured} where some of them are predicted elsewhere, and none there."""
    rows = list(predicted_rows(arguments.predictions))
    predicted, known = {key for key, _ in rows}, {(key.collective, row["algorithm"]) for key, row in rows}
    missing = collections.defaultdict(set)
    for key, row in read(arguments.measured, ("system", "collective", "algorithm", "ranks", "ppn", "bytes", "median_us")):
        if (key.collective, row["algorithm"]) in known and key not in predicted:
            missing[key].add(row["algorithm"])
    return missing


def missing_section(found, missing):
    """What is not predicted, and what that could change at worst."""
    sizes = collections.defaultdict(list)
    for key in sorted(missing):
        sizes[f"{key.system}, {key.collective}, {key.ranks} ranks, {key.ppn} per node"].append(drawing.size_text(key.bytes))
    where = "; ".join(f"{name}, {', '.join(texts)}" for name, texts in sizes.items())
    wrong = [Scenario(key, "", "", float("inf"), None, *2 * ([float("inf")] * len(names),)) for key, names in missing.items()
             if counts(key, names)]
    worst = score(found + wrong)
    return (f"Measured, but without a prediction here: {where}. Were all of that wrong, {worst['within']:.1%} of the picks would be within "
            f"5 %, and the median time error would be {worst['error']:.1%}.\n\n")


def picks_section(found):
    text = "## Picks\n\n"
    for fields in (("system",), ("system", "collective")):
        text += HEAD + "".join(line(", ".join(names), group) for names, group in by(found, *fields))
        text += (line("**all**", found) if fields == ("system",) else "") + "\n"
    return text


def document(arguments, found):
    with open(arguments.notes, encoding="utf-8") as file:
        notes = json.load(file)
    text = ("# Fidelity: predicted beside measured\n\nWritten by `make fidelity`, from the measured times of forced algorithms on "
            "three supercomputers (PICO, arXiv 2508.16809) and the machines in `models/machines/`. " + __doc__.split("\n\n")[1]
            .replace("\n", " ") + "\n\n")
    missing = unpredicted(arguments)
    if missing:
        text += missing_section(found, missing)
    if arguments.sampled:
        text += sample.__doc__.split("\nusage")[0].replace("\n", " ") + " `TUTTI_FIDELITY_ALL=yes` predicts all.\n\n"
    if arguments.most_ranks:
        text += f"Of at most {arguments.most_ranks} ranks.\n\n"
    text += ("Calls are simulated as PICO measures them: in turn with barriers, the last of four counted, each rank timed from its own "
             "exit. Under Open MPI the barriers are by recursive doubling, for which PICO's rules ask at all sizes: the rank that "
             "comes last leaves first, and the one that differs from it in every bit leaves last, so that a broadcast down a "
             "binomial tree measures the way there and the way back. Small calls take up to twice as long by that, some picks "
             "among small reductions depend on it, and nothing is fitted to it.\n\n")
    text += picks_section(found)
    text += ("All rows are scored as they are labelled, also those of Leonardo's run `2025_03_20___12_52_50`, whose label and placement say "
             "16 ranks on 4 nodes, but whose times are those of 4 ranks (recursive doubling of 32 B to 256 MiB takes within 6 % of what it "
             "took on 4 ranks in run `2025_03_13___15_47_02`); nothing is fitted to it.\n\n")
    text += ("## What was fitted\n\nAll other rows are predictions of figures that were fitted without them; the last column of the tables above is of these "
             "alone. What the model "
             "distinguishes was decided with the whole file in sight: which machines return "
             "memory to the system, from which size memory is mapped (on LUMI the fitted rows alone say: between 32 and 256 MiB), "
             "that the eager limit and the adapters' rate are not fitted, that all ranks of a node of Leonardo share what one rank has (UCX "
             "gives all the same ports), that Open MPI packs what Bruck's all-to-all sends, up to which size blocking sends are eager (on "
             "Leonardo 256 KiB, UCX's default; on MareNostrum 5, whose times show no such limit, as for other sends), that jobs "
             "of several hundred ranks on Leonardo run on what smaller ones do, and that what a "
             "rank of LUMI sends and receives has one limit together. That eager sends of more than 192 bytes end with their acknowledgement on LUMI was seen in fitted rows "
             "(rings of 8 ranks in one group and in several) and found in libfabric, after a look at which rows were wrong. LUMI's rate of "
             "copies beyond the cache came out higher than within it: that stands for what the model lacks, not for the processor.\n\n" + fits(arguments.machine) + "\n")
    text += by_nodes.section(by_nodes.errors(predicted_rows(arguments.predictions)), os.path.basename(os.path.splitext(arguments.output)[0]) + "-nodes.png")
    if arguments.schedules:
        text += sections.schedules_section(read(arguments.schedules))[0]
    if arguments.node:
        text += sections.node_section(read(arguments.node))[0]
    if arguments.crab:
        text += crab.section(arguments.crab)
    if arguments.held_out:
        text += sections.held_out_section([r for path in arguments.held_out for r in read(path)])[0]
    if arguments.simgrid:
        text += sections.engines_section(found, scenarios(arguments.simgrid, arguments.measured))[0]
    if arguments.ablation:
        text += ("## Without an ingredient\n\nEach left out by itself, nothing fitted anew; of at most "
                 f"{arguments.ablation_ranks} ranks. Without barrier skew all ranks leave a barrier at once; without sharing of cables "
                 "each flow has the full rate of the fabric's cables.\n\n" + HEAD)
        for given in arguments.ablation:
            name, _, paths = given.partition("=")
            text += line(name.replace("_", " "), scenarios(paths.split(","), arguments.measured, most_ranks=arguments.ablation_ranks))
        text += "\n"
    text += ("## Claims\n\nPublished claims, each with its band and its test, and measured times of the library's defaults beside those of the "
             "algorithms that the baselines name, are in [claims.md](claims.md).\n\n")
    text += f"## The worst {WORST} picks\n\n| where | pick | best | regret | default's | why |\n|---|---|---|---|---|---|\n"
    for s in sorted(found, key=lambda s: (-s.regret, s.key))[:WORST]:
        where = f"{s.key.system}, {s.key.collective}, {s.key.ranks} ranks, {s.key.ppn} per node, {drawing.size_text(s.key.bytes)}"
        default = f"{s.default:.2f}" if s.default else "–"
        text += f"| {where} | {s.pick} | {s.best} | {s.regret:.2f} | {default} | {explanation(s, notes)} |\n"
    text += ("\n## Predicted over measured, by algorithm\n\n![Predicted against measured](fidelity.png)\n\nWhere "
             "there are fewer elements than ranks, Open MPI's allgather returns at once (0.03 us); the simulated ones still exchange empty "
             "messages.\n\n"
             "| system | collective | algorithm | rows | 10th percentile | median | 90th percentile |\n|---|---|---|---|---|---|---|\n")
    for (system, collective, algorithm), ratios in sorted(errors_by_algorithm(arguments.predictions).items()):
        text += (f"| {system} | {collective} | {algorithm} | {len(ratios)} | {quantile(ratios, .1):.2f} | "
                 f"{statistics.median(ratios):.2f} | {quantile(ratios, .9):.2f} |\n")
    return text


def draw(paths, out):
    points = collections.defaultdict(lambda: collections.defaultdict(list))
    for key, row in predicted_rows(paths):
        points[key.system][key.collective].append((float(row["measured_us"]), float(row["time_us"])))
    figure, axes = pyplot.subplots(1, len(points), figsize=(3.4 * len(points), 3.4), squeeze=False, layout="constrained")
    collectives = sorted({c for panel in points.values() for c in panel})
    for axis, (system, panel) in zip(axes[0], sorted(points.items())):
        for i, collective in enumerate(collectives):
            if collective in panel:
                axis.plot(*zip(*panel[collective]), drawing.MARKERS[i], color=drawing.style_of(i)[0], markersize=2.5,
                          label=collective, linestyle="none")
        ends = [1, 1e8]
        axis.plot(ends, ends, color="black", linewidth=0.6)
        axis.set(xscale="log", yscale="log", xlabel="measured, us", ylabel="predicted, us", title=system)
        for along in (axis.xaxis, axis.yaxis):
            drawing.plain_numbers(along)
        axis.legend(fontsize=6)
    figure.savefig(out, metadata={"Software": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measured", help="CSV of measured collectives, with the library's defaults")
    parser.add_argument("predictions", nargs="+", help="CSV as tutti calibrate --predictions writes it")
    parser.add_argument("--machine", action="append", default=[], help="a machine file, for what it was fitted to")
    parser.add_argument("--notes", required=True, help="JSON: explanations of picks")
    parser.add_argument("--schedules", help="predictions of Schedgen's schedules")
    parser.add_argument("--node", help="predictions of broadcasts in a node and on two")
    parser.add_argument("--crab", action="append", default=[], help="CRAB's runs alone and beside another job, as loaded.py writes them")
    parser.add_argument("--held-out", action="append", default=[], help="predictions of runs outside the measurements")
    parser.add_argument("--simgrid", action="append", default=[], help="predictions as the positional ones, by SimGrid")
    parser.add_argument("--ablation", action="append", default=[], metavar="NAME=CSV,CSV", help="predictions without NAME")
    parser.add_argument("--ablation-ranks", type=int, default=0, help="most ranks of those")
    parser.add_argument("--most-ranks", type=int, default=0, help="what the predictions were limited to")
    parser.add_argument("--sampled", action="store_true", help="the measurements are a sample, as sample.py chooses it")
    parser.add_argument("--strict", action="store_true", help="fail where a figure of all is worse than asked")
    parser.add_argument("-o", "--output", required=True, help="the document; its plot goes beside it, as .png")
    arguments = parser.parse_args()
    found = scenarios(arguments.predictions, arguments.measured)
    if not found:
        raise InputError("no scenario has three algorithms both measured and predicted")
    stem = os.path.splitext(arguments.output)[0]
    draw(arguments.predictions, stem + ".png")
    by_nodes.draw(by_nodes.errors(predicted_rows(arguments.predictions)), stem + "-nodes.png")
    drawing.write_result(arguments.output, lambda file: file.write(document(arguments, found).encode()))
    print(HEAD + line("all", found), end="")
    worse = missed(scenarios(arguments.predictions, arguments.measured, without="bine"))
    if arguments.strict and worse:
        sys.exit("scores.py: worse than asked: " + ", ".join(worse))


if __name__ == "__main__":
    drawing.run(main)
