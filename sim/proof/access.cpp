#include "sim/proof/access.hpp"

#include <algorithm>

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

std::optional<std::string> OpenAccesses::add(Op op, const CallScope& scope, std::initializer_list<Access> accesses) {
  for (const Access& access : accesses)
    for (const Open& other : open_)
      if ((access.writes || other.access.writes) && overlap(access.view, other.access.view))
        return std::string(access.writes ? "writes " : "reads ") + text_of(access.view) +
               " while an unordered operation " + (other.access.writes ? "writes " : "reads ") +
               text_of(other.access.view);
  for (const Access& access : accesses)
    if (!access.view.empty()) open_.push_back({access, op.slot, &scope});
  return std::nullopt;
}

void OpenAccesses::close(Op op) {
  std::erase_if(open_, [&](const Open& open) { return open.slot == op.slot; });
}

void OpenAccesses::close_all(const CallScope& scope) {
  std::erase_if(open_, [&](const Open& open) { return open.scope == &scope; });
}

}  // namespace tutti::proof
