#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "algos/comm.hpp"

namespace tutti::proof {

struct Access {
  View view;
  bool writes = false;
};

std::string buffer_name(std::int32_t buffer);
/// "out[3..7]"; a strided view names its hull and stride.
std::string text_of(const View& view);
/// Whether two views name an element in common.
bool overlap(const View& a, const View& b);
/// One operation's result may lie on what it reads, or beside it: throws FaultFound where it lies on a part.
void refuse_partial_overlap(Rank rank, const char* does, const View& to, const View& from);

/// What a rank's posted operations touch until all that the rank does next is ordered after them. A wait orders only
/// the call that waits, and the calls that it begins later; the end of a call orders the call that waited for that end.
class OpenAccesses {
 public:
  /// Opens the accesses of an operation. Returns what they clash with: an open access to the same elements, one of them
  /// writing.
  std::optional<std::string> add(Op op, const CallScope& scope, std::initializer_list<Access> accesses);
  void begin(const CallScope& scope) { live_.push_back({&scope, ++now_, {}}); }
  /// `scope` has waited for the operation.
  void close(Op op, const CallScope& scope);
  /// The call has ended, and its parent has waited for that.
  void join(const CallScope& scope);
  void leave(const CallScope& scope);
  void clear();

 private:
  struct Open {
    Access access;
    std::uint32_t slot;
    const CallScope* scope;
  };
  /// An access that is ordered before what one call does from `since` on, and not yet before what others do.
  struct Closed {
    Access access;
    std::uint64_t since;
  };
  struct Live {
    const CallScope* scope;
    std::uint64_t born;
    std::vector<Closed> closed;
  };
  Live* find(const CallScope* scope);
  /// Since when accesses closed for `of` are not ordered before what `by` does.
  std::uint64_t unordered_since(const CallScope& by, const CallScope& of);
  void forget_what_orders_all();

  std::vector<Open> open_;
  std::vector<Live> live_;
  std::uint64_t now_ = 0;
};

}  // namespace tutti::proof
