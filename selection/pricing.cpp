#include "selection/pricing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "selection/baselines.hpp"
#include "selection/candidates.hpp"
#include "selection/file_rules.hpp"
#include "selection/offers.hpp"
#include "selection/operand_order.hpp"
#include "selection/own_choices.hpp"
#include "selection/undecided.hpp"

namespace tutti {
namespace {

struct PricedStep {
  std::string choice;  // empty: the library's own
  double seconds = 0;
};

/// What one cell gets with less and less freedom.
struct Steps {
  PricedStep best, sayable, together, apart, file;
  double own_seconds = 0;
  bool inferred = false;
};

class GeometricMean {
 public:
  void add(double ratio) {
    logarithms_ += std::log(ratio);
    ++cells_;
  }
  operator double() const { return cells_ == 0 ? 1 : std::exp(logarithms_ / static_cast<double>(cells_)); }

 private:
  double logarithms_ = 0;
  std::size_t cells_ = 0;
};

class LossSum {
 public:
  void add(const PricedStep& gets, const PricedStep& might_get) {
    if (gets.seconds <= might_get.seconds) return;
    ++cells_;
    if (const auto ratio = ratio_of_times(gets.seconds, might_get.seconds)) mean_.add(*ratio);
  }
  operator Slowdown() const { return {cells_, mean_}; }

 private:
  std::size_t cells_ = 0;
  GeometricMean mean_;
};

/// Adds up cells.
class Sums {
 public:
  void add(const Place& place, Sight sight, const Steps& s, double bound) {
    ++price_.cells;
    price_.inferred += s.inferred;
    add_gains(s);
    substitution_.add(s.sayable, s.best);
    if (s.sayable.seconds > s.best.seconds) substituted_[{s.best.choice, s.sayable.choice}].add(s.sayable, s.best);
    sharing_.add(s.together, s.sayable);
    merging_.add(s.apart, s.together);
    giving_up_.add(s.file, s.apart);
    price_.changed += s.sayable.seconds > s.best.seconds || s.together.seconds > s.sayable.seconds ||
                      s.file.seconds > s.together.seconds * (1 + bound);
    const SeenLayout layout = seen(sight, place.nodes, place.ranks());
    auto& [layouts, loss] = layouts_[{ranks_of(sight, layout), layout}];
    layouts.insert({place.nodes, place.ppn});
    loss.add(s.together, s.sayable);
    if (s.file.choice != kOwnChoice) return;
    ++(s.sayable.choice == kOwnChoice    ? price_.own_is_best
       : s.together.choice == kOwnChoice ? price_.own_for_layouts
       : s.apart.choice == kOwnChoice    ? price_.own_for_sizes
                                         : price_.own_for_inside);
  }
  void add_unknown(bool changed) { ++price_.unknown, price_.changed += changed; }

  Price price() const {
    Price price = price_;
    price.gains = {best_, sayable_, together_, file_};
    price.substitution = substitution_, price.sharing = sharing_, price.merging = merging_;
    price.giving_up = giving_up_;
    for (const auto& [names, loss] : substituted_) price.substituted.push_back({names.first, names.second, loss});
    std::stable_sort(price.substituted.begin(), price.substituted.end(),
                     [](const Substitution& a, const Substitution& b) { return a.loss.cells > b.loss.cells; });
    for (const auto& [key, shared] : layouts_)
      if (shared.first.size() > 1)
        price.shared.push_back({key.first, {shared.first.begin(), shared.first.end()}, shared.second});
    return price;
  }

 private:
  /// All four are means over the same cells.
  void add_gains(const Steps& s) {
    const auto best = ratio_of_times(s.own_seconds, s.best.seconds),
               sayable = ratio_of_times(s.own_seconds, s.sayable.seconds),
               together = ratio_of_times(s.own_seconds, s.together.seconds),
               file = ratio_of_times(s.own_seconds, s.file.seconds);
    if (best && sayable && together && file)
      best_.add(*best), sayable_.add(*sayable), together_.add(*together), file_.add(*file);
    else
      ++price_.timeless;
  }

