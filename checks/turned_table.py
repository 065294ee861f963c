"""Tables that ask for what is slowest: a library that runs that has read their file."""
import json


def turn(path, largest):
    """The slowest becomes the fastest, and the library's own choice the slowest of all; above `largest` bytes it is the fastest."""
    with open(path, encoding="utf-8") as file:
        table = json.load(file)
    for cell in table["cells"]:
        cell["times_us"] = {name: 1 / time for name, time in cell["times_us"].items()}
        for name in ("least_default_us", "runs", "undecided"):
            cell.pop(name, None)
        times = cell["times_us"].values()
        for library in cell["defaults_us"]:
            cell["defaults_us"][library] = 2 * max(times) if cell["bytes"] <= largest else min(times) / 2
    with open(path, "w", encoding="utf-8") as file:
        json.dump(table, file)
