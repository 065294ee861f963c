#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/loss.hpp"
#include "runtime/secret.hpp"

namespace tutti {

/// How the ranks of a job find each other and exchange what they need before any transport is up. Every call is made by
/// all ranks, in the same order, from one thread of each. Calls block, but not beyond the limit given when the
/// bootstrap was made: then they throw TeamError naming the ranks that are missing.
class Bootstrap {
 public:
  Bootstrap(Rank rank, int size) : rank_(rank), size_(size) {}
  virtual ~Bootstrap() = default;
  Bootstrap(const Bootstrap&) = delete;
  Rank rank() const { return rank_; }
  int size() const { return size_; }
  /// What every rank gave, by rank; lengths may differ.
  virtual std::vector<std::string> allgather(std::string_view mine) = 0;
  void barrier() { allgather({}); }
  /// The job's own: all ranks know it when the bootstrap is made, and nobody else does.
  virtual const Secret& secret() const = 0;
  /// Once all is set up: whose process has ended without a word, or whose loss is why another has left, as far as who
  /// launched the ranks and the connections by which they met tell. Asked as often as a wait is long. Never blocks.
  virtual std::optional<Loss> loss() { return std::nullopt; }
  /// Says to the others, as far as they can be told at once, that this rank leaves: because of that loss, or in order.
  /// What is said first stands. To be called before they see it in any other way; else the destructor says: in order.
  virtual void leave(const std::optional<Loss>& /*why*/) {}

 private:
  Rank rank_;
  int size_;
};

using Limit = std::chrono::duration<double>;

/// For `size` ranks that are threads of this process: one bootstrap for each, by rank.
std::vector<std::unique_ptr<Bootstrap>> bootstrap_threads(int size, Limit limit);

/// Of one job: rank 0 leaves a text there, which the others read, and nobody else can.
class Board {
 public:
  virtual ~Board() = default;
  /// Throws TeamError.
  virtual void write(const std::string& text) = 0;
  /// Empty where nothing was written within about that time. Throws TeamError where what lies there is not to be
  /// believed.
  virtual std::string read(Limit most) = 0;
  /// All ranks have read it.
  virtual void clear() {}
  /// What it is, for people.
  virtual std::string place() const = 0;
};

/// Where rank 0 is met: at an address, or through a socket that is already listening (rank 0 inherits it from whoever
/// started the job), by ranks that know a secret; or where rank 0 writes on a board that it is, with a secret of its
/// own.
struct Meeting {
  std::string host, port;          // an address; rank 0 listens there
  int listening = -1;              // rank 0: the inherited socket, which it closes
  std::optional<Secret> secret;    // not needed with a board
  std::shared_ptr<Board> board{};  // kept as long as the bootstrap
  bool one_host = false;           // with a board: all ranks are on one host
  int launcher = -1;               // launch_channel, where that launched the ranks
};
/// Over TCP: rank 0 gathers and distributes. The connections stay until the bootstrap is destroyed, and show whose
/// process ends before that: rank 0 tells the others.
std::unique_ptr<Bootstrap> bootstrap_tcp(Rank rank, int size, const Meeting& meeting, Limit limit);

/// From what the launcher put into the environment: `tutti launch` and whoever sets TUTTI_RANK, TUTTI_SIZE and
/// TUTTI_MEETING (HOST:PORT with TUTTI_SECRET, or a file's path), a PMIx server where libpmix.so.2 reaches it, Open
/// MPI's mpirun, Hydra (MPICH), torchrun, srun. A process that nobody launched is a job of one rank. Throws InputError
/// where a variable makes no sense, or only a PMIx server that cannot be used launched this process.
std::unique_ptr<Bootstrap> bootstrap_from_environment(Limit limit);

}  // namespace tutti
