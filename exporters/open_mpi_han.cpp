#include "exporters/open_mpi_han.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace tutti {
namespace {

std::int64_t bytes_looked_up_by_han(const Case& c) {
  if (c.collective == Collective::barrier) return 0;
  return is_by_block_in_han(c.collective) ? c.count * c.element_bytes : total_bytes(c);
}

using Components = std::map<std::int64_t, std::string_view>;  // from so many bytes on
constexpr std::string_view kTuned = "tuned", kHan = "han", kSimple = "han @simple";

std::string han_rows(const Components& sizes) {
  std::string text = fmt::format("{}  # message sizes\n", sizes.size());
  for (const auto& [bytes, component] : sizes) text += fmt::format("{} {}\n", bytes, component);
  return text;
}

/// Neighbours differ.
Components sizes_of(const FileRules& of_ranks) {
  Components sizes;
  const int ranks = of_ranks.layout.size;
  for (const Rule& rule : of_ranks.rules) {
    const std::int64_t from = is_by_block_in_han(of_ranks.collective)
                                  ? rule.from_bytes / ranks + (rule.from_bytes % ranks > 0)
                                  : rule.from_bytes;
    // Of several that begin with the same block the last serves it.
    sizes[from] = rule.algorithm == kOwnChoice ? kHan : is_simple_in_han(rule) ? kSimple : kTuned;
  }
  for (auto it = std::next(sizes.begin()); it != sizes.end();)
    it = it->second == std::prev(it)->second ? sizes.erase(it) : std::next(it);
  return sizes;
}

struct Configuration {
  std::int64_t ranks;
  Components sizes;
};

std::vector<Configuration> configurations(std::span<const FileRules> rules) {
  const Components own{{0, kHan}};
  std::vector<Configuration> all{{1, own}};
  const auto add = [&](std::int64_t ranks, const Components& sizes) {
    if (all.back().sizes == sizes) return;
    if (all.back().ranks == ranks) all.pop_back();
    all.push_back({ranks, sizes});
  };
  for (const FileRules& of_ranks : rules) {
    add(of_ranks.layout.size, sizes_of(of_ranks));
    if (of_ranks.last_size != FileRules::kNoEnd) add(of_ranks.last_size + 1, own);
  }
  return all;
}

}  // namespace

HanRules::HanRules(const std::string& text, const std::string& origin, std::ptrdiff_t first_line, Doubts* doubts)
    : origin_(origin), file_(read_han_file(text, origin, first_line, doubts)) {}

std::optional<HanRules::Found> HanRules::look_up(const Case& c) const {
  const auto collective = file_.find(c.collective);
  if (collective == file_.end()) return std::nullopt;
  const HanConfigurations& sizes = collective->second.at(HanLevel::all);
  const auto of_ranks =
      std::find_if(sizes.rbegin(), sizes.rend(), [&](const HanConfiguration& each) { return each.ranks <= c.ranks; });
  if (of_ranks == sizes.rend()) return std::nullopt;
  const auto row = std::find_if(of_ranks->rows.rbegin(), of_ranks->rows.rend(),
                                [&](const HanRow& each) { return each.from_bytes <= bytes_looked_up_by_han(c); });
  return row == of_ranks->rows.rend() ? std::nullopt : std::optional(Found{&*of_ranks, &*row});
}

bool HanRules::names_tuned(const Case& c) const {
  const std::optional<Found> found = look_up(c);
  return found && found->row->by == HanRow::By::tuned;
}

HanRow::By HanRules::served_by(const Case& c, Explanation* why) const {
  const std::optional<Found> found = look_up(c);
  if (found && found->row->by == HanRow::By::other)
    throw InputError(fmt::format(
        "{}:{}: expected tuned or han for {} of {} on {} ranks: what runs there by {} is not known to Tutti", origin_,
        found->row->line, name_of(c.collective), bytes_text(total_bytes(c)), c.ranks, found->row->says));
  const HanRow::By by = found ? found->row->by : HanRow::By::han;
  if (by != HanRow::By::tuned) expect_ours(c, variant_of(by));
  if (why && found)
    why->because.push_back(fmt::format(
        "coll/han is asked first, and told by {}:{}, for {} ranks and {} bytes{} on, to {}", origin_, found->row->line,
        found->configuration->ranks, found->row->from_bytes, is_by_block_in_han(c.collective) ? " of a block" : "",
        by == HanRow::By::tuned    ? "leave the call to coll/tuned"
        : by == HanRow::By::simple ? "run it itself, in its simple variant"
                                   : "run it itself"));
  return by;
}

