"""Runs the program in a folder of its own."""
import os
import pty
import subprocess
import tempfile
import unittest

BUILD = os.environ["TUTTI_BUILD"]
TUTTI = os.path.join(BUILD, "tutti")
DEMO = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "demo")


class ProgramTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tutti-cli-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return name

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def call(self, *arguments, program=TUTTI):
        return subprocess.run([program, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=300)

    def on_terminal(self, *arguments):
        """What a terminal is shown on stderr by a call that must succeed."""
        screen, terminal = pty.openpty()
        work = subprocess.Popen([TUTTI, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=terminal)
        os.close(terminal)
        text = b""
        with open(screen, "rb", buffering=0) as shown:
            try:
                while chunk := shown.read(65536):
                    text += chunk
            except OSError:  # what Linux says when nobody has the terminal any more
                pass
        self.assertEqual(work.wait(), 0, text)
        return text.decode()

    def output(self, *arguments):
        """stdout of a call that must succeed."""
        done = self.call(*arguments)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stdout}{done.stderr}")
        return done.stdout

    def machine(self, **replacements):
        """The example cluster in a file, with texts replaced."""
        text = self.output("machine", "example-cluster", "--json")
        for old, new in replacements.items():
            self.assertIn(old, text)
            text = text.replace(old, new, 1)
        return self.write("machine.json", text)
