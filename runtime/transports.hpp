#pragma once

#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "runtime/bootstrap.hpp"
#include "runtime/layout.hpp"
#include "runtime/transport.hpp"

namespace tutti {

/// What a transport is made from. All ranks make the same transports in the same order, and so may use the bootstrap.
struct TransportSetting {
  Bootstrap& bootstrap;
  const TeamLayout& layout;
  Inbox& inbox;                // outlives the transport
  std::size_t heap_bytes = 0;  // that a rank may ask for (MessageTransport::allocate)
};

/// A way to make a transport. `make` is called by all ranks, which agree on its outcome through the bootstrap; all of
/// them get
///   * the transport,
///   * nullptr where it cannot be used on one of them, or
///   * TeamError where it could be used but cannot be set up.
struct TransportMaker {
  std::string_view name;
  std::unique_ptr<MessageTransport> (*make)(const TransportSetting& setting);
};

/// Those that are built in, in the order in which they are tried. Adding one: a line in transports.cpp, and
/// for one that needs a library what runtime/CMakeLists.txt has for TUTTI_VERBS.
const std::vector<TransportMaker>& transport_makers();

/// What went wrong on a rank; nothing, as it is made.
struct Trouble {
  std::string text;
  bool of_input = false;  // a variable that makes no sense, which is the user's to mend
  Trouble() = default;
  explicit Trouble(const std::exception& error)
      : text(error.what()), of_input(dynamic_cast<const InputError*>(&error) != nullptr) {}
};

/// Says on every rank whether all ranks were well: throws InputError or TeamError with the first trouble (by rank)
/// otherwise. For the set-up of transports: a rank that fails alone would leave the others waiting.
void agree(Bootstrap& bootstrap, const Trouble& trouble);

}  // namespace tutti
