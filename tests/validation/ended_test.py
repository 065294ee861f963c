"""Whoever ends tutti validate ends the job that it has started."""
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from processes import is_running  # noqa: E402

TUTTI = os.path.join(os.environ["TUTTI_BUILD"], "tutti")
# A launcher with a rank, which say their processes; the rank does not end by itself when the launcher does.
LAUNCHER = '#!/bin/sh\n(echo $(sh -c \'echo $PPID\') >> "$0.pids"; sleep 100) &\necho $$ >> "$0.pids"\nwait\n'


class Ended(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tutti-ended-test-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.table, self.launcher = os.path.join(self.folder, "table.json"), os.path.join(self.folder, "launcher")
        subprocess.run([TUTTI, "tune", "--machine", "example-cluster", "--nodes", "1", "--ppn", "4", "--bytes", "64", "--collectives", "bcast",
                        "--for", "open-mpi-4.1", "--confirm", "none", "-o", self.table], check=True, capture_output=True, timeout=100)
        with open(self.launcher, "w", encoding="utf-8") as file:
            file.write(LAUNCHER)
        os.chmod(self.launcher, 0o755)

    def processes(self):
        """Of the launcher and its rank, once both are there."""
        for _ in range(600):
            if os.path.exists(self.launcher + ".pids"):
                with open(self.launcher + ".pids", encoding="utf-8") as file:
                    if len(found := file.read().split()) == 2:
                        return [int(process) for process in found]
            time.sleep(0.05)
        self.fail("the job did not start")

    def check(self, number, *words):
        validate = subprocess.Popen([TUTTI, "validate", self.table, "-o", os.path.join(self.folder, "out"), *words], stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL)
        self.addCleanup(validate.wait)
        self.addCleanup(validate.kill)
        processes = self.processes()
        for process in processes:
            self.addCleanup(lambda process=process: is_running(process) and os.kill(process, signal.SIGKILL))
        validate.send_signal(number)
        self.assertEqual(validate.wait(30), 128 + number)
        self.assertFalse([process for process in processes if is_running(process)])
        os.remove(self.launcher + ".pids")

    def test_BySignalsItEndsTheRanksOfTheRuntime(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
            self.check(number, "--launch", self.launcher)

    def test_RanksHaveTimeToEndAfterTheirLauncherHas(self):
        with open(self.launcher, "w", encoding="utf-8") as file:
            file.write(LAUNCHER.replace("sleep 100)", "trap 'sleep 0.5; echo in order > \"$0.ended\"; exit' TERM; while :; do sleep 0.05; done)"))
        self.check(signal.SIGTERM, "--launch", self.launcher)
        with open(self.launcher + ".ended", encoding="utf-8") as file:
            self.assertEqual(file.read(), "in order\n")

    def test_BySignalsItEndsTheScriptAndItsMpi(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            self.check(number, "--mpi", "--mpirun", self.launcher)


if __name__ == "__main__":
    unittest.main()
