"""Nothing foreign runs, and no link that somebody planted leads a write astray."""
import glob
import os
import re
import stat
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


class Libraries(Planted):
    """Shared libraries are looked for in folders that are named whole, or from where the program lies, and nowhere else."""

    def built(self):
        patterns = ("tutti", "tutti-mpi-bench", "lib*.so", "sim/simgrid/*.so", "tests/test_*")
        found = [file for pattern in patterns for file in glob.glob(os.path.join(BUILD, pattern)) if os.path.isfile(file) and os.access(file, os.X_OK)]
        self.assertIn(TUTTI, found)
        return found

    def entries(self, file):
        return subprocess.run(["readelf", "-d", file], check=True, capture_output=True, text=True).stdout

    def test_AreNotSearchedInTheCurrentFolder(self):
        for file in self.built():
            for paths in re.findall(r"\(R(?:UN)?PATH\).*\[(.*)\]", self.entries(file)):
                for path in paths.split(":"):
                    self.assertRegex(path, r"^(/|\$ORIGIN(/|$))", f"{file}: {paths}")

    def test_ThatSomebodyPlantedAreNotLoaded(self):
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", self.entries(TUTTI))
        self.assertTrue(needed)
        for name in needed:
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write("no library\n")
        done = self.call("--version")
        self.assertEqual(done.returncode, 0, done.stderr)


class Settings(Planted):
    def test_OfTheCurrentFolderNoneSteersAPictureAndTheUsersOwnDo(self):
        os.mkdir(self.path("mine"))
        for folder, colour in ((".", "ff0000"), ("mine", "00ff00")):
            with open(self.path(os.path.join(folder, "matplotlibrc")), "w", encoding="utf-8") as settings:
                settings.write(f"savefig.facecolor: {colour}\n")
        done = self.call("simulate", "bcast", "--machine", "example-cluster", "--algorithm", "linear", "--nodes", "2", "--bytes", "8",
                         "--plot", "times.svg", MATPLOTLIBRC="mine")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("times.svg"), encoding="utf-8") as file:
            picture = file.read()
        self.assertNotIn("#ff0000", picture)
        self.assertIn("#00ff00", picture)


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

    def test_DoNotDecideAboutPermissionsAndNoFileIsWrittenThatRunsAsItsOwner(self):
        os.chmod(self.path("victim"), 0o4755)
        os.symlink("victim", self.path("out"))
        write = "import os, sys; os.umask(0o022); sys.path.insert(0, sys.argv[1]); from validation.command import write_beside; write_beside(sys.argv[2], 'x')"
        for mode in (0o644, 0o755):  # of a new file; of one that is written over
            subprocess.run(["/usr/bin/python3", "-I", "-B", "-c", write, ROOT, self.path("out")], check=True)
            self.assertEqual(stat.S_IMODE(os.lstat(self.path("out")).st_mode), mode)
            os.chmod(self.path("out"), 0o4755)
        self.victim_is_as_it_was()
        os.chmod(self.path("out"), 0o4755)
        subprocess.run([TUTTI, "tune", "--machine", "example-cluster", "--nodes", "2", "--ppn", "1", "--bytes", "64", "--collectives", "bcast",
                        "-o", self.path("out")], check=True, capture_output=True)
        self.assertEqual(stat.S_IMODE(os.lstat(self.path("out")).st_mode), 0o755)

    def test_WhereThatWasNamedByTheUserAreFollowedByPythonTooAndADeviceOrAPipeStays(self):
        writers = {"validation": "from validation.command import write_output as write",
                   "plots": "import plain; write = lambda path, text: plain.write_output(path, lambda file: file.write(text.encode()))",
                   "python/tutti": "from _files import write"}
        for folder, imported in writers.items():
            places = [ROOT, os.path.join(ROOT, folder)]

            def write(name, imported=imported, places=places):
                subprocess.run(["/usr/bin/python3", "-I", "-B", "-c", f"import sys; sys.path[:0] = {places}; {imported}; "
                                f"write({self.path(name)!r}, 'text')"], check=True, timeout=60)

            for target in ("there", "new"):
                os.symlink(target, self.path("link"))
                if target == "there":
                    with open(self.path("there"), "w", encoding="utf-8"):
                        os.chmod(self.path("there"), 0o640)
                write("link")
                self.assertTrue(os.path.islink(self.path("link")), folder)
                with open(self.path(target), encoding="utf-8") as file:
                    self.assertEqual(file.read(), "text")
                os.remove(self.path("link"))
            self.assertEqual(os.stat(self.path("there")).st_mode & 0o777, 0o640)
            os.mkfifo(self.path("pipe"))
            reader = os.open(self.path("pipe"), os.O_RDONLY | os.O_NONBLOCK)
            os.symlink("pipe", self.path("to_pipe"))
            for name in ("pipe", "to_pipe"):
                write(name)
                self.assertEqual(os.read(reader, 100), b"text", (folder, name))
            os.close(reader)
            self.assertTrue(stat.S_ISFIFO(os.stat(self.path("pipe")).st_mode))
            if os.geteuid() == 0:
                os.mknod(self.path("null"), 0o666 | stat.S_IFCHR, os.makedev(1, 3))
                write("null")
                self.assertTrue(stat.S_ISCHR(os.stat(self.path("null")).st_mode), folder)
            for name in ("there", "new", "pipe", "to_pipe", "null"):
                if os.path.lexists(self.path(name)):
                    os.remove(self.path(name))

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
