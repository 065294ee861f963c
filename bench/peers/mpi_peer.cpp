// mpi_peer FOLDER clock|barrier|loop, under mpirun: a real MPI library's part in `make bench-peers`. See orders.hpp.
#include <mpi.h>

#include <map>

#include "bench/peers/orders.hpp"
#include "mpi/collective.hpp"

namespace {

class Library {
 public:
  Library() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  int rank() const { return rank_; }
  void barrier() { MPI_Barrier(MPI_COMM_WORLD); }
  struct Call {
    tutti::mpi::Collective collective;
    void operator()() { collective.call(); }
  };
  Call& prepare(const tutti::peers::Order& order) {
    const auto key = std::make_pair(order.collective, order.bytes);
    const auto known = calls_.find(key);
    if (known != calls_.end()) return known->second;
    const auto total = tutti::mpi::Collective::total_bytes(order.collective, size_, order.bytes);
    return calls_.emplace(key, Call{{order.collective, MPI_COMM_WORLD, total}}).first->second;
  }
  void maximum(std::vector<double>& values) { reduce(values, MPI_MAX); }
  void mean(std::vector<double>& values) {
    reduce(values, MPI_SUM);
    for (double& value : values) value /= size_;
  }

 private:
  void reduce(std::vector<double>& values, MPI_Op op) {
    std::vector<double> result(values.size());
    MPI_Reduce(values.data(), result.data(), static_cast<int>(values.size()), MPI_DOUBLE, op, 0, MPI_COMM_WORLD);
    values = result;
  }
  int rank_ = 0, size_ = 0;
  std::map<std::pair<std::string, long long>, Call> calls_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Library library;
  tutti::peers::serve(library, argv[1], argv[2]);
  MPI_Finalize();
  return 0;
}
