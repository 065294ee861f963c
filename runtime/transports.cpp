#include "runtime/transports.hpp"

#include "runtime/error.hpp"
#include "runtime/shm/transport.hpp"
#include "runtime/tcp/transport.hpp"
#ifdef TUTTI_VERBS
#include "runtime/verbs/transport.hpp"
#endif

namespace tutti {

const std::vector<TransportMaker>& transport_makers() {
  static const std::vector<TransportMaker> makers{
      {"shm", make_shared_memory_transport},
#ifdef TUTTI_VERBS
      {"verbs", make_verbs_transport},
#endif
      {"tcp", make_tcp_transport},
  };
  return makers;
}

void agree(Bootstrap& bootstrap, const Trouble& trouble) {
  constexpr char kOfInput = 'i', kOther = 'o';
  const auto all =
      bootstrap.allgather(trouble.text.empty() ? "" : (trouble.of_input ? kOfInput : kOther) + trouble.text);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].empty()) continue;
    const std::string said = "rank " + std::to_string(rank) + ": " + all[rank].substr(1);
    if (all[rank].front() == kOfInput) throw InputError(said);
    throw TeamError(said);
  }
}

}  // namespace tutti
