"""What the verbs in Python say where what they write finds no place."""
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
TUTTI = os.path.join(os.environ["TUTTI_BUILD"], "tutti")


class Command(unittest.TestCase):
    def expect_missed(self, done, name):
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, rf"\Atutti {name}: stdout: cannot be written: [^\n]*\n\Z")

    def test_AStdoutThatTakesNoMoreOrIsClosedIsSaid(self):
        self.addCleanup(os.rmdir, folder := tempfile.mkdtemp())
        script = "import sys; sys.path.insert(0, sys.argv[1]); from validation.command import status_of; " \
                 "sys.exit(status_of('tutti verb', lambda: print(int(sys.argv[2]) * 'text') or int(sys.argv[3])))"
        with open("/dev/full", "w", encoding="utf-8") as full:
            for times, status in (("1", "0"), ("1", "1"), ("100000", "0")):  # what one buffer holds, and more
                words = [sys.executable, "-I", "-B", "-c", script, ROOT, times, status]
                self.expect_missed(subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60), "verb")
                self.expect_missed(subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *words], stderr=subprocess.PIPE, text=True, timeout=60), "verb")
            for verb in ("validate", "plan", "follow", "lab"):
                self.expect_missed(subprocess.run([TUTTI, verb, "--help"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60), verb)
            self.expect_missed(subprocess.run([TUTTI, "lab", "status"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60), "lab")
            refused = subprocess.run([TUTTI, "plan", "--budget", "2nh"], cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual((refused.returncode, refused.stderr.count("\n")), (2, 1))
            self.assertIn("expected -o/--output", refused.stderr)  # what is wrong comes first
        reader, writer = os.pipe()
        os.close(reader)
        self.expect_missed(subprocess.run([TUTTI, "lab", "status"], stdout=writer, stderr=subprocess.PIPE, text=True, timeout=60), "lab")
        os.close(writer)

    def test_AFileThatCannotBeWrittenIsNamed(self):
        script = "import sys; sys.path.insert(0, sys.argv[1]); from validation.command import status_of, write_beside; " \
                 "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)); " \
                 "sys.exit(status_of('tutti verb', lambda: write_beside(sys.argv[2], 'text' * 1000)))"
        with tempfile.TemporaryDirectory() as folder:
            for name, why in (("file", "File too large"), ("no/file", "No such file or directory")):
                path = os.path.join(folder, name)
                done = subprocess.run([sys.executable, "-I", "-B", "-c", script, ROOT, path], capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stderr), (2, f"tutti verb: {path}: {why}\n"))
            self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    unittest.main()
