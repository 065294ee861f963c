"""The house keeps its order: who may include whom, and that an algorithm is one file."""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BUILD = os.environ.get("TUTTI_BUILD", os.path.join(ROOT, "build"))

# What a folder may include of the others (docs/design.md); what those may include in turn follows.
ARROWS = {
    "base": [],
    "algos": ["base"],
    "topologies": ["base"],
    "json": ["base"],
    "models": ["base", "topologies", "json"],
    "sim": ["algos", "models"],
    "sim/proof": ["algos"],
    "calibration": ["models", "sim"],
    "sites": ["calibration"],
    "tables": ["algos", "json"],
    "selection": ["algos", "models", "sim", "tables"],
    "exporters": ["selection"],
    "runtime": ["algos", "tables"],
    "validation": ["selection", "runtime"],
    "cli": ["sites", "sim/proof", "exporters", "validation"],
    "python": ["sites", "sim/proof", "exporters", "validation"],
}
# Libraries, by the first part of the header's name. Folders that are not here have the standard library alone.
LIBRARIES = {
    "topologies": ["boost"],
    "json": ["nlohmann", "valijson"],
    "models": ["nlohmann", "fmt"],
    "sim": ["nlohmann", "fmt", "POSIX"],
    "sim/proof": ["POSIX"],
    "sim/simgrid": ["nlohmann", "fmt", "simgrid", "xbt", "POSIX"],
    "calibration": ["nlohmann", "valijson", "fmt", "Eigen", "hwloc", "POSIX"],
    "sites": ["nlohmann", "fmt", "yaml-cpp"],
    "tables": ["nlohmann"],
    "selection": ["nlohmann", "valijson", "fmt", "sqlite3", "POSIX"],
    "exporters": ["nlohmann", "fmt"],
    "runtime": ["hwloc", "infiniband", "rdma", "POSIX"],
    "validation": ["nlohmann", "fmt", "sqlite3", "POSIX"],
    "cli": ["CLI", "nlohmann", "fmt", "mimalloc", "POSIX"],
    "python": ["nanobind", "POSIX"],
}
POSIX = {"dirent.h", "dlfcn.h", "elf.h", "fcntl.h", "ifaddrs.h", "netdb.h", "poll.h", "pthread.h", "sched.h", "signal.h", "spawn.h", "unistd.h",
         "net", "netinet", "arpa", "sys"}


def reach(folder):
    reached = {folder}
    for other in ARROWS[folder]:
        reached |= reach(other)
    return reached


def folder_of(path, among):
    """The longest of the folders that the file is in."""
    return max((f for f in among if path.startswith(f + "/")), key=len, default=None)


def sources(root):
    for top in sorted({folder.split("/")[0] for folder in ARROWS}):
        for directory, _, files in os.walk(os.path.join(root, top)):
            for name in sorted(files):
                if name.endswith((".cpp", ".hpp")):
                    yield os.path.relpath(os.path.join(directory, name), root)


