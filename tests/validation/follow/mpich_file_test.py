"""tutti follow with MPICH's selection files: what is asked of the library, and what is refused before it starts."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", ".."))
from validation.follow import mpich_file, mpich_forced, probe  # noqa: E402
from validation.follow.library import make_call  # noqa: E402

TUTTI = os.path.join(os.environ["TUTTI_BUILD"], "tutti")
RULES = {"collective=bcast": {"comm_type=intra": {"avg_msg_size<=2048": {"algorithm=MPIR_Bcast_intra_binomial": {}},
                                                  "avg_msg_size=any": {"algorithm=MPIR_Bcast_intra_scatter_ring_allgather": {}}}},
         "collective=allgather": {"total_msg_size<81920": {"algorithm=MPIR_Allgather_intra_brucks": {}}}}


class MpichFile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.rules = self.write("rules.json", json.dumps(RULES))

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def refused(self, *arguments):
        done = subprocess.run([TUTTI, "follow", *arguments], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        return done.stderr

    def test_CallsAreMadeOnBothSidesOfEachSizeOfABlockAndOfAll(self):
        sizes = mpich_file.sizes_in(self.rules)
        self.assertEqual(sizes, {"bcast": {2048}, "allgather": {81920}})
        counts = [call.count for call in sorted(mpich_file.calls_around(sizes["bcast"], "bcast", 5, 1 << 20))]
        self.assertTrue({2047, 2048, 2049} <= set(counts))
        of_blocks = {call.count for call in mpich_file.calls_around(sizes["allgather"], "allgather", 5, 1 << 20)}
        self.assertTrue({81920 // 5 - 1, 81920 // 5, 81920 // 5 + 1, 81919, 81920, 81921} <= of_blocks)
        self.assertTrue(all(count * 5 <= 1 << 18 for count in
                            (call.count for call in mpich_file.calls_around(sizes["allgather"], "allgather", 5, 1 << 18))))

    def test_WhatCannotBeToldIsExplainedOnlyWhereItIsSo(self):
        self.assertIsNone(mpich_file.stands_for(make_call("allreduce", 5, 100), "ring", 1))
        self.assertIn("rounded up", mpich_file.stands_for(make_call("allreduce", 5, 101), "ring", 1))
        self.assertIsNone(mpich_file.stands_for(make_call("allreduce", 8, 64), "rabenseifner", 1))
        self.assertIn("less than an element a rank", mpich_file.stands_for(make_call("bcast", 8, 7), "linear", 2))
        self.assertIsNone(mpich_file.stands_for(make_call("bcast", 8, 8), "linear", 2))
        self.assertIn("folds", mpich_file.stands_for(make_call("allreduce", 6, 64), "rabenseifner", 1))

    def test_WhatForcesAnAlgorithmIsTheLibrarysOwnNameAndNothingForcesParameters(self):
        forced = {choice: mpich_forced.variable_of(TUTTI, collective, choice) for collective, choice in
                  (("reduce", "rabenseifner"), ("allreduce", "ring"), ("reduce", "in_order_binary"), ("allreduce", "tree"), ("bcast", "linear"))}
        self.assertEqual(forced, {"rabenseifner": ("MPIR_CVAR_REDUCE_INTRA_ALGORITHM", "reduce_scatter_gather"),
                                  "ring": ("MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", "ring"), "in_order_binary": None, "tree": None, "linear": None})

    def test_WhereOursDoNotTellTheLibraryItselfIsAsked(self):
        call, other, unknown = make_call("reduce", 6, 64), make_call("reduce", 6, 128), make_call("reduce", 6, 64, 0, "user")

        class Library:
            environment = {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": "r.json", "MPIR_CVAR_POLLS_BEFORE_YIELD": "1"}

            def run(self, calls):
                asked.append((self.environment, [each for each, _ in calls]))
                return [probe.Outcome({(0, 1): (1, 32)}, {}) for _ in calls]
        asked = []
        doubtful = [(call, "rabenseifner", "it folds", {(0, 1): (1, 32)}), (other, "rabenseifner", "it folds", {(0, 2): (1, 32)}),
                    (unknown, "in_order_binary", "of rank 0", {(0, 1): (1, 32)})]
        found = {each: (followed, text) for each, followed, text in mpich_forced.settle(TUTTI, Library(), doubtful)}
        self.assertEqual(asked, [({"MPIR_CVAR_POLLS_BEFORE_YIELD": "1", "MPIR_CVAR_DEVICE_COLLECTIVES": "none",
                                   "MPIR_CVAR_REDUCE_INTRA_ALGORITHM": "reduce_scatter_gather"}, [call, other])])
        self.assertEqual([found[each][0] for each in (call, other, unknown)], [True, False, None])
        self.assertIn("NOT FOLLOWED: the file says rabenseifner, which is 0>1:32 where it is forced", found[other][1])

    def test_WhatIsNoSelectionFileOrNoLauncherOfItIsRefused(self):
        mpiexec = self.write("mpiexec", "#!/bin/sh\nprintf 'HYDRA build details:\\n    Version:      5.0.2\\n'\n", 0o755)
        self.assertIn("expected MPICH's, there is none beside", self.refused(self.rules, "--mpi", f"{mpiexec} -n 4"))
        self.write("mpicc", "#!/bin/sh\nexit 1\n", 0o755)
        self.assertIn("expected a form of MPICH", self.refused(self.rules, "--mpi", f"{mpiexec} -n 4", "--for", "open-mpi-classic"))
        cut = self.write("cut.json", '{\n "collective=bcast": {')
        self.assertIn("cut.json:2: ", self.refused(cut, "--mpi", f"{mpiexec} -n 4"))
        other = self.write("other.json", '{"collective": "bcast"}')
        self.assertIn("other.json:1: expected a selection file of MPICH", self.refused(other, "--mpi", f"{mpiexec} -n 4"))
        self.assertIn("expected rules for scan, found allgather, bcast",
                      self.refused(self.rules, "--mpi", f"{mpiexec} -n 4", "--collectives", "scan"))
        self.assertIn("expected a command with an mpirun of Open MPI, MPICH or Intel MPI", self.refused(self.rules, "--mpi", "prun -n 4"))


if __name__ == "__main__":
    unittest.main()
