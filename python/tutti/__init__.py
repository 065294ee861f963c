"""Tutti: write a collective once, prove it, simulate it, and pick the best algorithm for a machine.

What runs in this process: machines, simulate, critical_path, verify, algorithms, and tables once they are read. What runs the
program `tutti` that the package brings, and reads what it writes: tune, calibrate, Table.export. Pictures are drawn by the
scripts that `tutti` draws with, and need matplotlib.

Units: times in microseconds where a name ends in `_us`, else in seconds; sizes in bytes, in the `total` convention
(docs/formats.md) unless given as `osu_sizes`. Rows are a pandas frame where pandas is installed, else a list of dictionaries.
Bad input raises InputError, a ValueError whose text names the file and line, and what was expected; an argument of another
type than the signature has, TypeError.
"""
from . import plot
from ._core import Call, Comm, InputError, Machine, Op, View, __version__
from ._plugins import load_plugin, load_those_of_environment, plugins
from ._program import TuttiError
from .algorithm import Algorithm, algorithm, algorithms
from .calibration import Calibration, calibrate
from .machines import figures, machine, machines
from .network import network
from .proof import Refutation, Verdict, verify
from .simulation import SimulatedCall, TuttiWarning, critical_path, simulate
from .tables import Table, diff, read_table, tune

__all__ = ["Algorithm", "Calibration", "Call", "Comm", "InputError", "Machine", "Op", "Refutation", "SimulatedCall", "Table",
           "TuttiError", "TuttiWarning", "Verdict", "View", "__version__", "algorithm", "algorithms", "calibrate", "critical_path",
           "diff", "figures", "load_plugin", "machine", "machines", "network", "plot", "plugins", "read_table", "simulate", "tune", "verify"]

load_those_of_environment()
