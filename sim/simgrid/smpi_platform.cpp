// The platform of a Tutti machine for SMPI: `smpirun -platform libtutti_smpi_platform.so`, so that both can be measured
// on the very same network. TUTTI_MACHINE names the machine or its file, TUTTI_CORES how many of its first cores there
// are ("core0" …).

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <stdexcept>
#include <string>

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
    const std::string count = required("TUTTI_CORES");
    int last = 0;
    const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), last);
    if (error != std::errc{} || end != count.data() + count.size() || last < 1 || last > machine.network->cores())
      throw std::invalid_argument("TUTTI_CORES=" + count + ": expected 1 to " +
                                  std::to_string(machine.network->cores()));
    std::vector<int> cores(static_cast<std::size_t>(last));
    std::iota(cores.begin(), cores.end(), 0);
    const tutti::simgrid::Platform platform(machine.network, cores, {}, true);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "libtutti_smpi_platform: %s\n", error.what());
    std::exit(2);
  }
}
