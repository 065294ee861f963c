"""What measurements cost, in node-hours."""
import re

from validation import ValidationError
from validation.batch import START_SECONDS
from validation.mpi.arms import JOBS

# A call and what goes with it (a barrier, a setting, the slowest rank's time) for every repetition; and by which factor a call may exceed what
# was predicted.
BESIDE_SECONDS, CAUTION = 0.01, 2.0
LEFT_TO_OTHERS = 2  # of every cell the library's default and the table's choice under its rules are timed, too


def node_hours(text: str) -> float:
    match = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)nh", text)
    if not match or float(match.group(1)) <= 0:
        raise ValidationError(f"--budget {text}: expected node-hours, such as 20nh or 0.5nh")
    return float(match.group(1))


def call_seconds(predicted_us: float, repetitions: int) -> float:
    """Of one arm, the call before the repetitions (which counts messages) included."""
    return (1 + repetitions) * (CAUTION * predicted_us / 1e6 + BESIDE_SECONDS)


class Bill:
    """What arms cost beside those that are already on it: the nodes of a layout are one allocation, the ranks per node jobs in it."""

    def __init__(self, repetitions: int):
        self.repetitions = repetitions
        self.arms: set = set()
        self.cells: set = set()
        self.layouts: set = set()
        self.node_hours = 0.0

    def price(self, cell, arm: str, predicted_us: float, choice_us: float) -> float:
        """In node-hours. `choice_us`: what the table's choice takes in the cell."""
        if (cell, arm) in self.arms:
            return 0.0
        seconds = call_seconds(predicted_us, self.repetitions)
        if cell not in self.cells:
            seconds += (LEFT_TO_OTHERS + 1) * call_seconds(choice_us, self.repetitions)
        if (cell.nodes, cell.ppn) not in self.layouts:
            seconds += len(JOBS) * START_SECONDS
        return cell.nodes * seconds / 3600

    def add(self, cell, arm: str, predicted_us: float, choice_us: float) -> None:
        self.node_hours += self.price(cell, arm, predicted_us, choice_us)
        self.arms.add((cell, arm))
        self.cells.add(cell)
        self.layouts.add((cell.nodes, cell.ppn))
