"""The limit of frames that wait for a processor is raised for labs, and is again what it was once the last is gone."""
import contextlib
import io
import os
import sys
import tempfile
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(os.path.dirname(HERE)))
from lab import backlog, state  # noqa: E402


class Backlog(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tutti-backlog-test-")
        self.addCleanup(folder.cleanup)
        self.setting = os.path.join(folder.name, "setting")
        for patch in (mock.patch.object(backlog, "SETTING", self.setting), mock.patch.object(state, "ROOT", folder.name + "/labs"),
                      mock.patch.object(backlog, "FORMER", folder.name + "/labs.backlog")):
            patch.start()
            self.addCleanup(patch.stop)

    def write(self, frames):
        with open(self.setting, "w", encoding="ascii") as file:
            file.write(f"{frames}\n")

    def read(self):
        with open(self.setting, encoding="ascii") as file:
            return int(file.read())

    def test_ItIsRaisedForTheFirstLabAndRestoredAfterTheLast(self):
        self.write(1000)
        for lab in ("one", "two"):
            state.create(lab)
            backlog.raise_limit()
            self.assertEqual(self.read(), backlog.FRAMES)
        state.remove("one")
        backlog.restore_limit()
        self.assertEqual(self.read(), backlog.FRAMES)
        state.remove("two")
        backlog.restore_limit()
        self.assertEqual(self.read(), 1000)
        self.assertFalse(os.path.exists(backlog.FORMER))

    def test_WhatIsLargeEnoughStaysAsItIs(self):
        self.write(300_000)
        state.create("one")
        backlog.raise_limit()
        self.assertEqual(self.read(), 300_000)
        state.remove("one")
        backlog.restore_limit()
        self.assertEqual(self.read(), 300_000)

    def test_WhereItCannotBeSetTheLabSaysWhatThatMeans(self):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            backlog.raise_limit()
        self.assertIn("may lose frames", said.getvalue())


if __name__ == "__main__":
    unittest.main()
