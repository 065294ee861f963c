from spack.package import *


class Tutti(CMakePackage):
    """Simulates, proves and chooses algorithms of MPI collectives for a machine."""

    license("BSD-3-Clause")

    # The sources are those of a checkout: spack develop --path CHECKOUT tutti@0.2.0
    version("0.2.0")

    variant("simgrid", default=False, description="Build the SimGrid engine")
    variant("verbs", default=False, description="Build the InfiniBand and RoCE transport")
    variant("mpi", default=True, description="Build tutti-mpi-bench, which validate --mpi and plan run")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("boost", type="build")
    depends_on("eigen@3.4:", type="build")
    depends_on("cli11@2.1:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("valijson", type="build")
    depends_on("fmt@9:")
    depends_on("hwloc@2:")
    depends_on("sqlite")
    depends_on("yaml-cpp")

    depends_on("mimalloc")
    depends_on("python@3.10:", type=("build", "run"))
    depends_on("py-numpy", type="run")
    depends_on("py-matplotlib", type="run")
    depends_on("simgrid", when="+simgrid")
    depends_on("rdma-core", when="+verbs")
    depends_on("mpi", when="+mpi")

    def cmake_args(self):
        return [
            self.define("TUTTI_TESTS", False),
            self.define("TUTTI_PYTHON", False),
            self.define_from_variant("TUTTI_SIMGRID", "simgrid"),
            self.define_from_variant("TUTTI_VERBS", "verbs"),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_MPI", self.spec.satisfies("~mpi")),
        ]
