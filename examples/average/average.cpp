// Every rank has measurements of its own; all want the average, and the root a list of who is farthest from it.
// Run it by `tutti launch -n 4 -- ./average`, or under mpirun or srun.
#include <cmath>
#include <iostream>
#include <vector>

#include "runtime/team.hpp"

using namespace tutti;

struct Farthest {
  double distance;
  int rank;
};

int main() {
  Team team = Team::from_environment();

  std::vector<double> measured(1000, team.rank());
  std::vector<double> average(measured.size());
  team.allreduce(measured, average, Predefined::sum);
  for (double& value : average) value /= team.size();

  // An operator of our own; while it runs there is time for something else.
  std::vector<Farthest> far{{std::abs(measured[0] - average[0]), team.rank()}};
  Request search = team.start(calls::reduce(
      far, ordered([](const Farthest& a, const Farthest& b) { return b.distance > a.distance ? b : a; })));
  while (!search.test()) {
  }

  if (team.rank() == 0)
    std::cout << team.size() << " ranks, average " << average[0] << ", farthest: rank " << far[0].rank << '\n';
}
