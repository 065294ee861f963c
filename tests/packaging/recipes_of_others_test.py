"""The recipes for Spack and EasyBuild name what CMake asks for: all of its packages, its options and its version."""
import ast
import glob
import os
import re
import subprocess
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
# What CMake calls a package, and what each of the two calls it. None: it is part of the compiler or of what is there anyway.
SPACK = {"Boost": "boost", "nlohmann_json": "nlohmann-json", "valijson": "valijson", "PkgConfig": "pkgconfig", "hwloc": "hwloc", "libibverbs": "rdma-core",
         "librdmacm": "rdma-core", "fmt": "fmt", "SQLite3": "sqlite", "yaml-cpp": "yaml-cpp", "CLI11": "cli11", "mimalloc": "mimalloc", "Eigen3": "eigen",
         "MPI": "mpi", "Threads": None, "SimGrid": "simgrid"}
EASYBUILD = {"Boost": "Boost", "nlohmann_json": "nlohmann_json", "valijson": "valijson", "PkgConfig": "pkgconf", "hwloc": "hwloc", "fmt": "fmt",
             "SQLite3": "SQLite", "yaml-cpp": "yaml-cpp", "CLI11": "CLI11", "Eigen3": "Eigen", "Threads": None}
LEFT_OUT = {"mimalloc", "MPI", "libibverbs", "librdmacm", "SimGrid"}  # of EasyBuild's: looked for quietly, the toolchain's, or switched off


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def cmake_text():
    tracked = subprocess.run(["git", "-C", ROOT, "ls-files", "*CMakeLists.txt", "cmake/*.cmake"], capture_output=True, text=True)
    paths = tracked.stdout.split() or [os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, "*", "CMakeLists.txt"))]
    return "\n".join(read(path) for path in paths if not path.startswith(("tests/", "python/", "examples/")))


def packages(text):
    found = set(re.findall(r"^\s*find_package\(([\w-]+)", text, re.M))
    for modules in re.findall(r"pkg_check_modules\(\w+ REQUIRED IMPORTED_TARGET ([^)]*)\)", text):
        found |= set(modules.split())
    return found | ({"SimGrid"} if re.search("simgrid", text, re.I) else set())


def options(text):
    return set(re.findall(r"^option\((\w+)", text, re.M))


class Recipes(unittest.TestCase):
    def setUp(self):
        self.text = cmake_text()
        self.version = re.search(r"project\(tutti VERSION ([0-9.]+)", read("CMakeLists.txt"))[1]
        self.packages = packages(self.text)
        self.assertGreaterEqual(len(self.packages), 12)

    def calls(self, tree, name):
        return [node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == name]

    def test_SpacksNamesAllThatIsAskedFor(self):
        tree = ast.parse(read("packaging", "spack", "packages", "tutti", "package.py"))
        self.assertEqual([call.args[0].value for call in self.calls(tree, "version")], [self.version])
        named = {re.split("[@+~]", call.args[0].value)[0] for call in self.calls(tree, "depends_on")}
        self.assertEqual(self.packages - set(SPACK), set(), "packages that the table above does not know")
        self.assertEqual({SPACK[one] for one in self.packages if SPACK[one]} - named, set())
        given = {call.args[0].value for name in ("define", "define_from_variant") for call in self.calls(tree, name)}
        self.assertEqual({one for one in given if one.startswith("TUTTI_")}, options(read("CMakeLists.txt")))
        variants = {call.args[0].value for call in self.calls(tree, "variant")}
        self.assertLessEqual({call.args[1].value for call in self.calls(tree, "define_from_variant")}, variants)
        conditions = {keyword.value.value.lstrip("+~") for call in self.calls(tree, "depends_on") for keyword in call.keywords if keyword.arg == "when"}
        self.assertEqual(conditions, variants)
        least = re.search(r"cmake_minimum_required\(VERSION ([0-9.]+)", read("CMakeLists.txt"))[1]
        self.assertIn(f"cmake@{least}:", {call.args[0].value for call in self.calls(tree, "depends_on")})

    def easyconfig(self, path):
        values = {"SHLIB_EXT": "so"}
        exec(compile(read(path), path, "exec"), values)  # as EasyBuild does with it
        for key in ("easyblock", "name", "version", "description", "toolchain", "sources", "sanity_check_paths", "moduleclass"):
            self.assertIn(key, values, path)
        return values

    def test_EasyBuildsNamesAllThatIsAskedFor(self):
        recipe = self.easyconfig(f"packaging/easybuild/Tutti-{self.version}-gompi-2024a.eb")
        self.assertEqual(recipe["version"], self.version)
        named = {name for key in ("builddependencies", "dependencies") for name, _ in recipe[key]}
        self.assertEqual(self.packages - set(EASYBUILD) - LEFT_OUT, set())
        self.assertEqual({EASYBUILD[one] for one in self.packages if EASYBUILD.get(one)} - named, set())
        given = dict(word[2:].split("=") for word in recipe["configopts"].split())
        self.assertEqual(set(given), options(read("CMakeLists.txt")))
        own = [self.easyconfig(os.path.relpath(path, ROOT)) for path in glob.glob(os.path.join(ROOT, "packaging", "easybuild", "*.eb"))]
        versions = {one["name"]: one["version"] for one in own}
        self.assertEqual(dict(recipe["builddependencies"])["valijson"], versions["valijson"])

    def test_APackageThatIsNewIsMissed(self):
        self.assertEqual(packages("find_package(Foo REQUIRED)\npkg_check_modules(X REQUIRED IMPORTED_TARGET a b)\n"), {"Foo", "a", "b"})
        self.assertEqual(options("option(TUTTI_NEW \"x\" ON)\n"), {"TUTTI_NEW"})


if __name__ == "__main__":
    unittest.main()
