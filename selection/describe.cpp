#include <fmt/core.h>

#include <algorithm>

#include "base/counted.hpp"
#include "selection/loads.hpp"
#include "selection/offers.hpp"
#include "selection/pricing.hpp"

namespace tutti {
namespace {

constexpr std::size_t kMostNamed = 4;  // of a kind; the rest are counted

std::string name_of_choice(const std::string& choice) { return choice == kOwnChoice ? "its own choice" : choice; }

std::string loss_text(const Slowdown& loss) {
  return loss.cells == 0 ? "no cell loses"
                         : fmt::format("{} {} {:.4g} times as long", counted(loss.cells, "cell"),
                                       loss.cells == 1 ? "takes" : "take", loss.times_as_long);
}

std::string substituted_text(const Price& price, const ExportOptions& options) {
  std::string text = fmt::format("  replaced, because the library cannot be told to use it{}: {}:",
                                 options.any_operator ? " for every operator" : "", loss_text(price.substitution));
  for (std::size_t i = 0; i < std::min(kMostNamed, price.substituted.size()); ++i) {
    const Substitution& s = price.substituted[i];
    text += fmt::format("{} {} for {} ({})", i == 0 ? "" : ",", name_of_choice(s.instead), name_of_choice(s.best),
                        s.loss.cells);
  }
  if (price.substituted.size() > kMostNamed)
    text += ", and " + counted(price.substituted.size() - kMostNamed, "more pair");
  return text;
}

std::string shared_text(const Price& price, Sight sight) {
  std::vector<const SharedRules*> most;
  for (const SharedRules& shared : price.shared) most.push_back(&shared);
  std::stable_sort(most.begin(), most.end(),
                   [](const SharedRules* a, const SharedRules* b) { return a->loss.cells > b->loss.cells; });
  std::string text =
      fmt::format("  merged, because the format distinguishes only {}: {}:",
                  sight == Sight::ranks ? "the number of ranks" : "the number of ranks, one a node and one node",
                  loss_text(price.sharing));
  for (std::size_t i = 0; i < std::min(kMostNamed, most.size()); ++i) {
    std::string layouts;
    for (const auto& [nodes, ppn] : most[i]->layouts)
      layouts += fmt::format("{}{} x {}", layouts.empty() ? "" : " and ", nodes, ppn);
    text += fmt::format("{} {} ({})", i == 0 ? "" : ",", layouts, most[i]->loss.cells);
  }
  if (most.size() > kMostNamed) text += fmt::format(", and {} more numbers of ranks", most.size() - kMostNamed);
  return text;
}

std::string own_text(const Price& price, const std::string& not_left) {
  std::string why;
  const auto add = [&](std::size_t cells, const std::string& reason) {
    if (cells > 0) why += fmt::format("{} {} {}", why.empty() ? "" : ",", cells, reason);
  };
  add(price.own_is_best, "where nothing that can be told is faster");
  add(price.own_for_layouts, "where another layout of as many ranks would lose");
  add(price.own_for_sizes, "where another size of the rule would lose, or gains little");
  add(price.own_for_inside, "where a rule would change " + not_left);
  add(price.unknown, "where the time of its own choice is not known");
  return fmt::format("  left to its own choice: {}:{}", counted(price.own() + price.unknown, "cell"), why);
}

std::string names_of(const std::vector<Collective>& collectives) {
  std::string names;
  for (const Collective collective : collectives)
    names += (names.empty() ? "" : ", ") + std::string(name_of(collective));
  return names;
}

/// What becomes of numbers of ranks and of sizes that were not tuned.
void append_untuned(std::vector<std::string>& lines, const PricedFile& priced, const ExportOptions& options) {
  if (options.extend)
    lines.push_back(std::string("numbers of ranks between two that were tuned have what loses least at these two, ") +
                    (priced.serves_beyond ? "numbers above the largest what that one has"
                                          : "numbers above the largest are left to the library"));
  else
    lines.push_back("numbers of ranks that were not tuned are left to the library" +
                    (priced.not_left.empty() ? "" : ", but for " + priced.not_left) + " (--extend gives them rules)");
  const std::string names = names_of(priced.for_all_sizes);
  const bool leaves_some = priced.for_all_sizes.size() < priced.collectives.size();
  std::string sizes = "sizes between two that were tuned have the lower one's rule";
  if (options.extend_sizes)
    sizes += ", those below the smallest and above the largest that one's";
  else if (leaves_some)
    sizes +=
        "; those below three quarters of the smallest, and from one and a half times the largest on, are left to the "
        "library (--extend-sizes gives them rules)";
  lines.push_back(sizes);
  if (!names.empty() && !options.extend_sizes)
    lines.push_back("sizes that were not tuned cannot be left to the library where rules serve all sizes: " + names);
  lines.push_back(priced.also_serves);
}

}  // namespace

std::vector<std::string> describe(const Table& table, const PricedFile& priced, const ExportOptions& options) {
  std::vector<std::string> lines{fmt::format(
      "machine {}, engine {}, mode {}, placement {}{}{}", table.machine, table.engine, table.mode, table.placement,
      table.loads.empty() ? "" : ", " + statistic_text(table) + " of calls " + loads_text(table),
      options.ppn ? ", " + counted(static_cast<std::uint64_t>(*options.ppn), "rank") + " per node alone" : "")};
  const auto gain_text = [&](const Price& price) -> std::string {
    if (price.cells == 0 && priced.own.empty()) return "nothing that the library can be told";
    if (price.cells == price.timeless)
      return "compared in no cell, as " +
             (price.cells == 0 ? "the time of " + priced.own + "'s own choice is known in none" : "the times are 0");
    if (priced.own.empty())
      return fmt::format("{:.4g} times as long as the table's best choices (geometric mean of {})",
                         1 / price.gains.file, counted(price.cells - price.timeless, "cell"));
    return fmt::format("{:.4g} times as fast as {}'s own choices (geometric mean of {}), slower in none",
                       price.gains.file, priced.own, counted(price.cells - price.timeless, "cell"));
  };
  const auto lost_text = [](const Price& price) {
    const Gains& gains = price.gains;
    return fmt::format(
        "  the table's best choices gain {:.4g}, the best that can be told {:.4g}, one for all layouts of as many "
        "ranks {:.4g}: lost {:.4g}",
        gains.best, gains.sayable, gains.together, gains.best / gains.file);
  };
  lines.push_back("by the table's predictions " + gain_text(priced.all));
  if (!priced.own.empty())
    lines.push_back(lost_text(priced.all));
  else
    lines.push_back("what " + priced.library +
                    " picks itself is not known here: the file says the best that can be told, wherever it can");
  if (!priced.out_of_order.empty())
    lines.push_back(
        "operators that do not commute get wrong results where the library follows this file, whatever the operator: " +
        names_of(priced.out_of_order) +
        ", and what it makes of these (--any-operator names nothing that is wrong for them)");
  append_untuned(lines, priced, options);
  lines.emplace_back(
      "gains and losses are those of what was tuned: what rules do to other sizes, numbers of ranks and communicators "
      "is not priced (tutti audit FILE TABLE --for LIBRARY --machine MACHINE prices what a table has of them)");
  for (const auto& [collective, price] : priced.collectives) {
    lines.push_back(fmt::format("{}: {}", name_of(collective), gain_text(price)));
    if (!priced.own.empty() && price.gains.best > price.gains.file) lines.push_back(lost_text(price));
    if (price.substitution.cells > 0) lines.push_back(substituted_text(price, options));
    if (!price.shared.empty()) lines.push_back(shared_text(price, priced.sight));
    if (price.merging.cells > 0) lines.push_back("  merged sizes: " + loss_text(price.merging));
    if (price.giving_up.cells > 0)
      lines.push_back("  given up for " + priced.not_left + ": " + loss_text(price.giving_up));
    if (price.own() + price.unknown > 0) lines.push_back(own_text(price, priced.not_left));
    if (price.timeless > 0)
      lines.push_back(
          fmt::format("  in no mean: {}, where the best takes no time at all", counted(price.timeless, "cell")));
    if (price.inferred > 0)
      lines.push_back("  not simulated but inferred: times of " + counted(price.inferred, "cell"));
  }
  lines.insert(lines.end(), priced.remarks.begin(), priced.remarks.end());
  return lines;
}

}  // namespace tutti
