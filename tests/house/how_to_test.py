"""Every command of the tutorial and the how-tos is run as it is printed, in the order of its page; what a page shows of its output is what comes."""
import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BUILD = os.environ.get("TUTTI_BUILD", os.path.join(ROOT, "build"))


def commands(text):
    """(line, command, what is printed below it) of all console blocks."""
    found = []
    for block in re.finditer(r"^```console\n(.*?)^```", text, re.M | re.S):
        line = text.count("\n", 0, block.start(1)) + 1
        for one in block[1].splitlines():
            if one.startswith("$ "):
                found.append((line, one[2:], []))
            elif found:
                found[-1][2].append(one)
            line += 1
    return found


class Pages(unittest.TestCase):
    def run_page(self, name, makes=()):
        with open(os.path.join(ROOT, "docs", name), encoding="utf-8") as file:
            found = commands(file.read())
        self.assertGreaterEqual(len(found), 4)
        with tempfile.TemporaryDirectory(prefix="tutti-how-to-") as folder:
            os.symlink(os.path.join(ROOT, "examples"), os.path.join(folder, "examples"))
            for headers in ("base", "algos"):  # as cmake --install puts them
                shutil.copytree(os.path.join(ROOT, headers), os.path.join(folder, "prefix", "include", "tutti", headers),
                                ignore=shutil.ignore_patterns("*.cpp"))
            shutil.copy(os.path.join(BUILD, "include", "algos", "plugin.hpp"), os.path.join(folder, "prefix", "include", "tutti", "algos"))
            environment = {**os.environ, "PATH": BUILD + os.pathsep + os.environ["PATH"], "PREFIX": os.path.join(folder, "prefix")}
            for line, command, printed in found:
                done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=500)
                self.assertEqual(done.returncode, 0, f"docs/{name}:{line}: {command}\n{done.stdout[-1500:]}{done.stderr[-1500:]}")
                if printed:
                    self.assertEqual(done.stdout.splitlines(), printed, f"docs/{name}:{line}: {command}")
            for file in makes:
                self.assertTrue(glob.glob(os.path.join(folder, "**", file), recursive=True), f"docs/{name}: {file}")

    def test_TheTutorialRunsAsPrinted(self):
        self.run_page("tutorial.md")

    def test_TheEngineersRunsAsPrinted(self):
        self.run_page("how-to/engineer.md")

    def test_TheDevelopersRunsAsPrinted(self):
        self.run_page("how-to/developer.md")

    def test_TheResearchersRunsAsPrinted(self):
        self.run_page("how-to/researcher.md")

    def test_TheGalleryIsDrawnAsPrinted(self):
        with open(os.path.join(ROOT, "docs", "gallery.md"), encoding="utf-8") as file:
            shown = set(re.findall(r"\]\(gallery/([^)]+)\)", file.read()))
        self.assertEqual(shown, set(os.listdir(os.path.join(ROOT, "docs", "gallery"))))
        self.run_page("gallery.md", makes=sorted(shown - {"report.png"}))  # a browser made that one, of report.html

    def test_NoHowToIsLeftOut(self):
        self.assertEqual(sorted(os.path.basename(path) for path in glob.glob(os.path.join(ROOT, "docs", "how-to", "*"))),
                         ["developer.md", "engineer.md", "researcher.md"])


if __name__ == "__main__":
    unittest.main()
