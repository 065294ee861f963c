"""The man page and the completion say what the program says of itself."""
import re
import shutil
import subprocess
import unittest

from program import ProgramTest


class Manual(ProgramTest):
    def verbs(self):
        return re.findall(r"^  ([a-z]+)  ", self.output("--help").split("Subcommands:")[1], re.M)

    def test_TheManPageHasASectionForEachVerbWithItsOptionsAndExample(self):
        page = self.output("manual").replace("\\-", "-")
        self.assertEqual(re.findall(r"^\.SH ([a-z]+)$", page, re.M), self.verbs())
        for expected in (".B --most-messages", "Example: tutti simulate ", "Exit status: 0 done"):
            self.assertIn(expected, page)

    @unittest.skipUnless(shutil.which("groff"), "no groff here")
    def test_TheManPageIsSoundTroff(self):
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-Kutf8"], input=self.output("manual"), capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def completed(self, *words):
        script = self.write("completion", self.output("completion"))
        shell = f'. ./{script}; COMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1}; _tutti; echo "${{COMPREPLY[@]}}"'
        done = subprocess.run(["bash", "-c", shell], cwd=self.folder, capture_output=True, text=True, check=True)
        return done.stdout.split()

    def test_VerbsOptionsAndFilesAreCompleted(self):
        self.assertEqual(self.completed("tutti", "sim"), ["simulate"])
        self.assertEqual(self.completed("tutti", "simulate", "--mac"), ["--machine"])
        self.write("table.json", "{}")
        self.assertEqual(self.completed("tutti", "export", "tab"), ["table.json"])


if __name__ == "__main__":
    unittest.main()
