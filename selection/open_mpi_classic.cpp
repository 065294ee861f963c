#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "algos/error.hpp"
#include "algos/registry.hpp"
#include "selection/export.hpp"
#include "selection/open_mpi_rules.hpp"

// Open MPI's classic rules file, read by coll/tuned of 4.1 and 5.0 (coll_tuned_dynamic_file.c):
//   number of collectives { id, number of communicator sizes { size, number of message sizes { bytes, algorithm,
//   fan-out, segment }}}
// The largest communicator size and message size not above the call's apply; a call below the first communicator size
// gets the first one's rules all the same. Algorithm 0 leaves the choice to the library. Sizes are those of our `total`
// convention, but: scan and exscan are looked up by (size of the element x ranks), and barriers by 0.

namespace tutti {
namespace {

int id_of(Collective collective) {
  switch (collective) {
    case Collective::allgather:
      return 0;
    case Collective::allreduce:
      return 2;
    case Collective::alltoall:
      return 3;
    case Collective::barrier:
      return 6;
    case Collective::bcast:
      return 7;
    case Collective::exscan:
      return 8;
    case Collective::gather:
      return 9;
    case Collective::reduce:
      return 11;
    case Collective::reduce_scatter:
      return 12;
    case Collective::reduce_scatter_block:
      return 13;
    case Collective::scan:
      return 14;
    case Collective::scatter:
      return 15;
  }
  throw std::logic_error("open_mpi_classic: unknown collective");
}

/// The collective is looked up by something else than its size: one rule serves all sizes.
bool has_one_rule(Collective c) { return c == Collective::barrier || c == Collective::scan || c == Collective::exscan; }

class OpenMpiClassic final : public Exporter {
 public:
  OpenMpiClassic(const char* name, const char* version) : name_(name), version_(version) {}
  std::string name() const override { return name_; }
  std::string description() const override {
    return fmt::format("rules file of Open MPI {} (coll_tuned_dynamic_rules_filename)",
                       version_ == "4.1" ? "4.1 and 5.0" : version_);
  }

  Exported write(const Table& table, const ExportOptions& options) const override {
    Exported exported;
    std::vector<Cell> cells = cells_by_ranks(table, options.ppn);
    for (Cell& cell : cells)
      std::erase_if(cell.seconds, [&](const auto& entry) {
        return !open_mpi_setting(parse_choice(cell.place.collective, entry.first), version_);
      });
    std::erase_if(cells, [](const Cell& cell) { return cell.seconds.empty(); });
    std::string body;
    int collectives = 0;
    for (std::size_t begin = 0; begin < cells.size();) {
      std::size_t end = begin;
      while (end < cells.size() && cells[end].place.collective == cells[begin].place.collective) ++end;
      body +=
          write_collective(std::span(cells).subspan(begin, end - begin), table.bound, options.extend, exported.remarks);
      ++collectives;
      begin = end;
    }
    if (collectives == 0)
      throw InputError("the table holds nothing that Open MPI " + version_ + " has" +
                       (options.ppn ? ", with " + std::to_string(*options.ppn) + " ranks per node" : ""));
    exported.text = fmt::format("# Tutti: machine {}, engine {}, mode {}, placement {}\n{}  # collectives\n",
                                table.machine, table.engine, table.mode, table.placement, collectives) +
                    body;
    return exported;
  }

 private:
  std::string write_collective(std::span<const Cell> cells, double bound, bool extend,
                               std::vector<std::string>& remarks) const {
    const Collective collective = cells.front().place.collective;
    std::string body;
    int sizes = 0, expected = 0;
    const auto leave_to_library = [&](int ranks) {
      body += fmt::format("{}  # ranks, from here on the library's own choice\n1\n0 0 0 0\n", ranks);
      ++sizes;
    };
    leave_to_library(0);
    for (std::size_t begin = 0; begin < cells.size();) {
      std::size_t end = begin;
      const int ranks = cells[begin].place.nodes;
      while (end < cells.size() && cells[end].place.nodes == ranks) ++end;
      if (!extend && expected != 0 && ranks != expected) leave_to_library(expected);
      body += write_ranks(cells.subspan(begin, end - begin), bound);
      ++sizes;
      expected = ranks + 1;
      begin = end;
    }
    if (!extend) leave_to_library(expected);
    if (has_one_rule(collective) && collective != Collective::barrier)
      remarks.push_back(
          fmt::format("{}: Open MPI cannot choose by size here; one algorithm serves all sizes", name_of(collective)));
    return fmt::format("{}  # {}\n{}  # communicator sizes\n", id_of(collective), name_of(collective), sizes) + body;
  }

  std::string write_ranks(std::span<const Cell> cells, double bound) const {
    const Collective collective = cells.front().place.collective;
    const std::vector<Rule> rules =
        has_one_rule(collective) ? std::vector{best_for_all(cells)} : merge_cells(cells, bound);
    std::string body = fmt::format("{}  # ranks\n{}  # message sizes\n", cells.front().place.nodes, rules.size());
    for (const Rule& rule : rules) {
      const OpenMpiSetting setting = *open_mpi_setting(parse_choice(collective, rule.algorithm), version_);
      body += fmt::format("{} {} {} {}  # {}\n", rule.from_bytes, setting.algorithm, setting.fanout, setting.segment,
                          rule.algorithm);
    }
    return body;
  }

  /// The choice whose worst time relative to the best over all sizes is least, where it can run at all.
  static Rule best_for_all(std::span<const Cell> cells) {
    Rule rule;
    std::pair<std::size_t, double> least{cells.size() + 1, 0};
    std::set<std::string> names;
    for (const Cell& cell : cells)
      for (const auto& [name, relative] : cell.seconds) names.insert(name);
    for (const std::string& name : names) {
      std::pair<std::size_t, double> missing_and_worst{0, 0};
      for (const Cell& cell : cells) {
        const auto found = cell.seconds.find(name);
        if (found == cell.seconds.end())
          ++missing_and_worst.first;
        else
          missing_and_worst.second = std::max(missing_and_worst.second, found->second);
      }
      if (missing_and_worst < least) least = missing_and_worst, rule.algorithm = name;
    }
    return rule;
  }

  std::string name_, version_;
};

const OpenMpiClassic classic("open-mpi-classic", "4.1"), classic_5("open-mpi-classic-5.0", "5.0");
const ExporterRegistration registered(&classic), registered_5(&classic_5);

}  // namespace

std::optional<OpenMpiSetting> open_mpi_setting(const Choice& choice, const std::string& version) {
  const auto& ids = choice.algorithm->open_mpi();
  const auto id = ids.find(version);
  if (id == ids.end()) return std::nullopt;
  OpenMpiSetting setting{id->second, 0, 0};
  for (std::size_t i = 0; i < choice.parameters.size(); ++i) {
    const auto& [name, value] = choice.parameters[i];
    if (name == "segment")
      setting.segment = value;
    else if (name == "fanout")
      setting.fanout = value;
    else if (value != choice.algorithm->parameters()[i].standard)
      return std::nullopt;
  }
  return setting;
}

}  // namespace tutti
