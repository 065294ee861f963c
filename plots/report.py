#!/usr/bin/env python3
"""report.py -o PAGE.html: one page about the selection tables of a machine, from what `tutti report` gives it on stdin:
{"tables": [{"file", "table"}], "machine", "links", "call", "residuals": each null where it is not known}. The program has checked all."""
import argparse
import bisect
import collections
import json
import math
import statistics
import sys

import plain
import report_map
import report_network
import report_page
import report_residuals
import space_time
from report_page import tag, text


class Case(collections.namedtuple("Case", "nodes ppn bytes algorithm runs seconds_us defaults_us margin undecided trust")):
    """One tuned case: what the rule takes there, what runs under that name, and what each library's default would take."""
    __slots__ = ()

    @property
    def choice_text(self):
        return plain.with_what_runs(self.algorithm, self.runs)


CLIFFS = 15


def cases_of(table):
    """{collective: [Case]}, sorted by layout and size. The choice is the rule's, its time the cell's."""
    rules = collections.defaultdict(list)
    for rule in table["rules"]:
        rules[rule["collective"], rule["nodes"], rule["ppn"]].append(rule)
    cases = collections.defaultdict(list)
    for cell in table["cells"]:
        of_place = rules[cell["collective"], cell["nodes"], cell["ppn"]]
        rule = of_place[bisect.bisect_right(of_place, cell["bytes"], key=lambda rule: rule["from_bytes"]) - 1]
        cases[cell["collective"]].append(Case(
            cell["nodes"], cell["ppn"], cell["bytes"], rule["algorithm"], plain.what_runs(cell.get("runs", {}), rule["algorithm"]),
            cell["times_us"][rule["algorithm"]], cell.get("defaults_us", {}),
            plain.margin_at(cell["times_us"], cell.get("between_us", {}), cell.get("runs", {}), rule["algorithm"]), cell.get("undecided", []),
            rule.get("trust", "")))
    return cases


def gains_table(cases):
    rows = []
    for collective, of_collective in cases.items():
        libraries = sorted({library for case in of_collective for library in case.defaults_us})
        for library in libraries:
            gains = [(case.defaults_us[library] / case.seconds_us, case) for case in of_collective
                     if case.defaults_us.get(library) and case.seconds_us]
            if not gains:
                continue
            most, where = max(gains, key=lambda gain: gain[0])
            slow = sum(gain > 1.2 for gain, _ in gains)
            rows.append([collective, library, len(gains), round(statistics.geometric_mean(gain for gain, _ in gains), 3),
                         round(100 * slow / len(gains), 1), round(most, 2),
                         f"{place_text(where)}, {plain.size_text(where.bytes)}"])
    if not rows:
        known = any(case.defaults_us for of_collective in cases.values() for case in of_collective)
        return tag("p", "No cell takes any time of which a library's default is known." if known else
                   "The table says no library's default (<code>tutti tune --baselines</code>).")
    return report_page.table(("collective", "library", "cells", "gain, mean", "defaults over 1.2 times as long, %", "gain, most", "where"),
                             rows, "How many times faster than each library's own choice")


def place_text(case):
    return f"{case.nodes} x {case.ppn}"


def cliffs_table(cases):
    """Where the next number of nodes takes much longer, or shorter, for the choice."""
    jumps = []
    for collective, of_collective in cases.items():
        lines = collections.defaultdict(list)
        sizes, _ = report_map.columns_of(of_collective)
        for case, size in zip(of_collective, sizes):
            lines[case.ppn, size].append(case)
        for line in lines.values():
            line.sort()
            for before, after in zip(line, line[1:]):
                if before.seconds_us and after.seconds_us and after.nodes == before.nodes + 1 and before.nodes * before.ppn > 1:
                    jumps.append((after.seconds_us / before.seconds_us, collective, before, after))
    jumps.sort(key=lambda jump: (-abs(math.log(jump[0])), jump[1], jump[2]))
    rows = [[collective, place_text(before), place_text(after), plain.size_text(before.bytes), before.choice_text, after.choice_text,
             round(before.seconds_us, 3), round(after.seconds_us, 3), round(ratio, 2)]
            for ratio, collective, before, after in jumps[:CLIFFS]]
    if not rows:
        return tag("p", "No two neighbouring numbers of nodes with two ranks or more were tuned.")
    return report_page.table(("collective", "nodes x ranks", "next", "size", "choice", "next choice", "us", "next us", "ratio"), rows,
                             "Where one node more or less changes most (cells of the best choices)")


def measured_table(table, cases):
    """Of cells in which something was measured: the choice beside the fastest, and beside its prediction, which the times are not any more
    where they follow measurements."""
    choice = {(collective, case.nodes, case.ppn, case.bytes): case.algorithm for collective, found in cases.items() for case in found}
    rows = []
    for cell in table["cells"]:
        def shown(algorithm, runs=cell.get("runs", {})):
            return plain.with_what_runs(algorithm, plain.what_runs(runs, algorithm))

        measured = {name: value for name, value in cell.get("measured_us", {}).items() if name in cell["times_us"] and value > 0}
        if not measured:
            continue
        name = choice[cell["collective"], cell["nodes"], cell["ppn"], cell["bytes"]]
        best = min(sorted(measured), key=measured.get)
        mine = measured.get(name)
        rows.append([cell["collective"], f"{cell['nodes']} x {cell['ppn']}", plain.size_text(cell["bytes"]), shown(name),
                     round(mine, 3) if mine else "not measured", shown(best), round(measured[best], 3), round(mine / measured[best], 2) if mine else "",
                     round(100 * (cell.get("simulated_us", cell["times_us"])[name] / mine - 1), 1) if mine else ""])
    if not rows:
        return ""
    return tag("section", tag("h2", "What was measured") + report_page.table(
        ("collective", "nodes x ranks", "size", "choice", "us", "fastest measured", "us", "choice over fastest", "predicted over measured, %"), rows,
        f"{len(rows)} of {len(table['cells'])} cells"))


