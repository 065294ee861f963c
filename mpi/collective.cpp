#include "mpi/collective.hpp"

#include <cstring>
#include <limits>
#include <map>
#include <set>

#include "mpi/fail.hpp"

namespace tutti::mpi {
namespace {

const std::set<std::string> reductions{"allreduce", "exscan", "reduce", "reduce_scatter", "reduce_scatter_block",
                                       "scan"};
const std::set<std::string> in_blocks{"allgather", "alltoall", "gather", "reduce_scatter_block", "scatter"};
/// OSU's size is that of one block.
const std::set<std::string> osu_names_a_block{"allgather", "alltoall", "gather", "scatter"};

}  // namespace

Collective::Function Collective::function_of(const std::string& name) {
  static const std::map<std::string, Function> functions{
      {"barrier", [](Collective& c) { return MPI_Barrier(c.comm_); }},
      {"bcast", [](Collective& c) { return MPI_Bcast(c.in_.get(), c.count_, MPI_BYTE, 0, c.comm_); }},
      {"reduce",
       [](Collective& c) { return MPI_Reduce(c.in_.get(), c.out_.get(), c.count_, MPI_INT, MPI_SUM, 0, c.comm_); }},
      {"allreduce",
       [](Collective& c) { return MPI_Allreduce(c.in_.get(), c.out_.get(), c.count_, MPI_INT, MPI_SUM, c.comm_); }},
      {"scan", [](Collective& c) { return MPI_Scan(c.in_.get(), c.out_.get(), c.count_, MPI_INT, MPI_SUM, c.comm_); }},
      {"exscan",
       [](Collective& c) { return MPI_Exscan(c.in_.get(), c.out_.get(), c.count_, MPI_INT, MPI_SUM, c.comm_); }},
      {"reduce_scatter",
       [](Collective& c) {
         return MPI_Reduce_scatter(c.in_.get(), c.out_.get(), c.counts_.data(), MPI_INT, MPI_SUM, c.comm_);
       }},
      {"reduce_scatter_block",
       [](Collective& c) {
         return MPI_Reduce_scatter_block(c.in_.get(), c.out_.get(), c.count_, MPI_INT, MPI_SUM, c.comm_);
       }},
      {"allgather",
       [](Collective& c) {
         return MPI_Allgather(c.in_.get(), c.count_, MPI_BYTE, c.out_.get(), c.count_, MPI_BYTE, c.comm_);
       }},
      {"alltoall",
       [](Collective& c) {
         return MPI_Alltoall(c.in_.get(), c.count_, MPI_BYTE, c.out_.get(), c.count_, MPI_BYTE, c.comm_);
       }},
      {"gather",
       [](Collective& c) {
         return MPI_Gather(c.in_.get(), c.count_, MPI_BYTE, c.out_.get(), c.count_, MPI_BYTE, 0, c.comm_);
       }},
      {"scatter", [](Collective& c) {
         return MPI_Scatter(c.in_.get(), c.count_, MPI_BYTE, c.out_.get(), c.count_, MPI_BYTE, 0, c.comm_);
       }}};
  const auto found = functions.find(name);
  if (found != functions.end()) return found->second;
  std::string known;
  for (const auto& [other, function] : functions) known += (known.empty() ? "" : ", ") + other;
  fail("unknown collective '" + name + "': expected one of " + known);
}

Collective::Collective(const std::string& name, MPI_Comm comm, std::int64_t bytes)
    : function_(function_of(name)), comm_(comm) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  const std::int64_t element = reductions.contains(name) ? static_cast<std::int64_t>(sizeof(int)) : 1;
  const std::int64_t elements = bytes / element, count = in_blocks.contains(name) ? elements / ranks : elements;
  if (count > std::numeric_limits<int>::max())
    fail(name + ": " + std::to_string(count) + " elements: expected at most 2147483647");
  count_ = static_cast<int>(count);
  for (int rank = 0; rank < ranks; ++rank) counts_.push_back(count_ / ranks + (rank < count_ % ranks));
  const auto size = static_cast<std::size_t>(name == "barrier" ? 0 : bytes);
  in_ = zeros(size);
  out_ = zeros(size);
}

Collective::Memory Collective::zeros(std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  const std::size_t size = (bytes / kPage + 1) * kPage;
  Memory memory(static_cast<char*>(std::aligned_alloc(kPage, size)));
  if (!memory) fail("no memory for buffers of " + std::to_string(bytes) + " bytes");
  std::memset(memory.get(), 0, size);
  return memory;
}

void Collective::call() {
  if (function_(*this) != MPI_SUCCESS) fail("the MPI library refuses a collective");
}

std::int64_t Collective::total_bytes(const std::string& name, int ranks, std::int64_t osu_bytes) {
  return osu_names_a_block.contains(name) ? osu_bytes * ranks : osu_bytes;
}

bool Collective::is_whole(const std::string& name, int ranks, std::int64_t bytes) {
  const std::int64_t element = reductions.contains(name) ? static_cast<std::int64_t>(sizeof(int)) : 1;
  const std::int64_t least = in_blocks.contains(name) ? element * ranks : element;
  return bytes == 0 || (bytes % element == 0 && bytes >= least);
}

}  // namespace tutti::mpi
