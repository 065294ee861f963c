// The platform of a Tutti machine for SMPI: `smpirun -platform libtutti_smpi_platform.so`, so that both can be measured
// on the very same network. TUTTI_MACHINE names the machine or its file, TUTTI_CORES how many of its first cores there
// are ("core0" …).

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "models/machine.hpp"
#include "sim/simgrid/platform.hpp"

namespace {

const char* required(const char* name) {
  if (const char* value = std::getenv(name)) return value;
  std::fprintf(stderr, "libtutti_smpi_platform: expected %s in the environment\n", name);
  std::exit(2);
}

}  // namespace

extern "C" void load_platform(const simgrid::s4u::Engine&) {
  try {
    const tutti::Machine machine = tutti::load_machine(required("TUTTI_MACHINE"));
    std::vector<int> cores;
    for (int core = 0; core < std::atoi(required("TUTTI_CORES")); ++core) cores.push_back(core);
    const tutti::simgrid::Platform platform(machine.network, cores, {}, true);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "libtutti_smpi_platform: %s\n", error.what());
    std::exit(2);
  }
}
