// Which allreduce of 1 MiB is the fastest on 12 nodes with four ranks each? ./simulate example-cluster
#include <iostream>

#include "algos/registry.hpp"
#include "base/error.hpp"
#include "models/machine.hpp"
#include "models/placement.hpp"
#include "sim/engine.hpp"

using namespace tutti;

int main(int count, char** arguments) try {
  const Machine machine = load_machine(count > 1 ? arguments[1] : "example-cluster");
  const auto engine = make_engine("fast");
  const Case call{.collective = Collective::allreduce, .ranks = 48, .count = 1 << 18, .element_bytes = 4};
  for (const char* name : {"ring", "rabenseifner", "recursive_doubling"}) {
    const Experiment one{call, parse_choice(call.collective, name), place_block(*machine.network, call.ranks, 4),
                         Mode()};
    const Result result = engine->run(machine, {&one, 1}).front();
    std::cout << name << ": " << result.makespan_seconds * 1e6 << " us, " << result.messages << " messages\n";
  }
} catch (const InputError& error) {
  std::cerr << error.what() << "\n";
  return 2;
}
