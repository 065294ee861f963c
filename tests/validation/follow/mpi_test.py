"""The installed Open MPI against our algorithms, by the messages that it really sends."""
import collections
import itertools
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", ".."))
from validation.follow import classic, probe  # noqa: E402
from validation.follow.library import REDUCTIONS, Library, make_call, parts_of  # noqa: E402
from validation.mpi.rules import COLLECTIVE_OF_ID, RulesError, read_rules  # noqa: E402

TUTTI = os.path.join(os.environ["TUTTI_BUILD"], "tutti")
ROOTED = {"bcast", "gather", "reduce", "scatter"}
RANKS = range(2, 10) if os.environ.get("TUTTI_SLOW_TESTS") else (2, 3, 5, 8)
VARIABLE = {"segment": "coll_tuned_{}_algorithm_segmentsize", "fanout": "coll_tuned_{}_algorithm_chain_fanout",
            "radix": "coll_tuned_{}_algorithm_knomial_radix", "window": "coll_tuned_{}_algorithm_max_requests"}
# What is forced on the parts of algorithms that call other collectives: what the parameter says, or, where none does, this.
PART = {"gather": "linear", "bcast": "linear", "reduce": "binomial", "scatter": "binomial"}
IN_ORDER = {"linear", "in_order_binary"}  # reductions that do not need the operator to commute


def counts(collective, ranks):
    return [0] if collective == "barrier" else sorted({1, ranks - 1, ranks, 3 * ranks + 1, 1000})


def few_counts(_, ranks):
    return [ranks, 3 * ranks + 1]


def values(parameter):
    """The default, and others small enough to matter at these counts."""
    return {"segment": [parameter["default"], 24, 1000], "fanout": [parameter["default"], 1, 3],
            "radix": [parameter["default"], 2, 5], "window": [parameter["default"], 1, 3],
            "reduce": [parameter["default"], 1, 3, 4, 6, 7], "bcast": [parameter["default"], 3, 5, 7, 9],
            "gather": [parameter["default"], 2, 3], "scatter": [parameter["default"], 1, 3]}[parameter["name"]]


def variants(algorithm):
    """[{parameter: value}]: one parameter away from its default at a time."""
    defaults = {parameter["name"]: parameter["default"] for parameter in algorithm["parameters"]}
    found = [defaults]
    for parameter in algorithm["parameters"]:
        found += [{**defaults, parameter["name"]: value} for value in values(parameter)[1:]]
    return found


