// A program of someone else: lists algorithms, adds one, proves two, simulates it on every engine, names exporters.
#include <iostream>

#include "algos/registry.hpp"
#include "models/machine.hpp"
#include "selection/export.hpp"
#include "sim/engine.hpp"
#include "sim/proof/verify.hpp"

using namespace tutti;

static Task bcast_star(Comm comm, Call call) {
  if (comm.rank() != call.root) {
    co_await comm.wait(comm.recv(call.root, call.out));
    co_return;
  }
  for (Rank other = 0; other < comm.size(); ++other)
    if (other != call.root) comm.send(other, call.out);
}

TUTTI_ALGORITHM(bcast, "star_of_the_program", bcast_star).rounds("p-1").messages("p-1").bytes("(p-1)*n");

int main() {
  std::cout << registry().size() << " algorithms\n";
  for (const char* name : {"star_of_the_program", "binomial"}) {
    proof::VerifyRequest request;
    request.algorithms = {&find_algorithm(Collective::bcast, name)};
    for (int ranks = 1; ranks <= 9; ++ranks) request.ranks.push_back(ranks);
    const auto verdict = proof::verify(request).front();
    if (verdict.refutation || verdict.proven == 0) return 1;
    std::cout << name << ": proven\n";
  }
  Experiment one;
  one.c = {Collective::bcast, 3, 1000, 1, 0, false, Operator::sum};
  one.choice = default_choice(find_algorithm(Collective::bcast, "star_of_the_program"));
  one.core_of_rank = {0, 1, 8};
  for (const std::string& engine : engine_names()) {
    const Result result = make_engine(engine)->run(load_machine("example-cluster"), {&one, 1}).front();
    std::cout << "engine " << engine << ": " << result.makespan_seconds << '\n';
  }
  for (const Exporter* exporter : exporters()) std::cout << "exporter " << exporter->name() << '\n';
}
