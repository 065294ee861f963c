#include "sim/proof/access.hpp"

#include <algorithm>

#include "sim/proof/fault.hpp"

namespace tutti::proof {

std::string buffer_name(std::int32_t buffer) {
  if (buffer == View::kIn) return "in";
  if (buffer == View::kOut) return "out";
  return "scratch " + std::to_string(buffer - View::kFirstScratch);
}

std::string text_of(const View& view) {
  std::string text =
      buffer_name(view.buffer) + "[" + std::to_string(view.first) + ".." + std::to_string(view.end() - 1) + "]";
  if (!view.is_contiguous())
    text += " (" + std::to_string(view.block) + " of every " + std::to_string(view.stride) + ")";
  return text;
}

bool overlap(const View& a, const View& b) {
  if (a.buffer != b.buffer || a.empty() || b.empty() || a.first >= b.end() || b.first >= a.end()) return false;
  if (a.is_contiguous() && b.is_contiguous()) return true;
  for (Count i = 0; i < a.repeats; ++i)
    for (Count j = 0; j < b.repeats; ++j) {
      const View x = a.run(i), y = b.run(j);
      if (x.first < y.end() && y.first < x.end()) return true;
    }
  return false;
}

void refuse_partial_overlap(Rank rank, const char* does, const View& to, const View& from) {
  if (to != from && overlap(to, from))
    throw FaultFound({FaultKind::race, "rank " + std::to_string(rank) + " " + does + " " + text_of(from) + " into " +
                                           text_of(to) + ", which overlaps it in part"});
}

namespace {

std::optional<std::string> clash(const Access& access, const Access& other) {
  if (!(access.writes || other.writes) || !overlap(access.view, other.view)) return std::nullopt;
  return std::string(access.writes ? "writes " : "reads ") + text_of(access.view) + " while an unordered operation " +
         (other.writes ? "writes " : "reads ") + text_of(other.view);
}

}  // namespace

std::optional<std::string> OpenAccesses::add(Op op, const CallScope& scope, std::initializer_list<Access> accesses) {
  for (const Access& access : accesses)
    for (const Open& other : open_)
      if (auto found = clash(access, other.access)) return found;
  for (const Live& live : live_) {
    if (live.scope == &scope || live.closed.empty()) continue;
    const std::uint64_t since = unordered_since(scope, *live.scope);
    for (const Access& access : accesses)
      for (const Closed& other : live.closed)
        if (other.since >= since)
          if (auto found = clash(access, other.access)) return found;
  }
  for (const Access& access : accesses)
    if (!access.view.empty()) open_.push_back({access, slot_of(op), &scope});
  return std::nullopt;
}

OpenAccesses::Live* OpenAccesses::find(const CallScope* scope) {
  const auto found = std::find_if(live_.begin(), live_.end(), [&](const Live& live) { return live.scope == scope; });
  return found == live_.end() ? nullptr : &*found;
}

std::uint64_t OpenAccesses::unordered_since(const CallScope& by, const CallScope& of) {
  for (const CallScope* call = &by; call->parent; call = call->parent)
    if (call->parent == &of) return find(call)->born;
  return 0;
}

void OpenAccesses::close(Op op, const CallScope& scope) {
  Live& by = *find(&scope);
  const bool orders_all = live_.size() == 1;
  std::erase_if(open_, [&](const Open& open) {
    if (open.slot != slot_of(op)) return false;
    ++now_;
    if (!orders_all) by.closed.push_back({open.access, now_});
    return true;
  });
  forget_what_orders_all();
}

void OpenAccesses::join(const CallScope& scope) {
  Live* const parent = find(scope.parent);
  Live& ended = *find(&scope);
  ++now_;
  std::erase_if(open_, [&](const Open& open) {
    if (open.scope != &scope) return false;
    if (parent) parent->closed.push_back({open.access, now_});
    return true;
  });
  if (parent)
    for (const Closed& closed : ended.closed) parent->closed.push_back({closed.access, now_});
  ended.closed.clear();
}

void OpenAccesses::leave(const CallScope& scope) {
  std::erase_if(open_, [&](const Open& open) { return open.scope == &scope; });
  std::erase_if(live_, [&](const Live& live) { return live.scope == &scope; });
  forget_what_orders_all();
}

void OpenAccesses::clear() {
  open_.clear();
  live_.clear();
}

void OpenAccesses::forget_what_orders_all() {
  if (live_.size() == 1) live_.front().closed.clear();
}

}  // namespace tutti::proof
