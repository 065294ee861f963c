"""What the tests of the installed package share."""
import os
import re
import shlex
import shutil
import subprocess

BUILD = os.environ["TUTTI_BUILD"]
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")


def run(*command, folder=None, **environment):
    """Its standard output; whatever does not end well fails the test."""
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env={**os.environ, **environment})
    if done.returncode:
        raise AssertionError(f"{shlex.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def of_cache(name):
    with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as cache:
        found = re.search(rf"^{name}:\w+=(.*)$", cache.read(), re.MULTILINE)
    return found.group(1) if found else ""


def of_the_cache(folder):
    """(what goes before a compiler, its environment): what was compiled before from the same text, in whichever folder, comes from
    the compiler's cache, as in the build."""
    ccache = shutil.which("ccache")
    return ([ccache] if ccache else []), {"CCACHE_BASEDIR": folder, "CCACHE_NOHASHDIR": "1"}


def built(folder, source, *settings):
    """Where CMake has built somebody's project on the package in folder/prefix."""
    build = os.path.join(folder, os.path.basename(source) + "-by-cmake")
    launcher, environment = of_the_cache(folder)
    run("cmake", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={os.path.join(folder, 'prefix')}", f"-DCMAKE_CXX_COMPILER={of_cache('CMAKE_CXX_COMPILER')}",
        f"-DCMAKE_CXX_FLAGS={of_cache('CMAKE_CXX_FLAGS')}", f"-DCMAKE_CXX_COMPILER_LAUNCHER={';'.join(launcher)}", *settings)
    run("cmake", "--build", build, **environment)
    return build


def compiled(folder, source, *flags):
    """The object of one file."""
    launcher, environment = of_the_cache(folder)
    result = os.path.join(folder, os.path.basename(source) + ".o")
    run(*launcher, of_cache("CMAKE_CXX_COMPILER"), *shlex.split(of_cache("CMAKE_CXX_FLAGS")), *flags, "-c", source, "-o", result, folder=folder, **environment)
    return result
