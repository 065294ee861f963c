"""What tests of pictures share: a script of plots/ called with a file, and what it draws or says."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TESTS)
import preloaded  # noqa: E402

PLOTS = os.path.join(os.path.dirname(TESTS), "plots")
WHATIF_HEADER = ("system,change,collective,ranks,nodes,ppn,bytes,bytes_simulated,before_algorithm,before_us,after_algorithm,"
                 "after_us,old_algorithm_us,ratio,old_over_best,engine,mode\n")


def changed(change, collective, size, ratio):
    return f"fictional,{change},{collective},8,8,1,{size},{size},ring,1,bruck,1,1,{ratio},1.2,fast,isolated\n"


class Drawn(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def command(self, program, text, out, given="input"):
        with open(self.path(given), "w", encoding="utf-8") as file:
            file.write(text)
        more = ["--native", "ring", "--other", "tuned"] if program == "gain.py" else []
        return [os.path.join(PLOTS, program), self.path(given), "-o", self.path(out), *more]

    def call(self, program, text, out="out", alone=False):
        """`alone`: as somebody types it; else with what is loaded already."""
        command = self.command(program, text, out)
        return subprocess.run(command, capture_output=True, text=True, check=False) if alone else preloaded.run(*command)

    def draw(self, program, text, alone=False):
        done = self.call(program, text, "out.svg", alone)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("out.svg"), encoding="utf-8") as svg:
            return svg.read()

    def draw_both(self, program, text):
        done = self.call(program, text)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("out.png"), "rb") as png, open(self.path("out.svg"), encoding="utf-8") as svg:
            return png.read(), svg.read()

    def refuse(self, program, text, line, expected):
        done = self.call(program, text)
        self.assertEqual(done.returncode, 2, (text, done.stderr))
        self.assertRegex(done.stderr, rf"\A{re.escape(program)}: {re.escape(self.path('input'))}:{line}: .*\n\Z")
        self.assertIn(expected, done.stderr)
        self.assertEqual(os.listdir(self.folder), ["input"])