class OpenMpi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            cls.mpi = probe.installed()
        except probe.ProbeError as error:
            raise unittest.SkipTest(str(error)) from error
        cls.library = Library(TUTTI, cls.mpi.series)

    def ids(self, collective):
        return {algorithm["name"]: identity for identity, algorithm in self.library.algorithms[collective].items()}

    def forced(self, call, algorithm, parameters, runs):
        """The settings that make the library run it; `runs` is what does after fall-backs."""
        settings = {f"coll_tuned_{call.collective}_algorithm": self.ids(call.collective)[algorithm["name"]]}
        for name in parameters.keys() & VARIABLE.keys():
            settings[VARIABLE[name].format(call.collective)] = parameters[name]
        for part in parts_of(call, runs.split(":")[0]):
            if part.collective == "gatherv":  # of which coll/tuned has nothing to say
                continue
            ids = self.ids(part.collective)
            number = parameters.get(part.collective) or ids[PART[part.collective]]
            if part.collective == "reduce" and call.operator == "user" and number not in [ids[name] for name in IN_ORDER]:
                number = ids["linear"]
            settings[f"coll_tuned_{part.collective}_algorithm"] = number
        return settings

    def test_EveryAlgorithmIsInTheRegistryUnderItsId(self):
        info = subprocess.run([os.path.join(os.path.dirname(self.mpi.mpirun), "ompi_info"), "--parsable", "--level", "9",
                               "--param", "coll", "tuned"], capture_output=True, text=True, check=True).stdout
        known = collections.defaultdict(set)
        for collective, identity in re.findall(r"coll_tuned_(\w+)_algorithm:enumerator:value:(\d+):", info):
            known[collective].add(int(identity))
        for collective in COLLECTIVE_OF_ID.values():
            with self.subTest(collective=collective):
                self.assertEqual(known[collective] - {0}, set(self.library.algorithms[collective]))

    def calls_of_every_algorithm(self, collectives, counts, element):
        """[(call, our text, algorithm, parameters)]"""
        for collective in sorted(collectives):
            for _, algorithm in sorted(self.library.algorithms[collective].items()):
                for ranks, parameters in itertools.product(RANKS, variants(algorithm)):
                    text = ":".join([algorithm["name"], *(f"{k}={v}" for k, v in parameters.items())])
                    for count, root, operator in itertools.product(
                            counts(collective, ranks), {0, 1, ranks - 1} if collective in ROOTED else {0},
                            ("sum", "user") if collective in REDUCTIONS else ("sum",)):
                        call = make_call(collective, ranks, count, root, operator)
                        yield call._replace(type=element or call.type), text, algorithm, parameters

    def compare(self, calls, what_differs):
        """Makes the calls, ours and the library's, and fails where what_differs(ours, theirs) says something."""
        calls = list(calls)
        expected = probe.expected(TUTTI, [(call, text) for call, text, _, _ in calls])
        cases = [(*case, ours) for case, ours in zip(calls, expected) if not ours.reason]
        outcomes = self.mpi.run([(call, self.forced(call, algorithm, parameters, ours.choice))
                                 for call, _, algorithm, parameters, ours in cases])
        alike, differing = collections.Counter(), collections.defaultdict(list)
        for (call, text, _, _, ours), theirs in zip(cases, outcomes):
            name, difference = f"{call.collective}/{text.split(':')[0]}", what_differs(ours, theirs)
            alike[name] += not difference
            if difference:
                differing[name].append(f"{' '.join(map(str, call))} {text}: {difference}")
        for call, text, _, _ in calls:
            self.assertGreater(alike[f"{call.collective}/{text.split(':')[0]}"], 0, f"{call.collective} {text} never ran")
        print(f"{sum(alike.values())} calls of {len(alike)} algorithms alike in Open MPI {self.mpi.version}")
        self.maxDiff = None
        self.assertEqual({name: cases[:3] for name, cases in differing.items()}, {})

    def test_EveryAlgorithmSendsWhatOpenMpiSends(self):
        def difference(ours, theirs):
            return ours.matrix != theirs.matrix and (f"the library {probe.matrix_text(theirs.matrix)}; "
                                                     f"ours {probe.matrix_text(ours.matrix)}")
        # Of allgatherv 4.1.4 lets nobody change the algorithm while it runs.
        self.compare(self.calls_of_every_algorithm(set(self.library.algorithms) - {"allgatherv"}, counts, None), difference)

    def test_EveryReductionCombinesInOpenMpisOrder(self):
        def difference(ours, theirs):
            return ours.orders != theirs.orders and f"the library {theirs.orders}; ours {ours.orders}"
        self.compare(self.calls_of_every_algorithm(REDUCTIONS, few_counts, "text"), difference)

    def test_WhereOursDeviatesTheRegistrySaysSo(self):
        for algorithms in self.library.algorithms.values():
            for algorithm in algorithms.values():
                call = make_call(algorithm["collective"], 8, 1)
                if parts_of(call, algorithm["name"]):
                    self.assertIn("Open MPI", algorithm["deviates"], algorithm["name"])

    def run_follow(self, rules, used):
        """{followed: [text, …]} where `rules` are expected and the library has the file `used`."""
        calls = [call for name in rules for ranks in range(2, 9)
                 for call in classic.calls_around_thresholds(rules, name, ranks, 1 << 24)]
        verdicts = {True: [], False: []}
        for call, followed, text in classic.follow(self.library, rules, calls, self.mpi, used):
            verdicts[followed].append(f"{' '.join(map(str, call))}: {text}")
        return verdicts

    def test_ARulesFileIsFollowedOnBothSidesOfEveryThreshold(self):
        path = os.path.join(HERE, "by_hand.rules")
        rules = read_rules(path)
        self.assertEqual(set(rules), set(COLLECTIVE_OF_ID.values()))
        verdicts = self.run_follow(rules, path)
        self.assertEqual(verdicts[False], [])
        self.assertGreater(len(verdicts[True]), 500)

    def test_ATunedAndExportedTableIsFollowedOnBothSidesOfEveryThreshold(self):
        with tempfile.TemporaryDirectory() as folder:
            table, skewed, rules = (os.path.join(folder, name) for name in ("table.json", "skewed.json", "rules"))
            target = {"4.1": "open-mpi-classic", "5.0": "open-mpi-classic-5.0"}[self.mpi.series]
            for arguments in (["tune", "--machine", "example-cluster", "--nodes", "2-8", "--ppn", "1", "--bytes", "16:1M",
                               "--for", f"open-mpi-{self.mpi.series}", "-o", table],
                              ["tune", "--machine", "example-cluster", "--nodes", "2-8", "--ppn", "1", "--bytes", "16:1M",
                               "--collectives", "allgatherv,alltoallv", "--counts", "zipf:1.2", "--confirm", "none",
                               "--for", f"open-mpi-{self.mpi.series}", "-o", skewed],
                              ["export", table, skewed, "--to", target, "-o", rules]):
                done = subprocess.run([TUTTI, *arguments], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
            exported = read_rules(rules)
            self.assertEqual(set(exported), set(COLLECTIVE_OF_ID.values()))
            verdicts = self.run_follow(exported, rules)
        self.assertEqual(verdicts[False], [])
        self.assertGreater(len(verdicts[True]), 100)
        own = sum("the library's own choice" in text for text in verdicts[True])
        self.assertGreater(own, 20)
        self.assertGreater(len(verdicts[True]) - own, 100)
        apart = sum("cannot be told from" not in text for text in verdicts[True])
        print(f"{len(verdicts[True])} calls follow the table; the messages of {apart} are those of that algorithm alone")

    def test_AThresholdThatIsElsewhereIsFound(self):
        text = "1\n7\n1\n2\n2\n0 1 0 0\n{} 3 0 1024\n"
        with tempfile.TemporaryDirectory() as folder:
            paths = {}
            for threshold in (4096, 4097):
                paths[threshold] = os.path.join(folder, f"{threshold}.rules")
                with open(paths[threshold], "w", encoding="utf-8") as file:
                    file.write(text.format(threshold))
            verdicts = self.run_follow(read_rules(paths[4096]), paths[4097])
        self.assertEqual(len(verdicts[False]), 7)  # one for each number of ranks
        for found in verdicts[False]:
            self.assertRegex(found, r"^bcast \d 4096 .*: NOT FOLLOWED: the file says pipeline:segment=1024, the messages "
                                    r"are those of .*\blinear\b")

    def test_AFileThatTheLibraryCannotReadIsNotTakenForFollowed(self):
        with tempfile.NamedTemporaryFile("w", suffix=".rules") as file:
            file.write("rule-file-version-9\n1\n7\n1\n2\n1\n0 3 0 64\n")
            file.flush()
            path = os.path.join(HERE, "by_hand.rules")
            verdicts = self.run_follow({"bcast": read_rules(path)["bcast"]}, file.name)
        self.assertGreater(len(verdicts[False]), 20)

    def test_ARulesFileThatIsNoneIsRefusedWithItsLine(self):
        good = "1\n7\n1\n2\n1\n0 1 0 0\n"
        for text, line, expected in (("", 1, "the number of collectives"), (good[:-2] + "\n", 6, "a segment"), (good[:-1], 6, "a line end"),
                                     (good + "9\n", 7, "the end of the file"), (good.replace("7", "99"), 2, "the id"),
                                     (good.replace("0 1 0 0", "0 1 -1 0"), 6, "a fan-out"),
                                     (good.replace("0 1 0 0", "0 1 x 0"), 6, "a fan-out"),
                                     (good.replace("0 1 0 0", "010 1 0 0"), 6, "a message size"),
                                     (good.replace("1\n0 1", "2\n5 1 0 0\n5 1"), 7, "ascending")):
            with self.subTest(text=text), tempfile.NamedTemporaryFile("w") as file:
                file.write(text)
                file.flush()
                with self.assertRaisesRegex(RulesError, rf"^{re.escape(file.name)}:{line}: expected .*{expected}"):
                    read_rules(file.name)


if __name__ == "__main__":
    unittest.main()
