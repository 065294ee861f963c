// What is written is read back: every exporter, on tables that nobody chose.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "base/error.hpp"
#include "selection/baselines.hpp"
#include "selection/candidates.hpp"
#include "selection/file_rules.hpp"
#include "selection/own_choices.hpp"
#include "selection/pricing.hpp"

namespace tutti {
namespace {

using Random = std::mt19937_64;

template <class T>
T pick_of(const std::vector<T>& all, Random& random) {
  return all[random() % all.size()];
}

const std::vector<std::int64_t> kSizes{0, 8, 64, 1000, 4096, 65'536, 524'288, 1 << 20, 1 << 26};

/// One that the file may have rules for.
Collective random_collective(Random& random, const Exporter& exporter) {
  constexpr Collective kIrregular[] = {Collective::allgatherv, Collective::alltoallv};
  const Collective irregular = kIrregular[random() % 2];
  if (random() % 4 == 0 && exporter.serves(irregular)) return irregular;
  return static_cast<Collective>(random() % kCollectives);
}

std::string counts_for(Collective collective) { return is_regular(collective) ? "" : "zipf:1.2"; }

/// Two collectives on some layouts, some candidates each with a time, and what a library's own choice takes.
Table random_table(Random& random, const Exporter& exporter, const std::vector<std::string>& libraries) {
  Table table;
  table.machine = "a-machine", table.engine = "fast", table.mode = "isolated", table.placement = "block";
  table.bound = random() % 2 == 0 ? 0.05 : 0;
  std::map<std::pair<Place, std::int64_t>, Cell> cells;
  for (int i = 0; i < 2; ++i) {
    const auto collective = random_collective(random, exporter);
    std::vector<Choice> few;
    few.reserve(12);
    const std::vector<Choice> all = candidate_choices(collective, {});
    for (int k = 0; k < 12; ++k) few.push_back(pick_of(all, random));
    for (int k = 0; k < 8; ++k) {
      const Place place{collective, pick_of<int>({1, 2, 3, 4, 7, 8, 16}, random), pick_of<int>({1, 2, 3, 4}, random),
                        counts_for(collective)};
      if (place.ranks() < 2) continue;
      for (int s = 0; s < 4; ++s) {
        const Case c = case_for(place, collective == Collective::barrier ? 0 : pick_of(kSizes, random));
        Cell cell{place, total_bytes(c), {}};
        for (const std::size_t a : distinct_choices(few, c))
          cell.seconds[few[a].text()] = 1e-6 * static_cast<double>(1 + random() % 1000);
        if (cell.seconds.empty()) continue;
        for (const std::string& library : libraries) {
          cell.default_seconds[library] = 1e-6 * static_cast<double>(1 + random() % 2000);
          const auto same = find_seconds(cell, pick(find_baseline(library), c, place.on_nodes()).choice);
          if (same != cell.seconds.end()) cell.default_seconds[library] = same->second;
        }
        cells[{place, cell.bytes}] = cell;
      }
    }
  }
  for (auto& [key, cell] : cells) table.cells.push_back(std::move(cell));
  derive_rules(table);
  return table;
}

/// What the rules say there; kOwnChoice, too, where they say nothing.
std::string said_by_rules(const std::vector<FileRules>& rules, const Exporter& exporter, const Case& c, int nodes) {
  const SeenLayout layout = seen(exporter.sight(), nodes, c.ranks);
  const std::int64_t bytes = exporter.looked_up_bytes(c.collective, c.ranks, total_bytes(c));
  const bool is_single = !exporter.serves_beyond();  // it tells single numbers of nodes or ranks, and says so
  const bool is_hierarchical = nodes > 1 && nodes < c.ranks;
  for (const FileRules& each : rules)
    if (each.collective == c.collective && !(each.inside && is_hierarchical) && each.layout.kind == layout.kind &&
        each.layout.size <= layout.size &&
        layout.size <= (is_single && each.last_size == FileRules::kNoEnd ? each.layout.size : each.last_size))
      for (const Rule& rule : each.rules)
        if (rule.from_bytes <= bytes && bytes <= rule.to_bytes) return rule.algorithm;
  return kOwnChoice;
}

/// A library runs the one where the other is meant: the same by another name, or its own choice where that is the same.
bool is_the_same(const std::string& wanted, const std::optional<Choice>& found, const Exporter& exporter, const Case& c,
                 int nodes) {
  const Baseline* library = own_choices_of(exporter);
  const auto own = [&] { return pick(*library, c, evenly(nodes, c.ranks)).choice; };
  if (wanted == kOwnChoice) return !found || (library && normalized(*found, c) == normalized(own(), c));
  const Choice choice = parse_choice(c.collective, wanted);
  if (found) return normalized(*found, c) == normalized(choice, c);
  if (!library) return false;
  const bool is_hierarchical = nodes > 1 && nodes < c.ranks;
  // MPICH runs these nowhere else.
  if (choice.algorithm->is_by_node() && !is_hierarchical) return true;
  // MPICH's run other algorithms on nodes, from these sizes on.
  const std::map<Collective, std::int64_t> inside_is_ours{
      {Collective::bcast, 12288}, {Collective::reduce, 2048}, {Collective::allreduce, 8}};
  const auto most = inside_is_ours.find(c.collective);
  if (choice.algorithm->name() == "smp" && most != inside_is_ours.end() && total_bytes(c) > most->second) return true;
  if (choice.algorithm->name() == "noncommutative" && c.count % c.ranks != 0) return true;
  if (choice.algorithm->name() == "rabenseifner" && c.count < c.ranks) return true;
  if (exporter.library().starts_with("mpich") && total_bytes(c) == 0)
    return true;  // its calls of nothing return at once
  return normalized(own(), c) == normalized(choice, c);
}

bool is_between_tuned(const Table& table, const Place& place, std::int64_t bytes) {
  bool has_smaller = false, has_larger = false;
  for (const Cell& cell : table.cells)
    if (cell.place == place) has_smaller |= cell.bytes <= bytes, has_larger |= cell.bytes >= bytes;
  return has_smaller && has_larger;
}

std::size_t tables_wanted() { return std::getenv("TUTTI_SLOW_TESTS") ? 1000 : 10; }

TEST(RandomTables, AreReadBackAsTheyWereWrittenAndEachLossIsCounted) {
  for (const Exporter* exporter : exporters()) {
    SCOPED_TRACE(exporter->name());
    std::vector<std::string> libraries;
    if (own_choices_of(*exporter)) libraries.push_back(exporter->library());
    Random random(7);
    std::size_t written = 0, asked = 0, told = 0, between = 0, lost = 0;
    for (std::size_t i = 0; written < tables_wanted() && i < 50 * tables_wanted(); ++i) {
      const Table table = random_table(random, *exporter, libraries);
      const ExportOptions options{std::nullopt, i % 2 == 1, i % 3 == 1};
      const Offers offers = offers_for(table, *exporter, options);
      const auto rules_for = [&](const Offers& offered) {
        std::vector<FileRules> of_offers = file_rules(offered, *exporter, table.bound, options);
        note_layouts(of_offers, table, *exporter, options.ppn);
        return of_offers;
      };
      const std::vector<FileRules> rules =
          exporter->settled(rules_for(offers), rules_for(only_certain(offers, *exporter)));
      std::optional<Exported> exported;
      try {
        exported = export_table(table, *exporter, options);
      } catch (const InputError& error) {
        EXPECT_TRUE(libraries.empty()) << error.what();  // nothing can be told
        continue;
      }
      ++written;
      const auto file = exporter->read(exported->text, "it");
      for (const LintFinding& finding : lint(*exporter, exported->text, "it"))
        // 4095 bytes of 3 ranks and 4096 of 4 may be beside each other, and the library's own choice hold of one alone.
        EXPECT_TRUE(finding.note || (finding.kind == "gap" && exporter->name() == "open-mpi-json"))
            << finding.line << ": " << finding.kind << ": " << finding.what << ": " << finding.matters << "\n"
            << (exported->text.size() < 5000 ? exported->text : "");
      int largest = 1;
      for (const Cell& cell : table.cells) largest = std::max(largest, cell.place.nodes);
      const auto compare = [&](const Place& place, std::int64_t bytes) {
        const Case c = case_for(place, place.collective == Collective::barrier ? 0 : bytes);
        const std::string wanted = said_by_rules(rules, *exporter, c, place.nodes);
        const std::optional<Choice> found = file->choice(c, place.on_nodes());
        Explanation why;
        ASSERT_EQ(file->decide(c, place.on_nodes(), &why), found);
        ASSERT_TRUE(!why.because.empty() && (!found || (why.told && !why.rule.empty()))) << name_of(c.collective);
        // On layouts and at sizes that nobody tuned, coll/han runs inside what the rules say for so few ranks, and has
        // other parts in its simple variant.
        const bool is_tuned = is_between_tuned(table, place, total_bytes(c));
        const bool by_han = exporter->name() == "open-mpi" && !is_tuned && found && found->algorithm->is_by_node();
        const bool to_han = wanted == kOwnChoice || wanted.starts_with("han_simple");
        ASSERT_TRUE((by_han && to_han) || is_the_same(wanted, found, *exporter, c, place.nodes))
            << name_of(c.collective) << " " << place.nodes << " x " << place.ppn << ", " << total_bytes(c)
            << " bytes: expected '" << wanted << "', found '" << (found ? found->text() : "") << "' in\n"
            << (exported->text.size() < 5000 ? exported->text : "");
        ++asked;
        told += wanted != kOwnChoice;
      };
      const auto compare_around = [&](const Place& place, std::int64_t bytes) {
        const std::int64_t element = default_element_bytes(place.collective);
        for (const std::int64_t other : {bytes - element, bytes, bytes + element})
          if (other >= 0) compare(place, other);
      };
      std::size_t lost_here = 0;
      for (const Cell& cell : table.cells) {
        compare_around(cell.place, cell.bytes);
        const auto found = file->choice(case_for(cell.place, cell.bytes), cell.place.on_nodes());
        const double own = libraries.empty() ? INFINITY : cell.default_seconds.at(libraries[0]);
        const double takes = found ? find_seconds(cell, *found)->second : own;
        lost_here += takes > std::min(own, best_seconds(cell)) * (1 + table.bound) * (1 + 1e-9);
      }
      EXPECT_GE(exported->priced.all.changed, lost_here);
      lost += lost_here;
      for (const Cell& cell : table.cells)  // beside them
        for (const int nodes : {cell.place.nodes - 1, cell.place.nodes + 1})
          if (nodes > 0 && nodes <= largest && nodes * cell.place.ppn > 1) {
            compare({cell.place.collective, nodes, cell.place.ppn, cell.place.counts}, cell.bytes + 4);
            ++between;
          }
    }
    EXPECT_EQ(written, tables_wanted());
    EXPECT_GT(told, 50u) << "of " << asked;
    EXPECT_GT(between, written);
    EXPECT_GT(lost, 0u);
  }
}

}  // namespace
}  // namespace tutti
