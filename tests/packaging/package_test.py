"""A program of someone else finds, links and uses what `cmake --install` installs."""
import json
import os
import re
import shlex
import subprocess
import tempfile
import unittest

from installed import BUILD, EXAMPLES, built, compiled, of_cache, run

EXAMPLE = os.path.join(EXAMPLES, "average")
PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "program")


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="package-", dir=BUILD)
        cls.addClassCleanup(folder.cleanup)
        cls.folder, cls.prefix = folder.name, os.path.join(folder.name, "prefix")
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.libraries = os.path.join(cls.prefix, of_cache("CMAKE_INSTALL_LIBDIR") or "lib")
        # What the build was told, such as -fsanitize, holds for those who link with it too.
        cls.compiler, cls.flags = of_cache("CMAKE_CXX_COMPILER"), of_cache("CMAKE_CXX_FLAGS")

    def check(self, program):
        output = run(program, LD_LIBRARY_PATH=self.libraries)
        known = len(json.loads(run(os.path.join(BUILD, "tutti"), "list", "--json")))
        self.assertIn(f"{known + 1} algorithms\n", output)
        for line in ("star_of_the_program: proven", "binomial: proven", "exporter open-mpi-classic"):
            self.assertIn(line, output.splitlines())
        times = dict(re.findall(r"^engine (\w+): (.*)$", output, re.MULTILINE))
        self.assertEqual(set(times), {"fast", "simgrid"} if of_cache("TUTTI_SIMGRID") == "ON" else {"fast"})
        self.assertEqual(len(set(times.values())), 1, times)

    def test_AProgramIsBuiltByFindPackage(self):
        self.check(os.path.join(built(self.folder, PROGRAM), "program"))

    def by_pkg_config(self, package, source):
        """What is compiled and linked with the flags that it says."""
        flags, libraries = (shlex.split(run("pkg-config", option, package, PKG_CONFIG_PATH=os.path.join(self.libraries, "pkgconfig")))
                            for option in ("--cflags", "--libs"))
        program = os.path.join(self.folder, package)
        run(self.compiler, *shlex.split(self.flags), compiled(self.folder, source, *flags), "-o", program, *libraries)
        return program

    def test_AProgramIsBuiltByPkgConfig(self):
        self.check(self.by_pkg_config("tutti", os.path.join(PROGRAM, "main.cpp")))

    def test_TheExampleOfTheRuntimeRunsOnSeveralRanks(self):
        by_pkg_config = self.by_pkg_config("tutti-runtime", os.path.join(EXAMPLE, "average.cpp"))
        for program in (os.path.join(built(self.folder, EXAMPLE), "average"), by_pkg_config):
            for ranks, expected in ((1, "1 ranks, average 0, farthest: rank 0\n"), (3, "3 ranks, average 1, farthest: rank 0\n")):
                printed = run(os.path.join(self.prefix, "bin", "tutti"), "launch", "-n", str(ranks), "--", program,
                              LD_LIBRARY_PATH=self.libraries)
                self.assertEqual(printed, expected)

    def test_TheExampleOfASimulationSaysWhatTheProgramDoes(self):
        build = built(self.folder, os.path.join(EXAMPLES, "simulate"))
        printed = run(os.path.join(build, "simulate"), "example-cluster", LD_LIBRARY_PATH=self.libraries)
        self.assertEqual(printed, run(os.path.join(BUILD, "tests", "example_simulate"), "example-cluster"))

    def test_TheRuntimeNeedsNoSimulatorAndNoDatabase(self):
        dynamic = run("readelf", "-d", os.path.join(self.libraries, "libtutti_runtime.so"))
        needed = set(re.findall(r"\(NEEDED\).*\[(lib[a-z_+]+|ld-linux)[^\]]*\]", dynamic))
        # Sanitizers come with what they instrument.
        allowed = {"libhwloc", "libibverbs", "librdmacm", "libstdc++", "libm", "libgcc_s", "libc", "libpthread", "libdl", "ld-linux",
                   "libasan", "libubsan", "libtsan"}
        self.assertIn("libhwloc", needed)
        self.assertEqual(needed - allowed, set())

    def test_TheInstalledProgramRuns(self):
        installed = run(os.path.join(self.prefix, "bin", "tutti"), "list", "--json")
        self.assertEqual(installed, run(os.path.join(BUILD, "tutti"), "list", "--json"))

    def test_AllThatVerbsInPythonUseIsInstalled(self):
        """What they compile, too."""
        def files(root):
            return {os.path.relpath(os.path.join(folder, file), root) for verbs in ("lab", "validation", "plots") for folder, _, names in os.walk(os.path.join(root, verbs))
                    for file in names if not file.endswith(".pyc")}
        self.assertEqual(files(os.path.join(self.prefix, "share", "tutti")), files(os.path.dirname(EXAMPLES)))

    def test_TheManPageAndTheCompletionAreInstalled(self):
        for verb, path in (("manual", "share/man/man1/tutti.1"), ("completion", "share/bash-completion/completions/tutti")):
            with open(os.path.join(self.prefix, path), encoding="utf-8") as file:
                self.assertEqual(file.read(), run(os.path.join(BUILD, "tutti"), verb))

    @unittest.skipUnless(of_cache("TUTTI_SIMGRID") == "ON", "built without SimGrid")
    def test_SimGridIsLoadedOnlyWhereItIsUsed(self):
        program, module = os.path.join(self.prefix, "bin", "tutti"), os.path.join(self.libraries, "libtutti_simgrid.so")
        for file in (program, os.path.join(self.libraries, "libtutti.so")):
            needed = [line for line in run("readelf", "-d", file).splitlines() if "(NEEDED)" in line]
            self.assertTrue(needed)
            self.assertNotIn("simgrid", "".join(needed))
        command = [program, "simulate", "bcast", "--machine", "example-cluster", "--algorithm", "binomial", "--nodes", "3", "--bytes", "1K"]
        self.assertEqual(run(*command, "--engine", "simgrid"), run(*command).replace("fast", "simgrid"))
        os.rename(module, module + ".away")
        try:
            run(*command)
            failed = subprocess.run([*command, "--engine", "simgrid"], capture_output=True, text=True, check=False)
        finally:
            os.rename(module + ".away", module)
        self.assertEqual((failed.returncode, failed.stdout), (3, ""))  # a fault of the installation, not of the input
        self.assertRegex(failed.stderr, r"\Atutti: the SimGrid engine cannot be loaded: libtutti_simgrid\.so: .*\n\Z")

    def test_TheInstalledHeadersCompile(self):
        folder = os.path.join(self.prefix, "include", "tutti")
        headers = [os.path.relpath(os.path.join(path, name), folder) for path, _, names in os.walk(folder) for name in names]
        for public in ("runtime/team.hpp", "sim/engine.hpp", "selection/tune.hpp", "algos/patterns/tree.hpp", "algos/comm.hpp"):
            self.assertIn(public, headers)
        for internal in ("sim/simulation.hpp", "runtime/executor.hpp", "selection/schedule.hpp", "json/document.hpp"):
            self.assertNotIn(internal, headers)
        source = os.path.join(self.folder, "headers.cpp")
        with open(source, "w", encoding="utf-8") as file:
            file.writelines(f'#include "{header}"\n' for header in sorted(headers))
        compiled(self.folder, source, "-std=c++20", f"-I{folder}")


if __name__ == "__main__":
    unittest.main()
