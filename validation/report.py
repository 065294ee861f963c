"""The verdicts as JSON for machines and as Markdown for people."""
import dataclasses
import glob
import json
import os
import subprocess
import sys

from validation import ValidationError
from validation.command import counted, write_beside
from validation.statistics import LEVEL, Estimate
from validation.verdict import DEFAULT, LOSS, SLOWER, TABLE, Summary, Verdict, summarize


def size_text(size: int) -> str:
    for suffix, unit in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {suffix}"
    return f"{size} B"


def time_text(microseconds: float) -> str:
    """In the unit that fits."""
    for unit, factor in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= factor:
            return f"{microseconds / factor:.4g} {unit}"
    return f"{microseconds:.4g} us"


def verdict_json(verdict: Verdict) -> dict:
    cell = verdict.plan.cell
    return {**dataclasses.asdict(cell), "ranks": cell.ranks, "choice": verdict.plan.choice,
            "repetitions": verdict.repetitions, "followed": verdict.followed, "default_ran": verdict.default_ran,
            "best": verdict.best, "median_us": verdict.median_us, "predicted_us": verdict.predicted_us,
            "speedup": dataclasses.asdict(verdict.speedup), "regret": dataclasses.asdict(verdict.regret),
            "error": dataclasses.asdict(verdict.error), "slower": verdict.slower, "recovered": verdict.recovered,
            "rivals": {name: dataclasses.asdict(estimate) for name, estimate in verdict.rivals.items()}}


def report_json(machine: str, verdicts: list[Verdict], summary: Summary, left_out: int, shared: list[tuple[int, int]]) -> str:
    head = {"format": "tutti-validation-1", "machine": machine, "confidence": LEVEL, "left_out": left_out,
            "shared_cores": [{"ranks": ranks, "cores": cores} for ranks, cores in shared], "summary": dataclasses.asdict(summary)}
    cells = ",\n".join("  " + json.dumps(verdict_json(verdict)) for verdict in verdicts)
    return json.dumps(head, indent=1)[:-2] + ',\n "cells": [\n' + cells + "\n ]\n}\n"


def ratio(estimate: Estimate) -> str:
    return f"{estimate.value:.2f} ({estimate.low:.2f} to {estimate.high:.2f})"


def percent(estimate: Estimate) -> str:
    return f"{estimate.value * 100:+.0f} % ({estimate.low * 100:+.0f} to {estimate.high * 100:+.0f})"


def default_text(verdict: Verdict) -> str:
    return " or ".join(verdict.default_ran) or "none of the forced ones"


def summary_lines(summary: Summary, left_out: int) -> list[str]:
    lines = [f"- {counted(summary.cells, 'cell')}; {left_out} more could not be measured, or the library is left to itself there.",
             f"- The library did something else than the table says in {counted(summary.not_followed, 'cell')}.",
             f"- Speed-up over the library's default: {summary.speedup_geometric_mean:.2f} in the geometric mean, "
             f"{summary.speedup_greatest:.1f} at most.",
             f"- Slower than the default by more than {SLOWER * 100:.0f} %, beyond noise: {counted(summary.slower, 'cell')}.",
             f"- Time over that of the best forced algorithm: {summary.regret_mean:.3f} in the mean, "
             f"{summary.regret_worst:.2f} at worst.",
             f"- Predicted against measured: off by {summary.error_table_median * 100:.1f} % in the median for the table's "
             f"choices, {summary.error_forced_median * 100:.1f} % for all forced algorithms."]
    if summary.recovered_mean is not None:
        lines.append(f"- Where the default loses more than {LOSS * 100:.0f} % to the best ({counted(summary.cells_with_loss, 'cell')}), "
                     f"the table recovers {summary.recovered_mean * 100:.0f} % of the loss in the mean.")
    for name, rivalry in summary.rivals.items():
        lines.append(f"- Beside {name}: {rivalry.geometric_mean:.2f} times as fast in the geometric mean; faster in "
                     f"{counted(rivalry.won, 'cell')}, slower in {rivalry.lost}, within noise in {rivalry.tied}.")
    return lines


def shared_cores(folder: str) -> list[tuple[int, int]]:
    """(ranks, cores of their node), where the script, or one of its parts, saw that the ranks are more."""
    found = set()
    for pattern in ("shared-*.txt", os.path.join("part-*", "shared-*.txt")):
        for path in glob.glob(os.path.join(glob.escape(folder), pattern)):
            with open(path, encoding="utf-8") as file:
                ranks, cores = map(int, file.read().split())
                found.add((ranks, cores))
    return sorted(found)