def violations(root):
    found = []
    for path in sources(root):
        home = folder_of(path, ARROWS)
        with open(os.path.join(root, path), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                own = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
                other = re.match(r"\s*#\s*include\s+<([^>]+)>", line)
                if own:
                    target = own.group(1)
                    if folder_of(target, ARROWS) not in reach(home):
                        found.append(f"{path}:{number}: {home} may not include {target}")
                    elif not os.path.exists(os.path.join(root, target)):
                        found.append(f"{path}:{number}: there is no {target}")
                elif other:
                    header = other.group(1)
                    library = header.split("/")[0]
                    if library in POSIX:
                        library = "POSIX"
                    library = library.removesuffix(".h")
                    standard = "/" not in header and "." not in header
                    allowed = LIBRARIES.get(folder_of(path, LIBRARIES), [])
                    if not standard and library not in allowed:
                        found.append(f"{path}:{number}: {home} may not include <{header}>")
    return found


def key_of(path, style):
    """Of all that decides how a file has to be formatted, and of how it is."""
    with open(path, "rb") as file:
        return hashlib.sha256(os.path.relpath(path, ROOT).encode() + b"\0" + style.encode() + b"\0" + file.read()).hexdigest()


# Whose sources are compiled in batches (cmake/batches.cmake), and which of them are not.
BATCHED = {"base", "algos", "topologies", "json", "models", "calibration", "sites", "tables", "selection", "exporters", "runtime", "cli"}
COMPILED_ALONE = {"cli/main.cpp", "cli/python.cpp", "cli/source_folder.cpp", "topologies/node_routes.cpp"}


def anonymous_names(text):
    """Name -> line of what a source defines in anonymous namespaces, in the form that clang-format gives it."""
    found, inside = {}, False
    for line in text.splitlines():
        if line == "namespace {":
            inside = True
        elif line == "}  // namespace":
            inside = False
        elif inside and line and line[0].isalpha() and not re.match(r"(template|TUTTI_|using namespace|using [\w:]+;)", line):
            match = re.match(r"(?:class|struct|enum class|enum|using|namespace)\s+(\w+)", line) or re.match(r"[^(={\[;]*?(\w+)\s*[(={\[;]", line)
            if match:
                found[match[1]] = line
    return found


class Includes(unittest.TestCase):
    def test_FollowTheArrowsOfTheDesign(self):
        self.assertEqual(violations(ROOT), [])
        self.assertGreater(len(list(sources(ROOT))), 100)

    def test_AgainstTheArrowsAreFound(self):
        planted = {
            "algos/bcast/a.cpp": '#include "sim/engine.hpp"',
            "algos/b.cpp": "#include <fmt/core.h>",
            "algos/c.cpp": "#include <unistd.h>",
            "topologies/d.cpp": '#include "models/machine.hpp"',
            "models/e.cpp": "#include <boost/graph/adjacency_list.hpp>",
            "sim/proof/f.cpp": '#include "models/machine.hpp"',
            "sim/proof/g.cpp": "#include <nlohmann/json.hpp>",
            "sim/fast/h.cpp": "#include <simgrid/s4u.hpp>",
            "tables/i.cpp": '#include "selection/search.hpp"',
            "runtime/j.cpp": '#include "sim/engine.hpp"',
            "runtime/k.cpp": '#include "algos/gone.hpp"',
            "selection/q.cpp": '#include "exporters/open_mpi_rules.hpp"',
            "selection/l.cpp": '  #  include "validation/verdict.hpp"',
            "python/r.cpp": '#include "cli/layout.hpp"',
            "exporters/s.cpp": "#include <nanobind/nanobind.h>",
        }
        sound = {"algos/m.cpp": '#include <vector>\n#include "algos/n.hpp"', "algos/n.hpp": "#pragma once",
                 "runtime/o.cpp": "#include <sys/socket.h>\n#include <hwloc.h>\n#include \"algos/n.hpp\"",
                 "cli/p.cpp": '#include <CLI/CLI.hpp>\n#include "algos/n.hpp"'}
        with tempfile.TemporaryDirectory() as root:
            for path, text in {**planted, **sound}.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text + "\n")
            self.assertEqual(sorted({line.split(":")[0] for line in violations(root)}), sorted(planted))


class Imports(unittest.TestCase):
    # What the parts of validation may import of each other: plan and versus are about both, follow reads an MPI library's rules.
    PARTS = {"": set(), "mpi": {"mpi", "plan"}, "runtime": {"runtime"}, "follow": {"follow", "mpi"}, "plan": {"plan", "mpi", "runtime"},
             "versus.py": {"mpi", "runtime"}}

    def test_OfValidationGoOnlyWhereTheyMay(self):
        seen = 0
        for directory, _, names in os.walk(os.path.join(ROOT, "validation")):
            for name in (name for name in names if name.endswith(".py")):
                part = os.path.relpath(directory, os.path.join(ROOT, "validation"))
                part = part if part in self.PARTS else name if name in self.PARTS else ""
                with open(os.path.join(directory, name), encoding="utf-8") as file:
                    imported = set(re.findall(r"^\s*from validation\.(mpi|runtime|follow|plan)\b", file.read(), re.M))
                self.assertLessEqual(imported, self.PARTS[part], os.path.join(directory, name))
                seen += len(imported)
        self.assertGreater(seen, 10)


class Picture(unittest.TestCase):
    def test_OfTheArchitectureIsOfTheIncludesAsTheyAre(self):
        drawn = subprocess.run([os.path.join(ROOT, "plots", "architecture.py")], capture_output=True, text=True, check=True).stdout
        with open(os.path.join(ROOT, "docs", "architecture.dot"), encoding="utf-8") as file:
            self.assertEqual(file.read(), drawn, "make docs draws it anew")
        with open(os.path.join(ROOT, "docs", "architecture.svg"), encoding="utf-8") as file:
            shown = set(re.findall(r"<title>(\S+)&#45;&gt;(\S+)</title>", file.read()))
        self.assertEqual(shown, set(re.findall(r'^  "(\S+)" -> "(\S+)";', drawn, re.M)))


class BadInput(unittest.TestCase):
    def test_NothingThatIsGivenIsMatchedByStdRegexWhichRecurses(self):
        for path in sources(ROOT):
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                self.assertNotIn("<regex>", file.read(), path)
        for folder, _, names in os.walk(ROOT):
            if "build" in folder or "/." in folder:
                continue
            for name in names:
                if name.endswith(".schema.json"):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        self.assertNotRegex(file.read(), r'"(pattern|patternProperties)":|"format": "', name)


