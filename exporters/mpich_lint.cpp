#include "exporters/mpich_lint.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace tutti {
namespace {

/// What is known of a call that has come so far.
class Known {
 public:
  /// False where no such call is left.
  bool hold(std::string_view condition, bool holds) {
    const std::size_t equal = condition.find('=');
    if (condition.ends_with("=any")) return holds;
    if (const auto compared = mpich_comparison(condition)) {
      const std::int64_t last = compared->limit - (compared->inclusive ? 0 : 1);
      auto [at, is_new] = ranges_.try_emplace(std::string(compared->figure), least(compared->figure), kMost);
      auto& [first, end] = at->second;
      if (holds)
        end = std::min(end, last);
      else
        first = std::max(first, last + 1);
      return first <= end;
    }
    const std::string question(condition.substr(0, equal)),
        given(condition.substr(std::min(equal, condition.size() - 1) + 1)),
        answer = question == "comm_hierarchy" && given != "parent" ? "flat" : given;  // not told apart
    std::set<std::string>& left =
        answers_.try_emplace(key_of(condition, question), all_answers(condition, question)).first->second;
    if (!holds)
      left.erase(is_yes_or_no(condition) ? "holds" : answer);
    else
      std::erase_if(left,
                    [&](const std::string& each) { return each != (is_yes_or_no(condition) ? "holds" : answer); });
    return !left.empty();
  }

 private:
  static constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  using Range = std::pair<std::int64_t, std::int64_t>;

  static std::int64_t least(std::string_view figure) {
    return figure == "comm_size" || figure == "comm_avg_ppn" ? 1 : 0;
  }
  /// What is no choice among a few answers: whether it holds says nothing of others.
  static bool is_yes_or_no(std::string_view condition) {
    return condition == "comm_size=pow2" || condition == "comm_size=node_comm_size" || condition == "count<pow2";
  }
  static std::string key_of(std::string_view condition, const std::string& question) {
    return is_yes_or_no(condition) ? std::string(condition) : question;
  }
  static std::set<std::string> all_answers(std::string_view condition, const std::string& question) {
    if (is_yes_or_no(condition)) return {"holds", "does not"};
    if (question == "comm_type") return {"intra", "inter"};
    if (question == "comm_hierarchy") return {"parent", "flat"};
    return {"yes", "no"};
  }

  std::map<std::string, Range> ranges_;
  std::map<std::string, std::set<std::string>> answers_;
};

bool is_size(const MpichComparison& compared) {
  return compared.figure == "avg_msg_size" || compared.figure == "total_msg_size";
}

class TreeLint {
 public:
  TreeLint(const Document& document, Doubts& findings) : document_(document), findings_(findings) {}

  void run(const std::string& collective, const MpichTree& tree) {
    collective_ = collective.substr(collective.find('=') + 1);
    if (mpich_default().contains(collective)) {
      const MpichTree& whole = mpich_default().at(collective);
      own_ = {&whole};
      for (const char* type : {"comm_type=intra", "comm_type=inter"})
        if (whole.contains(type)) own_.push_back(&whole.at(type));
    }
    walk(tree, "/" + collective, {});
    own_.clear();
  }

 private:
  void walk(const MpichTree& tree, const std::string& pointer, Known known) {
    if (std::any_of(own_.begin(), own_.end(), [&](const MpichTree* own) { return *own == tree; })) return;
    bool is_left = true, has_any = false;
    for (const auto& [key, below] : tree.items()) {
      if (key.starts_with("algorithm=") || key.starts_with("composition=")) return;
      const std::string here = pointer + "/" + key;
      Known inside = known;
      if (!is_left || !inside.hold(key, true)) {
        tell_dead(here, key, is_left, has_any && key.ends_with("=any"));
        continue;
      }
      has_any = has_any || key.ends_with("=any");
      check_unit(here, key);
      walk(below, here, inside);
      is_left = known.hold(key, false);
    }
  }

  void tell_dead(const std::string& pointer, const std::string& key, bool is_left, bool is_second) {
    // Every level has to end with a condition that always holds, be it that nothing is left for it.
    const bool is_end = !is_left && key.ends_with("=any");
    findings_.push_back(
        {document_.line_of(pointer), is_second ? "fall-back" : "dead",
         is_second ? fmt::format("{} is a second condition for all that is left, for {}", key, collective_)
                   : fmt::format("{} never holds here, for {}", key, collective_),
         is_left ? "the conditions around it and before it exclude it: MPICH enters the first that holds and never "
                   "goes back"
                 : "what stands before it holds for every call that comes here",
         is_second ? "keep one of the two" : "leave it out, or put it before what is more general",
         is_end && !is_second});
  }

  void check_unit(const std::string& pointer, const std::string& key) {
    const auto compared = mpich_comparison(key);
    if (!compared || !is_size(*compared)) return;
    const auto tell = [&](const char* matters, const char* fix) {
      findings_.push_back(
          {document_.line_of(pointer), "unit", fmt::format("{} for {}", key, collective_), matters, fix});
    };
    const bool is_total = compared->figure == "total_msg_size";
    const auto is_one_of = [&](std::initializer_list<const char*> names) {
      return std::find(names.begin(), names.end(), collective_) != names.end();
    };
    if (is_one_of({"gather", "scatter"}))
      tell("MPICH compares the number of all elements there, not their bytes", "leave sizes out, or mean elements");
    else if (is_total && is_one_of({"bcast", "allreduce", "reduce"}))
      tell("MPICH compares the bytes of the vector times the ranks there", "use avg_msg_size, the bytes of the vector");
    else if (!is_total && is_one_of({"allgather", "reduce_scatter", "reduce_scatter_block"}))
      tell("MPICH has no mean size of it, and stops", "use total_msg_size, the bytes of all blocks");
  }

  const Document& document_;
  Doubts& findings_;
  std::string collective_;
  std::vector<const MpichTree*> own_;
};

}  // namespace

void lint_mpich_tree(const MpichTree& tree, const Document& document, Doubts& findings) {
  TreeLint lint(document, findings);
  for (const auto& [collective, below] : tree.items()) lint.run(collective, below);
}

}  // namespace tutti
