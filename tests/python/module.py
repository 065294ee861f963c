"""Runs a test in the environment that has the module, which build_module.py has made."""
import os
import sys
import unittest

import build_module

sys.dont_write_bytecode = True


def enter():
    """Becomes the environment's interpreter, on the same script; or has all tests of the script skipped."""
    if os.environ.get("TUTTI_PYTHON_TEST"):
        return
    if os.path.exists(build_module.WHY_NOT):
        with open(build_module.WHY_NOT, encoding="utf-8") as file:
            skip(file.read())
    elif not os.path.exists(build_module.PYTHON):
        skip("the module is not built: ctest -R python.TheModuleIsBuilt")
    else:
        environment = {**os.environ, "TUTTI_PYTHON_TEST": "1", "PYTHONPATH": build_module.FOLDER,
                       "TUTTI_PROGRAM": os.path.join(build_module.BUILD, "tutti")}
        os.execve(build_module.PYTHON, [build_module.PYTHON, "-B", *sys.argv], environment)


def skip(reason):
    def all_of_them():
        raise unittest.SkipTest(reason)

    sys.modules["__main__"].setUpModule = all_of_them
    sys.modules["tutti"] = type(sys)("tutti")  # so that the script can be read to its end


PROGRAM = os.path.join(build_module.BUILD, "tutti")