/// Throws where coll/han, which serves the call, may be told to run something else inside than coll/tuned.
void HanRules::expect_ours(const Case& c, HanVariant variant) const {
  for (const HanPart& part : asked_by_han(c.collective, variant)) {
    const auto collective = file_.find(part.collective);
    if (collective == file_.end()) continue;
    for (const HanConfiguration& sizes : collective->second.at(part.level))
      for (const HanRow& row : sizes.rows)
        if (row.by != HanRow::By::tuned)
          throw InputError(fmt::format(
              "{}:{}: expected tuned, since coll/han may run what stands here inside {} on {} ranks: what runs by {} "
              "is not known to Tutti",
              origin_, row.line, name_of(c.collective), c.ranks, row.says));
  }
}

bool HanRules::asks_for(Collective part) const {
  const auto is_simple = [](const HanRow& row) { return row.by == HanRow::By::simple; };
  for (const auto& [collective, levels] : file_)
    for (const HanConfiguration& sizes : levels.at(HanLevel::all))
      if (std::any_of(sizes.rows.begin(), sizes.rows.end(), is_simple))
        for (const HanPart& each : asked_by_han(collective, HanVariant::simple))
          if (each.collective == part) return true;
  return false;
}

bool HanRules::changes_anything() const {
  for (const auto& [collective, levels] : file_)
    for (const HanLevel level : {HanLevel::on_nodes, HanLevel::between_nodes, HanLevel::all})
      for (const HanConfiguration& sizes : levels.at(level))
        for (const HanRow& row : sizes.rows)
          if (row.by != (level == HanLevel::all ? HanRow::By::han : HanRow::By::tuned)) return true;
  return false;
}

bool is_by_block_in_han(Collective c) {
  return c == Collective::allgather || c == Collective::gather || c == Collective::scatter;
}

bool is_simple_in_han(const Rule& rule) { return rule.algorithm.starts_with("han_simple"); }

void leave_all_out(FileRules& rules) {
  rules.rules.resize(1);
  rules.rules[0].algorithm = kOwnChoice;
  rules.rules[0].from_bytes = 0, rules.rules[0].to_bytes = Rule::kUnlimited;
}

std::string mca_params(const SwitchOn& switch_on) {
  constexpr std::string_view kPrefix = "OMPI_MCA_";
  std::string text = "# Tutti: for etc/openmpi-mca-params.conf or ~/.openmpi/mca-params.conf\n";
  for (const auto& [name, value] : switch_on.variables) text += name.substr(kPrefix.size()) + " = " + value + "\n";
  return text;
}

std::string write_han_rules(std::span<const FileRules> all) {
  std::vector<FileRules> rules;
  std::copy_if(all.begin(), all.end(), std::back_inserter(rules), [](const FileRules& each) { return !each.inside; });
  std::string body;
  int collectives = 0;
  for (std::size_t begin = 0, end; begin < rules.size(); begin = end) {
    const Collective collective = rules[begin].collective;
    for (end = begin; end < rules.size() && rules[end].collective == collective;) ++end;
    if (!is_served_by_han(collective)) continue;
    const std::vector<Configuration> sizes = configurations(std::span(rules).subspan(begin, end - begin));
    if (sizes.size() == 1 && sizes.front().sizes.size() == 1) continue;  // nothing but its own choice
    ++collectives;
    body += fmt::format("{}\n1  # level\nglobal_communicator\n{}  # communicator sizes\n", name_of(collective),
                        sizes.size());
    for (const Configuration& each : sizes) body += fmt::format("{}  # ranks\n", each.ranks) + han_rows(each.sizes);
  }
  return collectives == 0 ? "" : fmt::format("{}  # collectives\n", collectives) + body;
}

}  // namespace tutti
