#!/usr/bin/env python3
"""Prints a graph (Graphviz) of which folder includes which, read from the sources; an arrow that others imply is left out.
`make docs` makes docs/architecture.svg of it."""
import os
import re

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
FOLDERS = {  # what each is for
    "algos": "collectives, written once", "json": "documents that know their lines", "topologies": "fabrics and nodes",
    "models": "machines", "sim": "ranks, message protocol", "sim/proof": "is it correct?", "sim/fast": "own engine",
    "sim/simgrid": "reference engine", "calibration": "measurements in", "sites": "fabrics and schedulers in", "tables": "selection tables",
    "selection": "search, baselines, prices", "exporters": "tuning files of libraries", "runtime": "real memory and networks", "cli": "the program",
    "python": "the module",
}


def home_of(path):
    """The longest of the folders that it is in."""
    return max((folder for folder in FOLDERS if path.startswith(folder + "/")), key=len, default=None)


def sources():
    for top in sorted({folder.split("/")[0] for folder in FOLDERS}):
        for directory, _, names in os.walk(os.path.join(ROOT, top)):
            yield from (os.path.join(directory, name) for name in names if name.endswith((".cpp", ".hpp")))


def included():
    """{folder: the others that its sources include}."""
    found = {folder: set() for folder in FOLDERS}
    for path in sources():
        home = home_of(os.path.relpath(path, ROOT))
        with open(path, encoding="utf-8") as file:
            targets = re.findall(r'^\s*#\s*include\s+"([^"]+)"', file.read(), re.M)
        found[home] |= {home_of(target) for target in targets} - {home, None}
    return found


def reach(graph, folder):
    return {folder}.union(*(reach(graph, other) for other in graph[folder]))


def without_implied(graph):
    return {folder: {other for other in others if not any(other in reach(graph, between) for between in others - {other})}
            for folder, others in graph.items()}


def main():
    print("digraph tutti {")
    print('  node [shape=box, style="rounded,filled", fillcolor="#eef3f8", color="#3b5b7a", fontname="DejaVu Sans", fontsize=10];')
    print('  edge [color="#7a8794", arrowsize=0.7];')
    for folder, purpose in sorted(FOLDERS.items()):
        print(f'  "{folder}" [label=<<b>{folder}</b><br/><font point-size="8">{purpose}</font>>];')
    for folder, others in sorted(without_implied(included()).items()):
        for other in sorted(others):
            print(f'  "{folder}" -> "{other}";')
    print("}")


if __name__ == "__main__":
    main()
