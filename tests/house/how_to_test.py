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


def read(path):
    with open(path, "rb") as file:
        return file.read()


def software(picture):
    """Which matplotlib drew a PNG; nothing of an SVG, which needs none."""
    found = re.search(rb"tEXtSoftware\0([^\0]+?), https", picture)
    return found[1] if found else b""


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
            drawn = {}
            for file in makes:
                found = glob.glob(os.path.join(folder, "**", file), recursive=True)
                self.assertTrue(found, f"docs/{name}: {file}")
                drawn[file] = read(found[0])
            return drawn

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
        drawn = self.run_page("gallery.md", makes=sorted(shown - {"report.png"}))  # a browser made that one, of report.html
        kept = {file: os.path.join(ROOT, "docs", "gallery", file) for file in drawn}
        if os.environ.get("TUTTI_REDRAW"):
            for file, picture in drawn.items():
                with open(kept[file], "wb") as out:
                    out.write(picture)
        # Another matplotlib draws other bytes: pictures say which one has drawn them.
        others = {file for file in drawn if software(drawn[file]) != software(read(kept[file]))}
        changed = [file for file in sorted(drawn.keys() - others) if drawn[file] != read(kept[file])]
        self.assertEqual(changed, [], "docs/gallery: no longer what the program draws; make gallery draws them anew: look at them")
        self.assertTrue(drawn.keys() - others, "none could be compared")
        if others:
            self.skipTest(f"{', '.join(sorted(others))}: drawn by another matplotlib, so not compared; the others are as kept")

    def test_NoHowToIsLeftOut(self):
        self.assertEqual(sorted(os.path.basename(path) for path in glob.glob(os.path.join(ROOT, "docs", "how-to", "*"))),
                         ["developer.md", "engineer.md", "researcher.md"])


if __name__ == "__main__":
    unittest.main()
