#pragma once
// The collectives of an MPI library, by name and size.

#include <mpi.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace tutti::mpi {

/// One collective on one communicator, with buffers of its own, which begin at pages as OSU's do. `bytes` in the
/// `total` convention (docs/formats.md): elements are one byte, in reductions four (MPI_INT, MPI_SUM); blocks are
/// floor(bytes / (ranks * element)) elements, reduce_scatter gives the remainder to the first ranks. Roots are rank 0.
class Collective {
 public:
  /// Ends the job on an unknown name, or where a count is above 2^31 - 1 elements, which MPI 3 cannot express.
  Collective(const std::string& name, MPI_Comm comm, std::int64_t bytes);
  void call();

  /// The size in the `total` convention of what OSU's benchmarks call `osu_bytes`.
  static std::int64_t total_bytes(const std::string& name, int ranks, std::int64_t osu_bytes);
  /// Whether that many bytes are whole elements, and of blocks at least one each: else what would be timed is another
  /// call, or none.
  static bool is_whole(const std::string& name, int ranks, std::int64_t bytes);

 private:
  using Function = int (*)(Collective&);
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };
  using Memory = std::unique_ptr<char, Free>;
  static Memory zeros(std::size_t bytes);
  static Function function_of(const std::string& name);

  Function function_;
  MPI_Comm comm_;
  int count_ = 0;  ///< the count argument: of the vector, or of one block
  std::vector<int> counts_;
  Memory in_, out_;
};

}  // namespace tutti::mpi
