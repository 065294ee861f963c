"""What is compiled is described for those who check types, and for people."""
import ast
import inspect
import os
import unittest

import module

module.enter()
import tutti  # noqa: E402

STUB = os.path.join(module.build_module.ROOT, "python", "tutti", "_core.pyi")


def described():
    """{name: its members, of a class; None} of the stub."""
    with open(STUB, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    names = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            names[node.name] = {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
        elif isinstance(node, ast.FunctionDef):
            names[node.name] = None
        elif isinstance(node, ast.AnnAssign):
            names[node.target.id] = None
    return names


def compiled():
    names = {}
    for name, value in vars(tutti._core).items():
        if inspect.isclass(value):
            names[name] = {member for member, what in vars(value).items()
                           if not member.startswith("__") or member in ("__init__", "__len__", "__await__", "__eq__", "__repr__")}
        elif callable(value):
            names[name] = None
    return names


class Stubs(unittest.TestCase):
    def test_DescribeAllThatIsCompiledAndNothingElse(self):
        ours, theirs = described(), compiled()
        self.assertEqual(ours.pop("__version__", "missing"), None)
        ours["InputError"] = theirs["InputError"]
        self.assertEqual(set(ours), set(theirs))
        for name, members in theirs.items():
            if members is not None:
                self.assertEqual(ours[name] - {"__init__"}, members - {"__init__"}, name)

    def test_EverythingPublicSaysWhatItIs(self):
        for name in tutti.__all__:
            what = getattr(tutti, name)
            if name == "__version__":
                continue
            self.assertTrue(inspect.getdoc(what), name)
            if inspect.isclass(what) and not issubclass(what, (Exception, tuple)):
                for member, value in vars(what).items():
                    if not member.startswith("_") and (callable(value) or isinstance(value, property)) and member not in ("name", "collective"):
                        self.assertTrue(getattr(value, "__doc__", None) or member in ("row", "seconds_per_rank"), f"{name}.{member}")
        for function in (tutti.simulate, tutti.tune, tutti.verify, tutti.calibrate, tutti.critical_path, tutti.algorithm):
            self.assertIn("bytes" if function is not tutti.calibrate else "distances", function.__doc__)


if __name__ == "__main__":
    unittest.main()
