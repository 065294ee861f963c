#include "exporters/mpich_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "exporters/lint_rules.hpp"
#include "exporters/mpich_compositions.hpp"
#include "exporters/mpich_lint.hpp"
#include "exporters/mpich_names.hpp"

namespace tutti {
namespace {

/// False where `given` is about the parameter and no value of it.
bool set(const std::string& parameter, std::int64_t& value, const std::string& given) {
  const std::string begin = parameter == "tree_type" ? "tree_type=" : parameter == "radix" ? "k=" : "chunk_size=";
  if (!given.starts_with(begin)) return true;
  const std::string text = given.substr(begin.size());
  if (parameter == "tree_type") {
    const auto tree = std::find(std::begin(kMpichTrees), std::end(kMpichTrees), text);
    value = tree - std::begin(kMpichTrees);
    return tree != std::end(kMpichTrees);
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && error == std::errc{} && end == text.data() + text.size() && value >= 0;
}

std::optional<Choice> choice_of(Collective collective, const MpichTree& leaf) {
  const Library::Name* name =
      find_name(mpich_names(), collective, leaf.begin().key().substr(std::string_view("algorithm=").size()));
  if (!name) return std::nullopt;
  Choice choice = name->ours;
  for (auto& [parameter, value] : choice.parameters)
    for (const auto& [given, ignored] : leaf.begin()->items())
      if (name->is_told(parameter) && !set(parameter, value, given)) return std::nullopt;
  return choice;
}

bool is_valid(const std::optional<Choice>& choice) try {
  return choice && parse_choice(choice->algorithm->collective(), choice->text()) == *choice;
} catch (const InputError&) {  // a parameter out of its range
  return false;
}

}  // namespace

MpichFile::MpichFile(const std::string& text, const std::string& origin, bool with_device, Doubts* doubts)
    : tree_(parse_mpich_tree(text, origin)), document_(text, origin), with_device_(with_device) {
  for (int i = 0; i < kAllCollectives; ++i)
    if (const auto collective = static_cast<Collective>(i); mpich_chooses(collective))
      check_names(collective, tree_.at(mpich_key(collective)), "/" + mpich_key(collective), doubts);
}

void MpichFile::lint(Doubts& findings) const { lint_mpich_tree(tree_, document_, findings); }

std::optional<Choice> MpichFile::decide(const Case& c, const RanksOnNodes& on, Explanation* why) const {
  const std::string key = mpich_key(c.collective);
  std::vector<std::string> path{key};
  const MpichTree& leaf = leaf_of(tree_.at(key), c, on.nodes, &path);
  const bool is_default = leaf == leaf_of(mpich_default().at(key), c, on.nodes);
  const bool is_own = with_device_
                          ? keeps_composition(tree_, c.collective, path) || (is_default && !is_composed(c.collective))
                          : is_default;
  if (why) explain(path, leaf, is_own, *why);
  return is_own ? std::nullopt : choice_of(c.collective, leaf);
}

void MpichFile::check_names(Collective collective, const MpichTree& tree, const std::string& pointer, Doubts* doubts) {
  for (const auto& [key, below] : tree.items()) {
    if (key == "comm_type=inter") continue;
    const std::string there = fmt::format("{}/{}", pointer, key);
    if (!key.starts_with("algorithm=")) {
      check_names(collective, below, there, doubts);
      continue;
    }
    const std::optional<Choice> choice = choice_of(collective, tree);
    if (is_valid(choice)) continue;
    if (!doubts)
      document_.fail(pointer, "expected an algorithm of " + std::string(name_of(collective)) + " and its parameters");
    const int line = document_.line_of(there);
    if (choice)
      check_parameters(*choice, line, *doubts);
    else
      doubts->push_back({line, "unknown",
                         fmt::format("{} with {} is not one of Tutti's algorithms for {}",
                                     key.substr(key.find('=') + 1), below.dump(), name_of(collective)),
                         "MPICH stops at names that it does not know", "name one that tutti list --json shows"});
  }
}

void MpichFile::explain(const std::vector<std::string>& path, const MpichTree& leaf, bool is_own,
                        Explanation& why) const {
  const std::string pointer = fmt::format("/{}/{}", fmt::join(path, "/"), leaf.begin().key());
  const std::string where = fmt::format("{}:{}", document_.origin(), document_.line_of(pointer));
  why.because.push_back(fmt::format("of the conditions in {} the first that hold are, in turn, {}: {} names {}",
                                    document_.origin(), fmt::join(path, ", "), where,
                                    leaf.begin().key().substr(std::string_view("algorithm=").size())));
  if (is_own) {
    why.because.emplace_back(with_device_ ? "that is MPICH's default, before which its device's compositions come"
                                          : "that is what MPICH runs here without a file, too");
    return;
  }
  why.component = "MPIR", why.rule = where, why.told = true;
}

}  // namespace tutti
