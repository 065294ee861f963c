"""pip builds the wheel of the sources as they are, and what it installs works, by itself. Minutes where the compiler cache knows the
sources; half an hour where it does not."""
import os
import subprocess
import tempfile
import unittest

import build_module

USE = """
import tutti
rows = tutti.simulate("bcast", machine="example-cluster", algorithm="binomial", nodes=3, bytes=8)
assert len(rows) == 1
if "simgrid" in tutti._core.engine_names():
    assert len(tutti.simulate("bcast", machine="example-cluster", algorithm="binomial", nodes=3, bytes=8, engine="simgrid")) == 1
assert all(verdict.refuted is None for verdict in tutti.verify(collective="bcast", ranks="1-4"))
assert len(tutti.tune("example-cluster", nodes="2-3", bytes="8:64", collectives="bcast").rules) >= 2

@tutti.algorithm("bcast")
def linear(comm, call):
    if comm.rank != call.root:
        yield comm.recv(call.root, call.output)
    else:
        for other in range(comm.size):
            if other != call.root:
                comm.send(other, call.output)

assert tutti.verify(linear, ranks="1-5")[0].ok
assert tutti.__file__.startswith(%r), tutti.__file__
print(tutti.__version__)
"""


class Wheel(unittest.TestCase):
    def test_IsBuiltAndInstalled(self):
        with tempfile.TemporaryDirectory(prefix="wheel-", dir=build_module.BUILD) as folder:
            environment = os.path.join(folder, "environment")
            python = build_module.make_environment(environment, "nanobind", "scikit_build_core")
            wheels = os.path.join(folder, "wheels")
            self.run_it(python, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-w", wheels, build_module.ROOT)
            (wheel,) = os.listdir(wheels)
            bare = os.path.join(folder, "bare")
            self.run_it(python, "-m", "venv", bare)
            self.run_it(os.path.join(bare, "bin", "pip"), "install", "--no-index", os.path.join(wheels, wheel))
            outside = {name: value for name, value in os.environ.items() if not name.startswith(("TUTTI", "PYTHON"))}
            version = self.run_it(os.path.join(bare, "bin", "python"), "-c", USE % bare, cwd=folder, env=outside)
            said = self.run_it(os.path.join(bare, "bin", "tutti"), "--version", cwd=folder, env=outside)
            self.assertEqual(said, "tutti " + version)
            self.assertIn(f"-{version.strip()}-", wheel)
            shown = self.run_it(os.path.join(bare, "bin", "tutti"), "demo", "-o", os.path.join(folder, "demo"), cwd=folder, env=outside)
            self.assertIn("0 algorithms refuted", shown)
            for file in ("table.json", "open-mpi.rules", "report.html"):
                self.assertGreater(os.path.getsize(os.path.join(folder, "demo", file)), 100, file)
            # A verb that is written in Python finds its folder in the package.
            times = os.path.join(folder, "times.png")
            self.run_it(os.path.join(bare, "bin", "tutti"), "simulate", "bcast", "--machine", "example-cluster", "--algorithm", "linear",
                        "--nodes", "2-4", "--bytes", "8", "--plot", times, cwd=folder, env=outside)
            self.assertTrue(os.path.exists(times))

    def run_it(self, *command, **options):
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, **options)
        self.assertEqual(done.returncode, 0, done.stdout[-20000:] + done.stderr[-20000:])
        return done.stdout


if __name__ == "__main__":
    unittest.main()
