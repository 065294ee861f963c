"""What the installed Open MPI picks by itself against what the baselines say that it picks, by the messages it sends."""
import json
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", ".."))
from validation.follow import probe  # noqa: E402
from validation.follow.library import REDUCTIONS, Library, make_call  # noqa: E402

TUTTI = os.path.join(os.environ["TUTTI_BUILD"], "tutti")
BASELINES = os.path.join(HERE, "..", "..", "..", "selection", "baselines")
RANKS = (2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33) if os.environ.get("TUTTI_SLOW_TESTS") else (2, 3, 4, 5, 7, 8, 9, 17)
LARGEST = 1 << 20  # bytes of a call in all


def calls_around_thresholds(rules, collective, ranks, operator):
    """The calls just below and just above each of the rules' sizes, and a few others."""
    if collective == "barrier":
        return [make_call(collective, ranks, 0)]
    element = 4 if collective in REDUCTIONS else 1
    counts = {1, ranks, 1000}
    for rule in rules["rules"]:
        counts |= {bytes // element - below for bytes, _ in rule.get("by_bytes", []) if bytes for below in (0, 1)}
    blocks = ranks if rules["bytes_of"] == "block" else 1
    return [make_call(collective, ranks, count, 0, operator)
            for count in sorted(counts) if 0 < count and count * element * blocks <= LARGEST]


class OpenMpisDefaults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            cls.mpi = probe.installed()
        except probe.ProbeError as error:
            raise unittest.SkipTest(str(error)) from error
        cls.library = Library(TUTTI, cls.mpi.series)
        cls.baseline = f"default:open-mpi-{cls.mpi.series}"

    def test_TheLibrarySendsWhatItsBaselineSaysOnBothSidesOfItsThresholds(self):
        with open(os.path.join(BASELINES, "open-mpi-4.1.json"), encoding="utf-8") as file:
            rules = json.load(file)["collectives"]
        calls = sorted({call for collective in rules if not collective.startswith("neighbor_") for ranks in RANKS
                        for operator in (("sum", "user") if collective in REDUCTIONS else ("sum",))
                        for call in calls_around_thresholds(rules[collective], collective, ranks, operator)})
        expected = dict(zip(calls, probe.expected(TUTTI, [(call, self.baseline) for call in calls])))
        outcomes = self.mpi.run([(call, {}) for call in calls])
        differing = [f"{' '.join(map(str, call))}: the baseline says {expected[call].choice}, the library sends "
                     f"{probe.matrix_text(outcome.matrix)[:200]}"
                     for call, outcome in zip(calls, outcomes) if outcome.matrix != expected[call].matrix]
        small = [call for call in calls if call.ranks <= 9]
        self.library.prepare({}, small)
        alone = sum(len({label.split(":")[0] for label in self.library.senders_of({}, call, expected[call].matrix)}) == 1
                    for call in small)
        print(f"{len(calls) - len(differing)} of {len(calls)} calls as Open MPI {self.mpi.version} makes them; of the "
              f"{len(small)} with at most 9 ranks, {alone} have the messages of one algorithm alone")
        self.assertEqual(differing[:10], [])
        self.assertGreater(alone, 100)


if __name__ == "__main__":
    unittest.main()
