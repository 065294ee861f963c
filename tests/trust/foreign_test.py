"""Nothing foreign runs, and no link that somebody planted leads a write astray."""
import os
import subprocess
import sys
import tempfile
import unittest

BUILD = os.environ["TUTTI_BUILD"]
TUTTI = os.path.join(BUILD, "tutti")
ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


class Planted(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tutti-trust-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def call(self, *arguments, **environment):
        return subprocess.run([TUTTI, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              env={**os.environ, **environment})


class Modules(Planted):
    def setUp(self):
        super().setUp()
        for module in ("lab", "validation", "json", "argparse", "runpy", "shlex", "statistics", "sitecustomize", "usercustomize"):
            with open(self.path(module + ".py"), "w", encoding="utf-8") as file:
                file.write(f"open({self.path('ran')!r}, 'a').write({module!r} + chr(10))\n")

    def check(self, *arguments, **environment):
        done = self.call(*arguments, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        ran = ""
        if os.path.exists(self.path("ran")):
            with open(self.path("ran"), encoding="utf-8") as file:
                ran = file.read()
        self.assertEqual(ran, "", arguments)

    def test_OfTheCurrentFolderNoneRuns(self):
        for verb in (("lab", "status"), ("lab", "--help"), ("validate", "--help"), ("validate", "--mpi", "--help")):
            self.check(*verb)

    def test_OfPythonPathNoneRuns(self):
        for path in (self.folder, ".", ":", ROOT + ":"):
            self.check("lab", "status", PYTHONPATH=path)
            self.check("validate", "--help", PYTHONPATH=path)

    def test_TheAgentOfALabRunsNoneEither(self):
        sys.path.insert(0, ROOT)
        from lab import host  # pylint: disable=import-outside-toplevel
        agent = self.path("agent")
        with open(agent, "w", encoding="utf-8") as file:
            file.write(host.agent_text("nosuchlab", "/usr/bin/python3"))
        done = subprocess.run(["sh", agent, "h0", "true"], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertFalse(os.path.exists(self.path("ran")))
        self.assertIn("there is no lab nosuchlab", done.stderr)  # so it was this package that ran


class Links(Planted):
    """What a write of FILE goes through before it is renamed has been planted as a link to a file that must not change."""

    def setUp(self):
        super().setUp()
        with open(self.path("victim"), "w", encoding="utf-8") as file:
            file.write("as it was\n")

    def victim_is_as_it_was(self):
        with open(self.path("victim"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "as it was\n")

    def test_OfTheProgramsOwnNumberAreNotFollowed(self):
        script = 'for name in .part .part$$; do ln -s victim "$1$name"; done; file="$1"; shift; exec "$@" -o "$file"'
        table = self.path("table.json")
        tune = [TUTTI, "tune", "--machine", "example-cluster", "--nodes", "2", "--ppn", "1", "--bytes", "64", "--collectives", "bcast"]
        export = [TUTTI, "export", table, "--to", "open-mpi-classic"]
        for name, command in ((table, tune), (self.path("rules"), export)):
            done = subprocess.run(["sh", "-c", script, "sh", name, *command], cwd=self.folder, capture_output=True, text=True,
                                  timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.victim_is_as_it_was()
            self.assertTrue(os.path.isfile(name) and not os.path.islink(name))

    def test_OfPythonsOutputsAreNotFollowed(self):
        os.symlink("victim", self.path("out.part"))
        write = "import sys; sys.path.insert(0, sys.argv[1]); from {0} import {1}; {1}(sys.argv[2], 'text')"
        for module, function in (("validation.command", "write_beside"), ("lab.__main__", "write_output")):
            subprocess.run(["/usr/bin/python3", "-I", "-B", "-c", write.format(module, function), ROOT, self.path("out")], check=True)
            self.victim_is_as_it_was()
            with open(self.path("out"), encoding="utf-8") as file:
                self.assertEqual(file.read(), "text")
            os.remove(self.path("out"))

    def test_AFileThatIsWrittenOverKeepsItsPermissionsAndANewOneHasTheUsualOnes(self):
        table = self.path("table.json")
        make = ["tune", "--machine", "example-cluster", "--nodes", "2", "--ppn", "1", "--bytes", "64", "--collectives", "bcast", "-o", table]
        for mode, before in ((0o644, None), (0o600, 0o600)):
            if before:
                os.chmod(table, before)
            done = subprocess.run(["sh", "-c", 'umask 022; exec "$@"', "sh", TUTTI, *make], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(os.stat(table).st_mode & 0o777, mode)


if __name__ == "__main__":
    unittest.main()
