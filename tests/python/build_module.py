"""Builds the Python module on the libraries of the build folder, in a virtual environment there; the tests beside use it. Skips, and
so do they, where that needs what is not here: nothing but the compiler may make this fail."""
import os
import re
import subprocess
import sys
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BUILD = os.path.abspath(os.environ["TUTTI_BUILD"])
FOLDER = os.path.join(BUILD, "python")
ENVIRONMENT = os.path.join(FOLDER, "environment")
PYTHON = os.path.join(ENVIRONMENT, "bin", "python")
WHY_NOT = os.path.join(FOLDER, "why_not.txt")
SYSTEM_PYTHON = "/usr/bin/python3"  # Debian's pandas and matplotlib belong to this one, whichever comes first in PATH


def of_cache(name):
    with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as cache:
        found = re.search(rf"^{name}:\w+=(.*)$", cache.read(), re.MULTILINE)
    return found.group(1) if found else ""


def last_line(text):
    return text.strip().splitlines()[-1] if text.strip() else "no reason given"


def run(*command, seconds):
    return subprocess.run(command, capture_output=True, text=True, timeout=seconds, stdin=subprocess.DEVNULL)


def make_environment(folder, *packages):
    """A virtual environment with these packages from the index. Raises SkipTest where it cannot be made."""
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(os.path.join(folder, "bin", "pip")):
        base = SYSTEM_PYTHON if os.path.exists(SYSTEM_PYTHON) else sys.executable
        made = run(base, "-m", "venv", "--clear", "--system-site-packages", folder, seconds=300)
        if made.returncode:
            raise unittest.SkipTest("no virtual environment (Debian: python3-venv): " + last_line(made.stdout + made.stderr))
    missing = [name for name in packages if run(python, "-c", f"import {name.replace('-', '_')}", seconds=60).returncode]
    if missing:
        try:
            done = run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "15",
                       *missing, seconds=300)
        except subprocess.TimeoutExpired:
            raise unittest.SkipTest(f"no package index answers: {', '.join(missing)} cannot be installed") from None
        if done.returncode:
            raise unittest.SkipTest(f"{', '.join(missing)} cannot be installed: " + last_line(done.stderr))
    return python


class Module(unittest.TestCase):
    def test_IsBuilt(self):
        os.makedirs(FOLDER, exist_ok=True)
        try:
            self.build()
        except unittest.SkipTest as reason:
            with open(WHY_NOT, "w", encoding="utf-8") as file:
                file.write(str(reason))
            raise
        if os.path.exists(WHY_NOT):
            os.remove(WHY_NOT)

    def build(self):
        if "-fsanitize" in of_cache("CMAKE_CXX_FLAGS"):
            raise unittest.SkipTest("the libraries are built with sanitizers, the interpreter is not")
        python = make_environment(ENVIRONMENT, "nanobind")
        headers = run(python, "-c", "import sysconfig; print(sysconfig.get_path('include'))", seconds=60).stdout.strip()
        if not os.path.exists(os.path.join(headers, "Python.h")):
            raise unittest.SkipTest(f"no Python.h in {headers} (Debian: python3-dev)")
        generator = ["-G", "Ninja"] if "ninja" in of_cache("CMAKE_MAKE_PROGRAM") else []
        configured = run("cmake", "-S", os.path.join(ROOT, "python"), "-B", FOLDER, *generator, f"-DTUTTI_BUILD={BUILD}",
                         f"-DPython_EXECUTABLE={python}", f"-DCMAKE_CXX_COMPILER={of_cache('CMAKE_CXX_COMPILER')}",
                         "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_CXX_FLAGS=-O1 -Wno-subobject-linkage",
                         # The headers take the compiler most of its time.
                         "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=6", seconds=300)
        self.assertEqual(configured.returncode, 0, configured.stdout + configured.stderr)
        built = run("cmake", "--build", FOLDER, "-j", "2", seconds=1700)
        self.assertEqual(built.returncode, 0, built.stdout[-20000:] + built.stderr)


if __name__ == "__main__":
    unittest.main()