def note_cores(folder: str, ranks: int, cores: int) -> None:
    """As a script does of each node, for shared_cores."""
    path = os.path.join(folder, f"shared-{ranks}.txt")
    if ranks > cores:
        write_beside(path, f"{ranks} {cores}\n")
    elif os.path.exists(path):
        os.remove(path)


def warnings_of(shared: list[tuple[int, int]]) -> list[str]:
    return [f"{counted(ranks, 'rank')} shared the {counted(cores, 'core')} of a node: their times say how they take turns, not what the "
            "network does." for ranks, cores in shared]


def report_markdown(machine: str, verdicts: list[Verdict], summary: Summary, left_out: int, images: list[str],
                    warnings: list[str]) -> str:
    lines = [f"# {machine}: the table against the library's default and its rivals", "",
             *(f"- **{warning}**" for warning in warnings), *summary_lines(summary, left_out), ""]
    for image in images:
        lines += [f"![{image.rsplit('.', 1)[0]}]({image})", ""]
    lines += [f"Times are medians of the slowest rank, intervals are {LEVEL * 100:.0f} % (bootstrap). Speed-up: the default's "
              "time over the table's. Regret: the table's time over that of the best forced algorithm (above 1: time lost; "
              "the same algorithm run twice shows the noise). Error: predicted over measured time of the table's choice.", ""]
    rivals = list(summary.rivals)
    if rivals:
        lines += [f"Beside {', '.join(rivals)}: that one's time over the table's.", ""]
    for collective in sorted({verdict.plan.cell.collective for verdict in verdicts}):
        lines += [f"## {collective}", "",
                  "| ranks | size | default ran | default | table says | table | speed-up | best forced | regret | error |"
                  + "".join(f" {name} |" for name in rivals), "|---" * (10 + len(rivals)) + "|"]
        for verdict in verdicts:
            cell = verdict.plan.cell
            if cell.collective != collective:
                continue
            mark = {True: "", False: " (NOT FOLLOWED)", None: " (cannot be told)"}[verdict.followed]
            lines.append(f"| {cell.ranks} | {size_text(cell.bytes)} | {default_text(verdict)} | "
                         f"{time_text(verdict.median_us[DEFAULT])} | {verdict.plan.choice}{mark} | "
                         f"{time_text(verdict.median_us[TABLE])} | {ratio(verdict.speedup)} | {verdict.best} | "
                         f"{ratio(verdict.regret)} | {percent(verdict.error)} |" +
                         "".join(f" {ratio(verdict.rivals[name]) if name in verdict.rivals else ''} |" for name in rivals))
        lines.append("")
    repetitions = sorted({verdict.repetitions for verdict in verdicts})
    lines.append(f"Repetitions of default, table and all rivals near the best: {repetitions[0]}"
                 + (f" to {repetitions[-1]}" if len(repetitions) > 1 else "") + ".")
    return "\n".join(lines) + "\n"


def draw(folder: str) -> list[str]:
    plots = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "plots", "validation.py")
    done = subprocess.run([sys.executable, "-E", "-s", "-B", plots, os.path.join(folder, "validation.json"), "-o",
                           os.path.join(folder, "validation")], capture_output=True, text=True)
    if done.returncode:
        raise ValidationError(done.stderr.strip())
    return [os.path.basename(line) for line in done.stdout.split() if line.endswith(".png")]


def write_report(folder: str, machine: str, verdicts: list[Verdict], left_out: int, plots: bool, as_json: bool) -> int:
    """validation.json, report.md and pictures; prints the summary, or what validation.json holds. 1 where there is a finding, else 0."""
    summary = summarize(verdicts)
    shared = shared_cores(folder)
    verdicts_json = report_json(machine, verdicts, summary, left_out, shared)
    write_beside(os.path.join(folder, "validation.json"), verdicts_json)
    write_beside(os.path.join(folder, "report.md"),
                 report_markdown(machine, verdicts, summary, left_out, draw(folder) if plots else [], warnings_of(shared)))
    if as_json:
        print(verdicts_json, end="")
    else:
        print("\n".join([*(f"- WARNING: {warning}" for warning in warnings_of(shared)), *summary_lines(summary, left_out)]))
        print(f"report: {os.path.join(folder, 'report.md')}")
    return 1 if summary.not_followed or summary.slower else 0
