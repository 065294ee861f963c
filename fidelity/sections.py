"""What fidelity is checked on beside picks on the three supercomputers: schedules known to the last message, one node's
broadcasts, and whether both engines pick the same. Each gives its section of the report and its figures."""
import collections
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "plots"))
import drawing  # noqa: E402

CLOSE = 1.10  # a pick that takes this much longer than the best is as good


def schedule_errors(rows):
    """Relative error of every prediction, by (schedule, ranks, bytes)."""
    return {(row["algorithm"], key.ranks, key.bytes): float(row["time_us"]) / float(row["measured_us"]) - 1 for key, row in rows}


def schedules_section(rows):
    errors = schedule_errors(rows)
    by_name = collections.defaultdict(list)
    for (name, ranks, _), error in sorted(errors.items()):
        by_name[name, ranks].append(error)
    median = statistics.median(abs(error) for error in errors.values())
    text = ("## Schedules known to the last message\n\nSchedgen's schedules run on Azure HC (De Sensi et al., arXiv 2210.15315), "
            "simulated on `azure-hc`, whose figures are fitted to point-to-point measurements alone. Median error "
            f"{median:.1%} over {len(errors)}; predicted over measured, less one:\n\n| schedule | ranks | 16 B | 16 KiB | 16 MiB |\n"
            "|---|---|---|---|---|\n")
    for (name, ranks), found in sorted(by_name.items()):
        text += f"| {name} | {ranks} | " + " | ".join(f"{error:+.0%}" for error in found) + " |\n"
    return text + "\n", median


def cells(rows):
    """(key, pick, best, regret) of every cell of which at least two algorithms were measured."""
    real, model = collections.defaultdict(dict), collections.defaultdict(dict)
    for key, row in rows:
        real[key][row["algorithm"]] = float(row["measured_us"])
        model[key][row["algorithm"]] = float(row["time_us"])
    for key in sorted(real):
        names = sorted(real[key])
        if len(names) > 1:
            best, pick = min(names, key=real[key].get), min(names, key=model[key].get)
            yield key, pick, best, real[key][pick] / real[key][best]


def node_section(rows):
    rows = list(rows)
    found = list(cells(rows))
    close = sum(regret <= CLOSE for *_, regret in found) / len(found)
    errors = [abs(float(row["time_us"]) / float(row["measured_us"]) - 1) for _, row in rows]
    text = ("## Broadcasts in a node and on two\n\nosu_bcast of three algorithms on 2 to 48 ranks of ORFEO THIN, simulated on "
            "`orfeo-thin`, whose figures are fitted to point-to-point measurements alone. The pick is the best or within "
            f"{CLOSE - 1:.0%} of it in {close:.1%} of {len(found)} cells; median time error {statistics.median(errors):.1%}.\n\n"
            "| | cells | within 10 % | mean regret | worst |\n|---|---|---|---|---|\n")
    for name, group in (("one node", [c for c in found if c[0].ranks <= 24]), ("two nodes", [c for c in found if c[0].ranks > 24])):
        regrets = [regret for *_, regret in group]
        text += (f"| {name} | {len(group)} | {sum(r <= CLOSE for r in regrets) / len(regrets):.1%} | {statistics.mean(regrets):.3f} | "
                 f"{max(regrets):.2f} |\n")
    return text + "\n", close


def held_out_section(rows):
    """Runs that nothing was fitted to or decided by."""
    text = ("## Runs outside the file\n\nOther numbers of ranks than any fitted or looked at (PICO's reports; `fidelity/held_out.csv`), on nodes "
            "in order.\n\n| where | algorithm | measured | predicted | ratio |\n|---|---|---|---|---|\n")
    regrets = []
    rows = list(rows)
    for key, row in rows:
        measured, predicted = float(row["measured_us"]), float(row["time_us"])
        text += (f"| {key.system}, {key.collective}, {key.ranks} ranks, {drawing.size_text(key.bytes)} | {row['algorithm']} | "
                 f"{measured / 1000:.1f} ms | {predicted / 1000:.1f} ms | {predicted / measured:.2f} |\n")
    for key, pick, best, regret in cells(rows):
        regrets.append(regret)
        text += f"\nPick for {key.ranks} ranks on {key.system}: {pick}; the best measured: {best} (regret {regret:.2f}).\n"
    return text + "\n", regrets


def engines_section(scenarios, others):
    """`scenarios`: as found with the fast engine; `others`: with SimGrid."""
    picks = {s.key: s for s in others}
    both = [(s, picks[s.key]) for s in scenarios if s.key in picks]
    different = [(a, b) for a, b in both if a.pick != b.pick]
    same = 1 - len(different) / len(both)
    text = (f"## Both engines\n\nThe fast engine and SimGrid pick the same in {same:.1%} of {len(both)} scenarios of at most "
            f"{max(a.key.ranks for a, _ in both)} ranks.\n\n")
    if different:
        text += "| where | fast | SimGrid | regret, fast | regret, SimGrid |\n|---|---|---|---|---|\n"
        for a, b in different:
            text += (f"| {a.key.system}, {a.key.collective}, {a.key.ranks} ranks, {a.key.bytes} bytes | {a.pick} | {b.pick} | "
                     f"{a.regret:.2f} | {b.regret:.2f} |\n")
        text += "\n"
    return text, same
