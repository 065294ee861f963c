#include <dlfcn.h>

#include <stdexcept>
#include <string>

#include "sim/simgrid/flows.hpp"
#include "sim/simgrid/module.hpp"

namespace tutti::simgrid {
namespace {

MakeFlows* open_module() {
  void* const module = dlopen(kModule, RTLD_NOW | RTLD_LOCAL);
  void* const found = module ? dlsym(module, kMakeFlows) : nullptr;
  if (!found) throw std::runtime_error(std::string("the SimGrid engine cannot be loaded: ") + dlerror());
  return reinterpret_cast<MakeFlows*>(found);
}

MakeFlows* opened() {
  static MakeFlows* const function = open_module();
  return function;
}

}  // namespace

void load() { opened(); }

std::unique_ptr<FlowNetwork> make_flows(const Machine& machine, std::span<const int> cores, bool solve_all_at_once) {
  return std::unique_ptr<FlowNetwork>(opened()(machine, cores, solve_all_at_once));
}

}  // namespace tutti::simgrid
