#include <mpi.h>

#include <cstdio>
#include <map>

#include "mpi/collective.hpp"
#include "mpi/fail.hpp"
#include "mpi/plan.hpp"
#include "mpi/sent.hpp"

namespace tutti::mpi {
namespace {

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

/// The first ranks of the job; those outside take no part.
MPI_Comm first_ranks(int ranks) {
  MPI_Group world, first;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int range[1][3] = {{0, ranks - 1, 1}};
  MPI_Group_range_incl(world, 1, range, &first);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_create_group(MPI_COMM_WORLD, first, 0, &comm);
  MPI_Group_free(&first);
  MPI_Group_free(&world);
  return comm;
}

std::string head(const PlannedCell& cell, const Arm& arm) {
  return cell.collective + "," + std::to_string(cell.ranks) + "," + std::to_string(cell.bytes) + "," + arm.name;
}

/// All cells of one number of ranks. Libraries read some control variables when a communicator is made and some in the
/// call, so every setting has a communicator of its own and holds during calls too.
class Runner {
 public:
  explicit Runner(int ranks) : control_(first_ranks(ranks)) {}
  ~Runner() {
    for (auto& [settings, comm] : comms_) MPI_Comm_free(&comm);
    MPI_Comm_free(&control_);
  }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  void probe(const PlannedCell& cell) {
    for (const Arm& arm : cell.arms) {
      Collective collective(cell.collective, comm_of(arm), cell.bytes);
      const Setting setting(arm.settings);
      print_from_all("sent," + head(cell, arm) + ",", sent_by([&] { collective.call(); }, control_));
    }
  }

  void repeat(const PlannedCell& cell, int repetition) {
    const std::size_t arms = cell.arms.size();
    std::vector<double> seconds(arms), longest(arms);
    for (std::size_t i = 0; i < arms; ++i) {
      const std::size_t number = (i + static_cast<std::size_t>(repetition)) % arms;
      const Arm& arm = cell.arms[number];
      Collective collective(cell.collective, comm_of(arm), cell.bytes);
      const Setting setting(arm.settings);
      MPI_Barrier(control_);
      const double begin = MPI_Wtime();
      collective.call();
      seconds[number] = MPI_Wtime() - begin;
    }
    MPI_Reduce(seconds.data(), longest.data(), static_cast<int>(arms), MPI_DOUBLE, MPI_MAX, 0, control_);
    if (rank_in(control_) != 0) return;
    for (std::size_t i = 0; i < arms; ++i)
      std::printf("time,%s,%d,%.3f\n", head(cell, cell.arms[i]).c_str(), repetition, longest[i] * 1e6);
    std::fflush(stdout);
  }

 private:
  MPI_Comm comm_of(const Arm& arm) {
    const auto [place, is_new] = comms_.emplace(arm.settings, MPI_COMM_NULL);
    if (is_new) {
      const Setting setting(arm.settings);
      MPI_Comm_dup(control_, &place->second);
    }
    return place->second;
  }

  /// One line of the texts of all ranks, in order.
  void print_from_all(const std::string& before, const std::string& text) {
    int size = 0, length = static_cast<int>(text.size());
    MPI_Comm_size(control_, &size);
    std::vector<int> lengths(static_cast<std::size_t>(size)), starts(static_cast<std::size_t>(size));
    MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, control_);
    for (std::size_t i = 1; i < starts.size(); ++i) starts[i] = starts[i - 1] + lengths[i - 1];
    std::string all(static_cast<std::size_t>(starts.back() + lengths.back()), ' ');
    MPI_Gatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(), MPI_CHAR, 0, control_);
    if (rank_in(control_) != 0) return;
    std::printf("%s", before.c_str());
    for (std::size_t i = 0; i < starts.size(); ++i)
      if (lengths[i] > 0)
        std::printf("%s ",
                    all.substr(static_cast<std::size_t>(starts[i]), static_cast<std::size_t>(lengths[i])).c_str());
    std::printf("\n");
  }

  MPI_Comm control_;  ///< for all that is not measured: without settings
  std::map<Settings, MPI_Comm> comms_;
};

/// Every pair once: libraries that connect on first use have done so before anything is measured.
void connect_all() {
  const int rank = rank_in(MPI_COMM_WORLD);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 1; step < size; ++step)
    MPI_Sendrecv(nullptr, 0, MPI_BYTE, (rank + step) % size, 1, nullptr, 0, MPI_BYTE, (rank + size - step) % size, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

}  // namespace

void run_plan(const std::vector<PlannedCell>& plan, const PlanOptions& options) {
  if (options.probe && !can_count()) fail(kCannotCount);
  connect_all();
  std::map<int, std::vector<const PlannedCell*>> by_ranks;
  for (const PlannedCell& cell : plan) by_ranks[cell.ranks].push_back(&cell);
  for (const auto& [ranks, cells] : by_ranks) {
    if (rank_in(MPI_COMM_WORLD) >= ranks) continue;
    Runner runner(ranks);
    if (options.probe)
      for (const PlannedCell* cell : cells) runner.probe(*cell);
    for (int repetition = 0; repetition < options.repetitions; ++repetition)
      for (const PlannedCell* cell : cells) runner.repeat(*cell, repetition);
  }
}

}  // namespace tutti::mpi
