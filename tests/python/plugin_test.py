"""Algorithms in shared objects: the module has them, and the programs that it starts; what is none is refused."""
import os
import shlex
import subprocess
import sys
import tempfile
import unittest

import module

module.enter()
import tutti  # noqa: E402

from build_module import BUILD, ROOT, of_cache  # noqa: E402

sys.path.insert(0, os.path.join(ROOT, "tests", "packaging"))
from installed import compiled  # noqa: E402


class Plugin(unittest.TestCase):
    """Each in a process of its own, for plug-ins stay where they are loaded."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        with open(os.path.join(ROOT, "examples", "plugin", "star.cpp"), encoding="utf-8") as file:
            cls.text = file.read()
        cls.star = cls.made("star", cls.text)

    @classmethod
    def made(cls, name, text):
        source, library = (os.path.join(cls.folder, f"{name}.{ending}") for ending in ("cpp", "so"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        thing = compiled(cls.folder, source, "-std=c++20", "-fPIC", "-I", os.path.join(BUILD, "include"), "-I", ROOT)
        subprocess.run([of_cache("CMAKE_CXX_COMPILER"), *shlex.split(of_cache("CMAKE_CXX_FLAGS")), "-shared", thing, "-o", library], check=True)
        return library

    def run_python(self, script, **environment):
        done = subprocess.run([sys.executable, "-B", "-c", "import os, tutti\n" + script, self.star], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, **environment})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    REFUSED = """
import sys
def refused(file, text):
    try:
        tutti.load_plugin(file)
    except tutti.InputError as error:
        assert text in str(error), error
    else:
        raise AssertionError(file)
"""

    def test_IsProvenAndSimulatedHereAndTunedByTheProgram(self):
        self.run_python("""
import sys
loaded = tutti.load_plugin("star.so")
assert loaded == tutti.plugins() == [os.path.realpath(sys.argv[1])], loaded
assert tutti.load_plugin(sys.argv[1]) == loaded  # the same once more
assert [one for one in tutti.algorithms("bcast").to_dict("records") if one["name"] == "star" and one["cite"] == "An example"]
verdict, = tutti.verify("star", collective="bcast", ranks="1-9")
assert verdict.ok and verdict.proven > 100, verdict
star, linear = tutti.simulate("bcast", machine="example-cluster", algorithm=["star", "linear"], nodes=5, ppn=1, bytes=8).to_dict("records")
assert star["time_us"] == linear["time_us"] > 0
table = tutti.tune("example-cluster", nodes="5", bytes="8", collectives="bcast", algorithms="star", progress=False)
assert table.rules.to_dict("records")[0]["algorithm"] == "star"

@tutti.algorithm("bcast")
def other(comm, call):
    yield comm.call("bcast/star", call)
assert tutti.verify(other, ranks="1-5")[0].ok
""")

    def test_TheVariableNamesThemToo(self):
        self.run_python("assert tutti.verify('star', collective='bcast', ranks='3')[0].ok", TUTTI_PLUGINS=":" + self.star)

    def test_AfterTheFirstLookAtAlgorithmsItIsRefused(self):
        self.run_python(self.REFUSED + "tutti.algorithms('bcast')\nrefused('star.so', 'before the first look at any algorithm')\n"
                        "assert tutti.plugins() == [] and 'TUTTI_PLUGINS' not in os.environ")

    def test_WhatIsNoneOrTwiceThereIsRefusedAndLeavesNothing(self):
        self.made("twice", self.text.replace('"star"', '"binomial"'))
        self.made("silent", self.text.replace("TUTTI_PLUGIN\n", ""))
        self.made("other", self.text.replace("TUTTI_PLUGIN\n", 'extern "C" void tutti_abi_of_another();\nextern "C" void tutti_plugin() { tutti_abi_of_another(); }\n'))
        self.run_python(self.REFUSED + """
for again in range(2):
    refused("nowhere.so", "expected a plug-in")
    refused("star.cpp", "expected a plug-in")
    refused("silent.so", "one of whose files says TUTTI_PLUGIN")
    refused("twice.so", "bcast/binomial: expected a name that no other algorithm has")
    refused("other.so", "made for another version of Tutti")
tutti.load_plugin("star.so")
names = [one["name"] for one in tutti.algorithms("bcast").to_dict("records")]
assert len(names) == len(set(names)) and names.count("star") == 1, names
""")


if __name__ == "__main__":
    unittest.main()