def rules_table(table):
    libraries = sorted({library for rule in table["rules"] for library in rule.get("gains", {})})
    rows = []
    for rule in table["rules"]:
        until = "any" if rule["to_bytes"] is None else rule["to_bytes"]
        gains, choice = rule.get("gains", {}), rule["algorithm"]
        margin = "not decided" if rule.get("undecided") else round(rule["margin"], 3) if rule["runner_up"] else ""
        choice = plain.with_what_runs(choice, " or ".join(rule.get("runs", [choice])))
        rows.append([rule["collective"], rule["nodes"], rule["ppn"], rule["from_bytes"], until, choice,
                     round(rule["predicted_us"], 3), rule["runner_up"] or "", margin,
                     *(round(gains[library], 2) if library in gains else "" for library in libraries), rule.get("trust", "")])
    return report_page.table(("collective", "nodes", "ranks a node", "from, B", "to, B", "choice", "us", "runner-up", "margin",
                              *(f"gain over {library}" for library in libraries), "trust"), rows, f"The {len(rows)} rules")


def figures_of(machine):
    """(path, figures, source, guesses) of every object of the machine that names a source."""
    found = []

    def walk(node, path):
        if isinstance(node, list):
            for index, child in enumerate(node):
                walk(child, f"{path}/{index}")
        elif isinstance(node, dict):
            if "source" in node and path:
                figures = ", ".join(f"{key} {value:g}" for key, value in node.items()
                                    if isinstance(value, (int, float)) and not isinstance(value, bool))
                guess = node.get("guess", False)
                found.append((path, figures, node["source"], "all" if guess is True else ", ".join(guess) if guess else ""))
            for key, child in node.items():
                walk(child, f"{path}/{key}")

    walk(machine, "")
    return found


def machine_section(machine, name):
    if machine is None:
        return tag("p", f"Figures of {text(name)} are not shown: its file was not given (<code>--machine</code>).")
    rows = [list(row) for row in figures_of(machine) if not row[0].startswith(("/fitted", "/calibration", "/published"))]
    guessed = sum(bool(row[3]) for row in rows)
    return (tag("p", text(machine.get("description", ""))) +
            tag("p", f"{guessed} of {len(rows)} groups of figures hold guesses.") +
            report_page.table(("where", "figures", "source", "guessed"), rows, "What the machine's figures are and where they come from"))


def table_section(number, entry):
    table = entry["table"]
    cases = cases_of(table)
    styles = plain.styles_of([report_map.names_of(of_collective) for of_collective in cases.values()])
    facts = [f"{len(table['cells'])} cells, {len(table['rules'])} rules", f"engine {table['engine']}" +
             (f", {table['confirming']} where it is close" if table["confirming"] else ""), f"mode {table['mode']}",
             f"placement {table['placement']}", f"a rule may cost {100 * table['bound']:g} % over the best"]
    if table.get("library"):
        facts.append(f"only what {table['library']} can be told")
    if table.get("loads"):
        facts.append("beside " + ", ".join(table["loads"]) + (f" ({table['robust']} of the times)" if len(table["loads"]) > 1 else "") +
                     (f", {table['statistic']} of the calls" if "statistic" in table else ""))
    if undecided := sum("undecided" in cell for cell in table["cells"]):
        facts.append(f"{undecided} {'cell is' if undecided == 1 else 'cells are'} not decided: something else may be faster there")
    trust = collections.Counter(rule.get("trust", "") or "not said" for rule in table["rules"])
    facts.append("rules by what stands behind them: " + ", ".join(f"{count} {word}" for word, count in sorted(trust.items())))
    notes = "".join(tag("p", text(note), **{"class": "note"}) for note in table.get("notes", []))
    maps = "".join(tag("h3", text(collective)) + report_map.draw(number, collective, of_collective, styles)
                   for collective, of_collective in cases.items())
    return "".join((
        tag("section", tag("h2", text(entry["file"].rsplit("/", 1)[-1])) + tag("ul", "".join(tag("li", text(fact)) for fact in facts)) + notes),
        tag("section", tag("h2", "What it gains") + gains_table(cases)),
        tag("section", tag("h2", "What to use where") +
            tag("p", "Rows: nodes x ranks a node; marked: as many ranks as is no power of two.") + maps),
        tag("section", tag("h2", "Cliffs") + cliffs_table(cases)),
        measured_table(table, cases),
        tag("section", tag("h2", "Rules") + rules_table(table))))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", required=True)
    arguments = parser.parse_args()
    given = json.load(sys.stdin)
    name = given["tables"][0]["table"]["machine"]
    body = "".join(table_section(number, entry) for number, entry in enumerate(given["tables"]))
    if given["call"] is not None:
        body += report_network.call_section(given["call"])
    if given["links"] is not None:
        body += report_network.links_section(given["links"], given["call"])
    if given["residuals"] is not None:
        body += report_residuals.section(given["residuals"])
    body += tag("section", tag("h2", "The machine") + machine_section(given["machine"], name))
    page = report_page.page(f"Collectives on {name}", body, space_time.STYLE)
    plain.write_result(arguments.output, lambda file: file.write(page.encode()))


if __name__ == "__main__":
    plain.run(main)
