#include "runtime/transports.hpp"

#include "runtime/error.hpp"
#include "runtime/shm/transport.hpp"

namespace tutti {

const std::vector<TransportMaker>& transport_makers() {
  static const std::vector<TransportMaker> makers{
      {"shm", make_shared_memory_transport},
  };
  return makers;
}

void agree(Bootstrap& bootstrap, const std::string& trouble) {
  const auto all = bootstrap.allgather(trouble);
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    if (!all[rank].empty()) throw TeamError("rank " + std::to_string(rank) + ": " + all[rank]);
}

}  // namespace tutti