  Price price_;
  GeometricMean best_, sayable_, together_, file_;
  LossSum substitution_, sharing_, merging_, giving_up_;
  std::map<std::pair<std::string, std::string>, LossSum> substituted_;
  std::map<std::pair<int, SeenLayout>, std::pair<std::set<std::pair<int, int>>, LossSum>> layouts_;
};

[[noreturn]] void fault(const Cell& cell, const std::string& what) {
  throw std::logic_error("export: " + std::string(name_of(cell.place.collective)) + " of " +
                         std::to_string(cell.bytes) + " bytes on " + std::to_string(cell.place.nodes) + " x " +
                         std::to_string(cell.place.ppn) + " ranks: the file says " + what);
}

PricedStep step(const std::string& choice, const Cell& cell, double own_seconds) {
  return {choice, choice == kOwnChoice ? own_seconds : cell.seconds.at(choice)};
}

/// Whether the time that the price goes by was inferred: of what the file says, or of the library's own choice.
bool is_inferred(const Cell& cell, const Steps& steps, const Baseline& library) {
  return cell.inferred.contains(steps.file.choice) || own_is_inferred(cell, library);
}

PricedStep file_step(const std::optional<Choice>& said, const Cell& cell, double own_seconds) {
  if (!said) return {kOwnChoice, own_seconds};
  const auto found = find_seconds(cell, *said);
  if (found == cell.seconds.end()) fault(cell, said->text() + ", of which the table has no time");
  if (found->second > own_seconds) fault(cell, said->text() + ", which is slower than the library's own choice");
  return {found->first, found->second};
}

/// What the cell's rule says apart from all others; nothing where there is none.
std::optional<PricedStep> apart_step(std::span<const FileRules> apart, const SeenLayout& layout, std::int64_t bytes,
                                     const Cell& cell, double own_seconds) {
  for (const FileRules& of_layout : apart) {
    if (of_layout.collective != cell.place.collective || of_layout.layout != layout) continue;
    for (const Rule& rule : of_layout.rules)
      if (rule.from_bytes <= bytes && bytes <= rule.to_bytes) return step(rule.algorithm, cell, own_seconds);
  }
  return std::nullopt;
}

constexpr const char* kMadeOfOthers =
    "the library's own choice is made of other collectives, for which this file has rules: what it takes then is not "
    "known, and in no sum here (tutti audit FILE TABLE --for LIBRARY --machine MACHINE simulates it)";

/// The collectives for which the rules name what is wrong for operators that do not commute, and would be run for them.
std::vector<Collective> out_of_order(const std::vector<FileRules>& rules, const Exporter& exporter) {
  std::set<Collective> found;
  for (const FileRules& of_layout : rules)
    for (const Rule& rule : of_layout.rules) {
      if (rule.algorithm == kOwnChoice) continue;
      const Choice choice = parse_choice(of_layout.collective, rule.algorithm);
      if (exporter.minds_operators(choice)) continue;
      const Place place{of_layout.collective, 1, std::max(ranks_of(exporter.sight(), of_layout.layout), 2)};
      constexpr std::int64_t kBytes = 1 << 20;  // fall-backs for few elements tell nothing of a rule
      if (breaks_order(choice, case_for(place, kBytes))) found.insert(of_layout.collective);
    }
  return {found.begin(), found.end()};
}

bool some_give_way(const std::vector<FileRules>& rules, const Exporter& exporter) {
  return std::any_of(rules.begin(), rules.end(), [&](const FileRules& of_layout) {
    return std::any_of(of_layout.rules.begin(), of_layout.rules.end(), [&](const Rule& rule) {
      return rule.algorithm != kOwnChoice && exporter.may_give_way(parse_choice(of_layout.collective, rule.algorithm));
    });
  });
}

/// How to tune so that the library's own times are there.
std::string how_to_know(const std::string& library) {
  return "tutti tune with --for " + library + " or --baselines " + library + " finds it";
}

}  // namespace

std::optional<double> ratio_of_times(double seconds, double other_seconds) {
  return seconds > 0 && other_seconds > 0 ? std::optional(seconds / other_seconds) : std::nullopt;
}

PricedFile price(const Table& table, const Exporter& exporter, const TuningFile& file, const ExportOptions& options,
                 std::span<const FileRules> apart) {
  const Baseline* library = own_choices_of(exporter, table);
  std::map<std::tuple<Collective, SeenLayout, std::int64_t>, std::string> together;
  for (const auto& [key, offers] : offers_for(table, exporter, options))
    for (const Cell& offer : offers) together[{key.first, key.second, offer.bytes}] = best_offer(offer)->first;
  Sums all;
  std::map<Collective, Sums> collectives;
  std::map<std::string, std::size_t> stand_ins;
  std::map<Collective, std::string> spreads;
  std::set<Collective> for_all_sizes;
  std::size_t undecided = 0, no_tune_knows = 0;
  for (const Cell& cell : table.cells) {
    if (options.ppn && cell.place.ppn != *options.ppn) continue;
    const Case c = case_for(cell.place, cell.bytes);
    Sums& here = collectives[cell.place.collective];
    if (!cell.place.counts.empty()) spreads.emplace(cell.place.collective, cell.place.counts);
    const std::optional<Choice> said = file.choice(c, cell.place.on_nodes());
    if (said && !leaves_sizes(exporter, c.collective)) for_all_sizes.insert(c.collective);
    bool is_otherwise = false;  // the library's own choice, under this file
    bool is_none_of_ours = false;
    if (library) {
      const auto own = pick_if_ours(*library, c, cell.place.on_nodes());
      if (own && !own->remark.empty()) ++stand_ins[own->remark];
      is_none_of_ours = !own;
      is_otherwise = own && !said && file.under_file(own->choice, c, cell.place.on_nodes(), nullptr) != own->choice;
    }
    undecided += !cell.undecided.empty();
    const auto fastest = best_offer(cell);
    // Where nobody knows the library's own choices, what is said is beside the table's best.
    const std::optional<double> own = library ? own_seconds(cell, *library) : std::optional(fastest->second);
    if (!own && said) fault(cell, "something else than the library's own choice, whose time is not known");
    if (!own || (!library && !said)) {
      no_tune_knows += is_none_of_ours;
      all.add_unknown(!library), here.add_unknown(!library);
      continue;
    }
    if (is_otherwise) {
      ++stand_ins[kMadeOfOthers];
      all.add_unknown(true), here.add_unknown(true);  // whether it loses is not known, either
      continue;
    }
    Steps steps;
    steps.own_seconds = *own;
    steps.best =
        fastest->second < *own || !library ? PricedStep{fastest->first, fastest->second} : PricedStep{kOwnChoice, *own};
    steps.sayable = step(best_offer(offer_for(cell, exporter, library, options.any_operator))->first, cell, *own);
    const SeenLayout layout = seen(exporter.sight(), cell.place.nodes, cell.place.ranks());
    const std::int64_t looked_up = exporter.looked_up_bytes(c.collective, c.ranks, cell.bytes);
    steps.together = step(together.at({cell.place.collective, layout, looked_up}), cell, *own);
    steps.file = file_step(said, cell, library ? *own : std::numeric_limits<double>::infinity());
    steps.apart = apart_step(apart, layout, looked_up, cell, *own).value_or(steps.file);
    steps.inferred = library ? is_inferred(cell, steps, *library) : cell.inferred.contains(steps.file.choice);
    all.add(cell.place, exporter.sight(), steps, table.bound);
    here.add(cell.place, exporter.sight(), steps, table.bound);
  }
  PricedFile priced{exporter.library(),
                    library ? library->name : "",
                    exporter.sight(),
                    exporter.serves_beyond(),
                    exporter.also_serves(),
                    exporter.not_left(),
                    all.price(),
                    {},
                    {},
                    {for_all_sizes.begin(), for_all_sizes.end()}};
  for (const auto& [collective, sums] : collectives) {
    priced.collectives.emplace_back(collective, sums.price());
    if (const std::string remark = exporter.cannot_tell(collective); !remark.empty())
      priced.remarks.push_back(std::string(name_of(collective)) + ": " + remark);
  }
  if (!library)
    for (const std::string& version : known_versions_of(exporter))
      priced.remarks.push_back("what " + version + " picks itself is known: with tutti tune --baselines " + version +
                               " the file is priced beside that, and slower in no cell");
  if (library && library->name != exporter.library())
    priced.remarks.push_back("own choices are those of " + library->name + ": " + library->description);
  if (!table.library.empty() && table.library != exporter.library())
    priced.remarks.push_back("the table was tuned among what " + table.library + " can be told alone");
  for (const auto& [collective, counts] : spreads)
    priced.remarks.push_back(std::string(name_of(collective)) + ": tuned for counts " + counts +
                             "; the rules serve whatever counts a call has, which no tuning file tells apart");
  for (const auto& [remark, cells] : stand_ins) priced.remarks.push_back(counted(cells, "cell") + ": " + remark);
  if (undecided > 0) priced.remarks.push_back(undecided_text(undecided));
  if (priced.all.cells == 0 && !library) throw InputError("nothing of the table can be told to " + exporter.library());
  if (priced.all.cells == 0 && no_tune_knows == priced.all.unknown)
    throw InputError(
        "what " + library->name +
        " picks itself is in no cell of the table an algorithm of ours, so that no file can be priced beside it");
  if (priced.all.cells == 0)
    throw InputError("the table does not say what " + library->name +
                     "'s own choices take: " + how_to_know(library->name));
  if (no_tune_knows > 0)
    priced.remarks.push_back(
        counted(no_tune_knows, "cell") + ": " + library->name +
        " runs none of our algorithms there, so that its time is not known; its own choice is kept");
  if (const std::size_t otherwise = stand_ins[kMadeOfOthers] + no_tune_knows; priced.all.unknown > otherwise && library)
    priced.remarks.push_back(counted(priced.all.unknown - otherwise, "cell") + ": what " + library->name +
                             "'s own choice takes is not known, which is kept there; " + how_to_know(library->name));
  return priced;
}

Exported export_table(const Table& whole, const Exporter& exporter, const ExportOptions& options) {
  Table table = whole;
  const std::vector<Collective> unserved = take_out_unserved(table, exporter);
  const Offers offers = offers_for(table, exporter, options);
  if (offers.empty())
    throw InputError("the table has no cells" +
                     (options.ppn ? " with " + std::to_string(*options.ppn) + " ranks per node" : ""));
  const auto rules_for = [&](const Offers& offered) {
    std::vector<FileRules> rules = file_rules(offered, exporter, table.bound, options);
    note_layouts(rules, table, exporter, options.ppn);
    return rules;
  };
  std::vector<FileRules> rules = rules_for(offers);
  const std::vector<FileRules> certain =
      some_give_way(rules, exporter) ? rules_for(only_certain(offers, exporter)) : rules;
  const std::vector<FileRules> apart = exporter.not_left().empty() ? std::vector<FileRules>() : rules;
  rules = exporter.settled(std::move(rules), certain);
  const auto priced = [&](const std::string& text) {
    return price(table, exporter, *exporter.read(text, exporter.name()), options, apart);
  };
  // What is said above the rules follows from them.
  PricedFile without = priced(exporter.write(rules, {}));
  std::vector<std::string> left = options.extend ? left_between(rules, exporter) : std::vector<std::string>();
  for (const Collective collective : unserved)
    left.push_back(std::string(name_of(collective)) + ": " + exporter.name() +
                   " has no choice to make for it, so that it is not in the file");
  without.remarks.insert(without.remarks.end(), left.begin(), left.end());
  without.out_of_order = out_of_order(rules, exporter);
  Exported exported;
  exported.text = exporter.write(rules, describe(table, without, options));
  exported.priced = priced(exported.text);
  exported.priced.remarks.insert(exported.priced.remarks.end(), left.begin(), left.end());
  exported.priced.out_of_order = without.out_of_order;
  return exported;
}

std::map<std::string, RulesGain> gains_of_rules(const Table& table) {
  std::map<std::string, RulesGain> gains;
  for (const Cell& cell : table.cells) {
    const Rule* rule = look_up(table, cell.place, cell.bytes);
    if (!rule) continue;
    const double mine = cell.seconds.at(rule->algorithm);
    for (const auto& [library, seconds] : cell.default_seconds) {
      const std::optional<double> ratio = ratio_of_times(seconds, mine);
      if (!ratio) continue;
      gains[library].times_as_fast += std::log(*ratio);
      ++gains[library].cells;
    }
  }
  for (auto& [library, gain] : gains)
    gain.times_as_fast = gain.cells == 0 ? 1 : std::exp((gain.times_as_fast - 1) / static_cast<double>(gain.cells));
  return gains;
}

}  // namespace tutti
