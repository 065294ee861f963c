"""The session that the README shows is what the program prints."""
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "packaging"))
from installed import compiled, of_cache  # noqa: E402

README = os.path.join(HERE, "..", "..", "README.md")


def session():
    """(command, what it printed) of the first console block after "A session:"."""
    with open(README, encoding="utf-8") as file:
        block = re.search(r"^A session:\n\n```console\n(.*?)^```", file.read(), re.M | re.S).group(1)
    turns = re.split(r"^\$ ", block.replace("\\\n", " "), flags=re.M)[1:]
    return [turn.split("\n", 1) for turn in turns]


class Readme(unittest.TestCase):
    def test_TheSessionIsWhatTheProgramPrints(self):
        path = os.environ["TUTTI_BUILD"] + os.pathsep + os.environ["PATH"]
        self.assertGreaterEqual(len(session()), 3)
        for command, printed in session():
            done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env={**os.environ, "PATH": path}, check=True)
            self.assertEqual(done.stdout, printed, command)

    def test_TheNewAlgorithmCompilesUnderAFreeNameAndIsProvenAsPrinted(self):
        """As a plug-in, of which nothing else has to be built anew."""
        with open(README, encoding="utf-8") as file:
            source = re.search(r"^## A new algorithm is one file\n\n```cpp\n(.*?)^```", file.read(), re.M | re.S).group(1)
        name = re.search(r'TUTTI_ALGORITHM\(bcast, "(\w+)"', source).group(1)
        tutti = os.path.join(os.environ["TUTTI_BUILD"], "tutti")
        listed = subprocess.run([tutti, "list", "bcast"], capture_output=True, text=True, check=True).stdout
        self.assertNotRegex(listed, rf"\b{name}\b")
        with tempfile.TemporaryDirectory() as folder:
            file, library = os.path.join(folder, name + ".cpp"), os.path.join(folder, name + ".so")
            with open(file, "w", encoding="utf-8") as out:
                out.write('#include "algos/plugin.hpp"\n' + source + "TUTTI_PLUGIN\n")
            thing = compiled(folder, file, "-std=c++20", "-fPIC", "-I", os.path.join(os.environ["TUTTI_BUILD"], "include"), "-I", os.path.join(HERE, "..", ".."))
            subprocess.run([of_cache("CMAKE_CXX_COMPILER"), *shlex.split(of_cache("CMAKE_CXX_FLAGS")), "-shared", thing, "-o", library], check=True)
            done = subprocess.run([tutti, "--plugin", library, "verify", "--algorithm", name, "--ranks", "1-17"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("1 algorithm: ", done.stdout)


if __name__ == "__main__":
    unittest.main()
