"""Pictures, drawn by the scripts that the program draws with; they need matplotlib."""
from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
from typing import Any

from ._core import InputError
from ._files import write
from ._frames import records
from ._program import TuttiError
from .tables import AnyTable, table_of

HERE = os.path.dirname(os.path.realpath(__file__))
FOLDERS = [os.path.join(HERE, "share", "tutti", "plots"), os.path.join(HERE, "..", "..", "plots")]  # installed; in the sources


class Picture:
    """A picture that notebooks show. `png` and `svg`: its bytes."""

    def __init__(self, png: bytes, svg: bytes):
        self.png, self.svg = png, svg

    def save(self, path: Any) -> None:
        """Writes FILE.png or FILE.svg."""
        path = os.fspath(path)
        data = {".png": self.png, ".svg": self.svg}.get(os.path.splitext(path)[1])
        if data is None:
            raise InputError(f"{path}: expected a name that ends in .png or .svg")
        write(path, data)

    def _repr_png_(self) -> bytes:
        return self.png


def times(rows: Any, over: str = "auto") -> Picture:
    """Times that simulate returned, a line for each algorithm: over "sizes", or over "ranks", then with which algorithm is the
    best at powers of two, other even numbers and odd ones below. "auto": whichever there are more of."""
    kept = records(rows)
    if not kept:
        raise InputError("expected at least one row")
    if over not in ("auto", "sizes", "ranks"):
        raise InputError(f"over '{over}': expected auto, sizes or ranks")
    with tempfile.TemporaryDirectory(prefix="tutti-") as folder:
        path = os.path.join(folder, "times.csv")
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(kept[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(kept)
        return drawn("curves.py", path, folder, ["--over", over])


def selection_map(table: AnyTable) -> Picture:
    """Which algorithm the table, or a file of one, takes for which size and number of processes."""
    with tempfile.TemporaryDirectory(prefix="tutti-") as folder:
        path = os.path.join(folder, "table.json")
        table_of(table).save(path)
        return drawn("selection_map.py", path, folder, [])


def drawn(script: str, path: str, folder: str, options: list[str]) -> Picture:
    scripts = next((f for f in FOLDERS if os.path.exists(os.path.join(f, script))), None)
    if scripts is None:
        raise TuttiError(f"{script} is in none of {', '.join(FOLDERS)}")
    out = os.path.join(folder, "picture")
    done = subprocess.run([sys.executable or shutil.which("python3") or "python3", "-B", os.path.join(scripts, script), path, "-o", out, *options],
                          capture_output=True, text=True, check=False)
    if done.returncode == 2:
        raise InputError(re.sub(rf"^{re.escape(script)}: ", "", done.stderr.strip()).replace(folder + os.sep, ""))
    if done.returncode:
        raise TuttiError(f"{script}: {done.stderr.strip()}")
    with open(out + ".png", "rb") as png, open(out + ".svg", "rb") as svg:
        return Picture(png.read(), svg.read())
