"""The documents as a site: it is built, and no link in it leads nowhere."""
import html.parser
import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.targets, self.anchors = [], {""}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (name == "name" and tag == "a"):
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.targets.append(value)


def broken(folder):
    """Links of pages that lead to no file or to no place in it."""
    pages = {}
    for at, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".html"):
                with open(os.path.join(at, name), encoding="utf-8") as file:
                    pages[os.path.join(at, name)] = Page(file.read())
    found = []
    for path, page in pages.items():
        for target in page.targets:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme or parts.netloc or os.path.basename(path) == "404.html":
                continue
            to = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(parts.path))) if parts.path else path
            to = os.path.join(to, "index.html") if os.path.isdir(to) else to
            if not os.path.exists(to) or (to in pages and urllib.parse.unquote(parts.fragment) not in pages[to].anchors):
                found.append(f"{os.path.relpath(path, folder)}: {target}")
    return sorted(found), len(pages)


class Site(unittest.TestCase):
    def setUp(self):
        if not shutil.which("mkdocs"):
            self.skipTest("no mkdocs (Debian: mkdocs, mkdocs-material)")
        folder = tempfile.TemporaryDirectory(prefix="tutti-site-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def build(self):
        return subprocess.run([os.path.join(ROOT, "scripts", "site"), self.folder], capture_output=True, text=True)

    def test_NoLinkLeadsNowhere(self):
        done = self.build()
        if "material" in done.stderr and "theme" in done.stderr:
            self.skipTest("no material theme of mkdocs (Debian: mkdocs-material)")
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        found, pages = broken(os.path.join(self.folder, "site"))
        self.assertEqual(found, [])
        self.assertGreater(pages, 100)


class Links(unittest.TestCase):
    def test_PlantedFaultsAreFound(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("index.html", '<a href="b.html#there">x</a><a href="b.html#gone">x</a><img src="no.png"><a href="https://x.org/y">x</a>'),
                               ("b.html", '<h1 id="there">x</h1><a href="#nowhere">x</a><a href="index.html">x</a>')):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            self.assertEqual(broken(folder), (["b.html: #nowhere", "index.html: b.html#gone", "index.html: no.png"], 2))

    def test_LinksOutOfTheDocumentsLeadToPagesOfTheirOwnAndCodeStays(self):
        loader = importlib.machinery.SourceFileLoader("site_script", os.path.join(ROOT, "scripts", "site"))
        sys.dont_write_bytecode = True
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader("site_script", loader))
        loader.exec_module(module)
        site = module.Site("unused")
        self.assertEqual(site.rewritten("[a](../algos/comm.hpp) [b](design.md#x) `[c](../algos/comm.hpp)` [d](gone.md) [e](https://x.org)", "docs/x.md"),
                         "[a](source/algos/comm.hpp.md) [b](design.md#x) `[c](../algos/comm.hpp)` [d](gone.md) [e](https://x.org)")
        self.assertEqual(site.rewritten("[a](docs/design.md) [b](examples/plugin)", "README.md"), "[a](design.md) [b](source/examples/plugin/folder.md)")


if __name__ == "__main__":
    unittest.main()
