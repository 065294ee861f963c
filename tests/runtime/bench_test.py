"""`tutti bench` and who starts it: what is asked for is what is measured, or it is refused."""
import json
import os
import socket
import subprocess
import tempfile
import unittest

TUTTI = os.path.join(os.environ["TUTTI_BUILD"], "tutti")


class Bench(unittest.TestCase):
    def launched(self, ranks, *words, **environment):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "table.plan"), "w", encoding="ascii") as file:
                file.write("bcast 2 8 table\n")
            return subprocess.run([TUTTI, "launch", "-n", str(ranks), "--", TUTTI, "bench", *words], cwd=folder, capture_output=True, text=True, timeout=60,
                                  env={**os.environ, **environment})

    def test_OptionsThatNothingGoesByAreRefused(self):
        for words, said in ((("latency", "--bytes", "8", "--root", "1"), "--root: bench latency does not go by it"),
                            (("copy", "--table", "t.json"), "--table: bench copy does not go by it"),
                            (("bcast", "--bytes", "8", "--within", "2"), "--within: bench bcast does not go by it"),
                            (("barrier", "--bytes", "8"), "--bytes: bench barrier does not go by it"),
                            (("plan", "--plan", "table.plan", "--json"), "--json: bench plan does not go by it"),
                            (("plan",), "bench plan: expected --plan FILE"),
                            (("allreduce", "--bytes", "8", "--root", "1"), "allreduce: expected no root"),
                            (("bcast", "--bytes", "8", "--root", "2"), "root 2: expected a rank of 2")):
            done = self.launched(2, *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(f"tutti: {said}", done.stderr)

    def test_APlanIsOfAsManyRanksAsComeAndOfATableThatIsThere(self):
        done = self.launched(3, "plan", "--plan", "table.plan")
        self.assertEqual(done.returncode, 2)
        self.assertIn("expected a line of 3 ranks, which is how many came", done.stderr)
        done = self.launched(2, "plan", "--plan", "table.plan")
        self.assertEqual(done.returncode, 2)
        self.assertIn("table.plan:1: table: expected --table", done.stderr)

    def test_WhatNoRuleOfTheTableChoseIsSaid(self):
        with tempfile.TemporaryDirectory() as folder:
            table = os.path.join(folder, "t.json")
            subprocess.run([TUTTI, "tune", "--machine", "example-cluster", "--nodes", "1", "--ppn", "2", "--bytes", "64:64", "--collectives", "allreduce",
                            "--algorithms", "ring", "-o", table], check=True, capture_output=True, timeout=60)
            said = f"tutti: {table}: no rule for allreduce --bytes 64 on %s ranks of 1 nodes: measured as without a table\n"
            for ranks, follows in ((2, True), (3, False)):
                done = self.launched(ranks, "allreduce", "--bytes", "64", "--table", table, "--seconds", "0.001", "--json")
                row = json.loads(done.stdout)[0]
                self.assertEqual((row["by_table"], row["algorithm"] == "ring", done.stderr), (follows, follows, "" if follows else said % ranks))

    def test_WhatIsLessThanABlockForEachIsSaid(self):
        done = self.launched(3, "allgather", "--bytes", "1", "--seconds", "0.001")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^1 .*, 0 bytes$")

    def test_ALimitThatNoClockCountsIsRefused(self):
        for limit in ("inf", "1e10", "nan", "0"):
            done = self.launched(2, "barrier", "--seconds", "0.001", TUTTI_LIMIT_SECONDS=limit)
            self.assertEqual(done.returncode, 2, limit)
            self.assertIn(f"TUTTI_LIMIT_SECONDS='{limit}': expected seconds above 0, at most 1e9", done.stderr)
        self.assertEqual(self.launched(2, "barrier", "--seconds", "0.001", TUTTI_LIMIT_SECONDS="1e9").returncode, 0)


    def test_RanksWithOtherTransportsSaySo(self):
        script = f'TUTTI_TRANSPORTS=$([ "$TUTTI_RANK" = 0 ] && echo tcp || echo shm,tcp) exec {TUTTI} bench barrier --seconds 0.001'
        done = subprocess.run([TUTTI, "launch", "-n", "2", "--", "sh", "-c", script], capture_output=True, text=True, timeout=60)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("rank 1 has the transports shm,tcp, rank 0 has the transports tcp: expected the same on all ranks", done.stderr)

    def test_RanksWithAnotherSecretSaySo(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            place = f"127.0.0.1:{free.getsockname()[1]}"
        clean = {name: value for name, value in os.environ.items() if not name.startswith("TUTTI_")}
        ranks = [subprocess.Popen([TUTTI, "bench", "barrier", "--seconds", "0.001"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env={**clean, "TUTTI_RANK": str(rank), "TUTTI_SIZE": "2", "TUTTI_MEETING": place, "TUTTI_LIMIT_SECONDS": "2",
                                       "TUTTI_SECRET": str(rank) * 32}) for rank in range(2)]
        said = [rank.communicate(timeout=60)[1] for rank in ranks]
        self.assertIn("ranks that did not come: 1; one with another TUTTI_SECRET than this rank's is not heard", said[0])
        self.assertIn(f"rank 0 at {place}; if that is not the place, ", said[1])
        self.assertIn("; if it is, TUTTI_SECRET may be another there", said[1])

    def test_WorkIsOnWholeElements(self):
        for what in ("copy", "reduction"):
            for words, said in ((("--bytes", "4098"), "--bytes 4098"), (("--osu-sizes", "8,6"), "--osu-sizes 6"), (("--bytes", "0"), "--bytes 0")):
                done = self.launched(2, what, *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn(f"tutti: {said}: expected a multiple of 4 bytes, at least 4, for {what}", done.stderr)
        self.assertEqual(self.launched(2, "copy", "--bytes", "4,12", "--seconds", "0.001").returncode, 0)

    def test_VariablesThatMakeNoSenseAreBadInputToAllRanks(self):
        for variable, value, transport in (("TUTTI_TCP_SECONDS", "x", "tcp"), ("TUTTI_TCP_EAGER_BYTES", "many", "tcp"), ("TUTTI_CMA", "x", "shm"),
                                           ("TUTTI_TCP_INTERFACE", "nowhere", "tcp"), ("TUTTI_VERBS_GID_INDEX", "x", "verbs,shm"),
                                           ("TUTTI_POLLS", "0", "shm")):
            done = self.launched(2, "barrier", "--seconds", "0.001", "--transports", transport, **{variable: value})
            if "no transport" in done.stderr and transport.startswith("verbs"):
                continue  # built without it
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(variable, done.stderr)

    def test_AnOptionThatSaysNothingIsRefusedByName(self):
        for option in ("--algorithm", "--bytes", "--osu-sizes", "--counts", "--neighbors", "--table", "--transports"):
            done = self.launched(2, "allreduce", option, "")
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(f"tutti: {option}: expected a value, found nothing", done.stderr)
        for what in ("allreduce", "latency", "copy"):
            for option in ("--bytes", "--osu-sizes"):
                done = self.launched(2, what, option, "-8")
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn(f"tutti: {option}: ", done.stderr)


class Launchers(unittest.TestCase):
    def test_OfAValidationMayHaveBracesOfTheirOwn(self):
        with tempfile.TemporaryDirectory() as folder:
            def tutti(*words):
                return subprocess.run([TUTTI, *words], cwd=folder, capture_output=True, text=True, timeout=120)
            self.assertEqual(tutti("tune", "--machine", "example-cluster", "--nodes", "1", "--ppn", "2", "--bytes", "8", "--collectives", "bcast", "--confirm", "none",
                                   "-o", "t.json").returncode, 0)
            validate = ("validate", "t.json", "--ranks", "2", "--blocks", "1", "--repetitions", "3", "--first", "1", "--no-plots")
            done = tutti(*validate, "-o", "one", "--launch", f"sh -c 'X={{ranks}}; exec {TUTTI} launch -n ${{X}} -- \"$@\"' sh")
            self.assertIn(done.returncode, (0, 1), done.stderr)
            done = tutti(*validate, "-o", "two", "--launch", "sh 'x")
            self.assertEqual(done.returncode, 2)
            self.assertIn("--launch sh 'x: No closing quotation", done.stderr)
            done = tutti(*validate, "-o", "three", "--launch", f"{TUTTI} launch -n 3 --")
            self.assertEqual(done.returncode, 2)
            self.assertIn("expected a line of 3 ranks", done.stderr)
            self.assertEqual([name for name in os.listdir(os.path.join(folder, "three")) if name.endswith(".csv")], [])


if __name__ == "__main__":
    unittest.main()
