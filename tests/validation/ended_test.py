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
        self.table = os.path.join(self.folder, "table.json")
        subprocess.run([TUTTI, "tune", "--machine", "example-cluster", "--nodes", "1", "--ppn", "4", "--bytes", "64", "--collectives", "bcast",
                        "--for", "open-mpi-4.1", "--confirm", "none", "-o", self.table], check=True, capture_output=True, timeout=100)

    def processes(self, launcher):
        """Of the launcher and its rank, once both are there."""
        for _ in range(600):
            if os.path.exists(launcher + ".pids"):
                with open(launcher + ".pids", encoding="utf-8") as file:
                    if len(found := file.read().split()) == 2:
                        return [int(process) for process in found]
            time.sleep(0.05)
        self.fail("the job did not start")

    def start(self, number, text, *words):
        """A validation whose launcher is that script, in a folder of its own; with the processes of its job."""
        folder = os.path.join(self.folder, str(int(number)))
        os.mkdir(folder)
        launcher = os.path.join(folder, "launcher")
        with open(launcher, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(launcher, 0o755)
        validate = subprocess.Popen([TUTTI, "validate", self.table, "-o", os.path.join(folder, "out"), *words, launcher],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(validate.wait)
        self.addCleanup(validate.kill)
        return launcher, validate

    def check(self, numbers, *words, text=LAUNCHER):
        """Beside each other, for each waits. The launchers' paths."""
        started = [(number, *self.start(number, text, *words)) for number in numbers]
        jobs = [(number, validate, self.processes(launcher)) for number, launcher, validate in started]
        for number, validate, processes in jobs:
            for process in processes:
                self.addCleanup(lambda process=process: is_running(process) and os.kill(process, signal.SIGKILL))
            validate.send_signal(number)
        for number, validate, processes in jobs:
            self.assertEqual(validate.wait(30), 128 + number)
            self.assertFalse([process for process in processes if is_running(process)])
        return [launcher for _, launcher, _ in started]

    def test_BySignalsItEndsTheRanksOfTheRuntime(self):
        self.check((signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT), "--launch")

    def test_RanksHaveTimeToEndAfterTheirLauncherHas(self):
        text = LAUNCHER.replace("sleep 100)", "trap 'sleep 0.5; echo in order > \"$0.ended\"; exit' TERM; while :; do sleep 0.05; done)")
        launcher, = self.check((signal.SIGTERM,), "--launch", text=text)
        with open(launcher + ".ended", encoding="utf-8") as file:
            self.assertEqual(file.read(), "in order\n")

    def test_BySignalsItEndsTheScriptAndItsMpi(self):
        self.check((signal.SIGTERM, signal.SIGHUP, signal.SIGINT), "--mpi", "--mpirun")


if __name__ == "__main__":
    unittest.main()