class Files(unittest.TestCase):
    def test_AreAtMostFourHundredLinesAndHeadersAreReadOnce(self):
        for top in sorted({folder.split("/")[0] for folder in ARROWS} | {"bench", "checks", "fidelity", "lab", "plots", "tests"}):
            for directory, _, names in os.walk(os.path.join(ROOT, top)):
                for name in names:
                    if name.endswith((".cpp", ".hpp", ".py")):
                        with open(os.path.join(directory, name), encoding="utf-8") as file:
                            lines = file.read().splitlines()
                        self.assertLessEqual(len(lines), 400, os.path.join(directory, name))
                        if name.endswith(".hpp"):
                            self.assertEqual(lines[0], "#pragma once", os.path.join(directory, name))

    def test_AreFormattedAsMakeFormatLeavesThem(self):
        formatter = shutil.which("clang-format")
        if not formatter:
            self.skipTest("needs clang-format")
        version = subprocess.run([formatter, "--version"], capture_output=True, text=True, check=True).stdout
        if " 14." not in version:  # Debian 12's: others format some lines otherwise
            self.skipTest(f"needs clang-format 14, not {version.strip()}")
        tops = {folder.split("/")[0] for folder in ARROWS} | {"bench", "checks", "demo", "examples", "mpi", "tests"}
        paths = [os.path.join(directory, name) for top in sorted(tops) for directory, _, names in os.walk(os.path.join(ROOT, top))
                 for name in sorted(names) if name.endswith((".cpp", ".hpp", ".c", ".h"))]
        self.assertGreater(len(paths), 1000)
        with open(os.path.join(ROOT, ".clang-format"), encoding="utf-8") as file:
            style = version + file.read()
        keys = {path: key_of(path, style) for path in paths}
        seen = os.path.join(BUILD, "formatted.txt")  # what was found so by an earlier run
        known = set()
        if os.path.exists(seen):
            with open(seen, encoding="ascii") as file:
                known = set(file.read().split())
        new = [path for path in paths if keys[path] not in known]
        if new:
            done = subprocess.run([formatter, "--dry-run", "-Werror", *new], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr[:2000])
            with open(f"{seen}.{os.getpid()}", "w", encoding="ascii") as file:
                file.write("\n".join(sorted(keys.values())) + "\n")
            os.replace(file.name, seen)

    def test_ThatAreCompiledTogetherUseANameInAnonymousNamespacesOnce(self):
        """Else one is taken for another's overload, and nobody is told."""
        folders = {}
        for path in sources(ROOT):
            if path.endswith(".cpp") and path.split(os.sep)[0] in BATCHED and path not in COMPILED_ALONE:
                folders.setdefault(os.path.dirname(path), []).append(path)
        self.assertGreater(len(folders), 20)
        twice = []
        for folder, paths in sorted(folders.items()):
            first = {}
            for path in paths:
                with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                    for name, line in anonymous_names(file.read()).items():
                        other, its_line = first.setdefault(name, (path, line))
                        if other != path and not (line == its_line and re.match(r"(using|namespace) .*=", line)):
                            twice.append(f"{name}: {other} and {path}")
        self.assertEqual(twice, [])

    def test_OfAlgorithmsAreUnderSixtyLines(self):
        counted = 0
        for path in sources(ROOT):
            if not path.startswith("algos" + os.sep) or path.startswith(os.path.join("algos", "patterns")):
                continue
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                text = file.read()
            if re.search(r"^TUTTI_ALGORITHM\(", text, re.M):
                counted += 1
                self.assertLess(len(text.splitlines()), 60, f"{path}: what others could use belongs to algos/patterns")
        self.assertGreater(counted, 150)


class Document(unittest.TestCase):
    """The generated docs/algorithms.md."""

    def setUp(self):
        self.tutti = os.path.join(BUILD, "tutti")
        self.text = subprocess.run([self.tutti, "list", "--markdown"], capture_output=True, text=True, check=True).stdout

    def test_HasEveryRowOfATableAsWideAsItsHead(self):
        width = None
        for line in self.text.splitlines():
            if not line.startswith("|"):
                width = None
                continue
            cells = len(re.findall(r"(?<!\\)\|", line))
            width = width or cells
            self.assertEqual(cells, width, line)

    def test_LinksToTheFileOfEveryAlgorithm(self):
        links = re.findall(r"\]\(\.\./(algos/[^)]+)\)", self.text)
        self.assertEqual(len(links), int(re.search(r"^(\d+) algorithms:$", self.text, re.M).group(1)))
        for link in links:
            self.assertTrue(os.path.exists(os.path.join(ROOT, link)), link)

    def test_OfOneCollectiveHasThatSectionAlone(self):
        one = subprocess.run([self.tutti, "list", "allgather", "--markdown"], capture_output=True, text=True, check=True)
        self.assertEqual(re.findall(r"^## (.*)$", one.stdout, re.M), ["allgather"])
        section = self.text[self.text.index("\n## allgather"):self.text.index("\n## allreduce")]
        self.assertTrue(one.stdout.endswith(section.rstrip("\n") + "\n"))


if __name__ == "__main__":
    unittest.main()
