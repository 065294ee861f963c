#include "calibration/collective_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/error.hpp"
#include "base/sizes.hpp"
#include "calibration/csv_columns.hpp"
#include "calibration/fujitsu_labels.hpp"
#include "calibration/schedgen.hpp"

namespace tutti {
namespace {

constexpr int most_ranks = 1 << 24;

class Header {
 public:
  explicit Header(const InputText& text) : cells_(split_csv(text.line(1))) {
    for (const char* name : {"system", "collective", "algorithm", "ranks", "ppn", "bytes", "median_us"})
      if (!find(name))
        throw text.error(1, fmt::format("no column '{}', expected a table of measured collectives", name));
  }
  std::optional<std::size_t> find(const std::string& name) const {
    const auto found = std::find(cells_.begin(), cells_.end(), name);
    return found == cells_.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - cells_.begin()));
  }
  std::size_t size() const { return cells_.size(); }

 private:
  std::vector<std::string> cells_;
};

int parse_count(const InputText& text, int line, const std::string& cell, const char* what) {
  const std::int64_t value = parse_bytes(text, line, cell);
  if (value < 1 || value > most_ranks)
    throw text.error(line, fmt::format("{} '{}', expected 1 to {}", what, cell, most_ranks));
  return static_cast<int>(value);
}

/// What a label of PICO's says: an algorithm, and the segment in bytes (0: none is named).
struct Label {
  std::string name;
  std::int64_t segment = 0;
};

/// Several of PICO's labels send the same messages: those that find who exchanges what in tables or by computing it
/// (static, remap), powers of two and even numbers of ranks, a tree followed by its own or by negabinary numbers.
Label label_of(const CollectiveRow& row) {
  const std::string& label = row.algorithm;
  // PICO's own k_bruck, of radix 2, gathers in the receive buffer and moves the blocks there, as Open MPI's Bruck does.
  if (row.implementation == "picolib" && row.collective == Collective::allgather && label == "k_bruck")
    return {"bruck"};
  static const std::map<std::string, std::string> same{{"bine_block_by_block_any_even", "bine_block_by_block"},
                                                       {"bine_permute_static", "bine_permute_remap"},
                                                       {"bine_send_static", "bine_send_remap"},
                                                       {"bine_bdw_static", "bine_bdw_remap"},
                                                       {"bine_lat_reversed", "bine_lat_i_new"}};
  if (const auto found = same.find(label); found != same.end()) return {found->second};
  const std::string segmented = "bine_bdw_remap_segmented_";
  if (label.starts_with(segmented)) try {
      return {"bine_bdw_remap", parse_size(label.substr(segmented.size()))};
    } catch (const InputError&) {  // some other algorithm's name
    }
  return {label};
}

/// What a library runs under its own name for an algorithm where that differs from ours; an empty name: nobody knows.
Label library_label_of(const CollectiveRow& row) {
  const bool mpich = row.library.find("MPICH") != std::string::npos || row.library.find("CRAY") != std::string::npos;
  // MPICH's Bruck gathers in a scratch buffer, as k_bruck does; ours is Open MPI's, which moves blocks in place.
  if (mpich && row.collective == Collective::allgather && row.algorithm == "bruck") return {"k_bruck"};
  // PICO's own Open MPI numbers algorithms in its own way: on 16 nodes of Leonardo each rank would receive 8 GB in
  // 267 ms by this one, which is more than adapters of 25 GB/s can bring. The times are those of Rabenseifner's.
  const bool custom = row.library.starts_with("custom");
  if (custom && row.collective == Collective::allreduce && row.algorithm == "allgather_reduce") return {""};
  return {row.algorithm};
}

/// PICO's rules make Open MPI's barriers recursive doubling at all sizes (selector/ompi_dynamic_rules.txt). What Cray
/// MPICH does is not known; small trees measured under it show no rank that waits for others to leave the barrier.
std::string barrier_of(const InputText& text, int line, const std::string& given, const CollectiveRow& row) {
  if (given == "none" || given == "hardware") return "";  // a network's own barrier ends everywhere at once
  if (given.empty()) return row.library.find("CRAY") == std::string::npos ? "recursive_doubling" : "";
  try {
    const Algorithm& barrier = find_algorithm(Collective::barrier, given);
    const Case c{Collective::barrier, row.ranks, 0, 1, 0, false, Operator::sum};
    if (const std::string reason = why_not(default_choice(barrier), c); !reason.empty())
      throw InputError(barrier.full_name() + " cannot run: it " + reason);
    return barrier.name();
  } catch (const InputError& error) {
    throw text.error(line, error.what());
  }
}

Statistic statistic_of(const InputText& text, int line, const std::string& given) {
  if (given.empty() || given == "longest") return Statistic::longest;
  if (given == "mean") return Statistic::mean;
  if (given == "min") return Statistic::least;
  throw text.error(line, fmt::format("statistic '{}', expected longest, mean or min", given));
}

}  // namespace

CollectiveRows read_collective_rows(const std::filesystem::path& file, const std::string& system) {
  const InputText text = InputText::load(file);
  const Header header(text);
  CollectiveRows read;
  for (int line = 2; line <= text.lines(); ++line) {
    if (trim(text.line(line)).empty() || trim(text.line(line)) == trim(text.line(1))) continue;  // files in a row
    const std::vector<std::string> cells = split_csv(text.line(line));
    if (cells.size() != header.size())
      throw text.error(line, fmt::format("{} cells, expected {} as in the header", cells.size(), header.size()));
    const auto cell = [&](const char* name) {
      const auto column = header.find(name);
      return column ? cells[*column] : std::string();
    };
    const std::string of = cell("system");
    if (of == "system") throw text.error(line, "another header, expected the columns of line 1");
    ++read.in_file;
    if (of != system) continue;
    CollectiveRow row;
    row.line = line;
    row.system = system;
    row.implementation = cell("implementation");
    row.library = cell("library");
    try {
      row.collective = collective_named(cell("collective"));
    } catch (const InputError& error) {
      throw text.error(line, error.what());
    }
    row.algorithm = cell("algorithm");
    row.ranks = parse_count(text, line, cell("ranks"), "ranks");
    row.barrier = barrier_of(text, line, cell("barrier"), row);
    row.ppn = parse_count(text, line, cell("ppn"), "ppn");
    row.bytes = parse_bytes(text, line, cell("bytes"));
    row.seconds = parse_positive(text, line, cell("median_us"), "median_us") * 1e-6;
    row.statistic = statistic_of(text, line, cell("statistic"));
    const std::string background = cell("background");
    row.beside_a_job = !background.empty() && background != "none";
    const std::string map_by = cell("map_by");
    row.by_socket = map_by == "socket";
    if (!row.by_socket && !map_by.empty() && map_by != "core")
      throw text.error(line, fmt::format("map_by '{}', expected core or socket", map_by));
    try {
      case_of(row);  // refuses sizes that are none of whole elements
    } catch (const InputError& error) {
      throw text.error(line, error.what());
    }
    if (const std::string placement = cell("placement"); !placement.empty())
      row.placement = (file.parent_path() / "placements" / placement).string();
    read.rows.push_back(std::move(row));
  }
  if (read.rows.empty())
    throw text.error(1, fmt::format("no row of the system '{}', expected the machine's name in some", system));
  return read;
}

bool is_schedgen(const CollectiveRow& row) { return row.implementation == "schedgen"; }

std::string selected_name(const CollectiveRow& row) {
  return is_fujitsu(row.implementation) ? fujitsu_algorithm(row.collective, row.implementation, row.algorithm)
                                        : row.algorithm;
}

Case case_of(const CollectiveRow& row) {
  const std::int32_t element_bytes = is_schedgen(row)              ? 1
                                     : row.implementation == "osu" ? default_element_bytes(row.collective)
                                                                   : 4;
  Case c{row.collective, row.ranks, 0, element_bytes, 0, false, Operator::sum};
  c.count = count_for_total_bytes(row.collective, row.ranks, c.element_bytes, row.bytes);
  return c;
}

namespace {

/// Of a label that is a choice with parameters or parts.
std::optional<Choice> whole_choice(const CollectiveRow& row) {
  if (row.algorithm.find_first_of(":(") == std::string::npos) return std::nullopt;
  try {
    return parse_choice(row.collective, row.algorithm);
  } catch (const InputError&) {
    return std::nullopt;  // some program's own label
  }
}

}  // namespace

bool choice_of(const CollectiveRow& row, Choice& choice) {
  if (is_schedgen(row)) {
    choice = {schedgen_schedule(row.collective, row.algorithm), {}};
    return choice.algorithm != nullptr;
  }
  const Label label = is_fujitsu(row.implementation)    ? Label{selected_name(row)}
                      : row.implementation == "library" ? library_label_of(row)
                                                        : label_of(row);
  const auto known = algorithms_of(row.collective);
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const Algorithm* a) { return a->name() == label.name; });
  if (found == known.end()) {
    const std::optional<Choice> whole = whole_choice(row);
    if (whole) choice = *whole;
    return whole && why_not(choice, case_of(row)).empty();
  }
  choice = default_choice(**found);
  // The segmented ring takes its segments from its own default; measurements forced it, and all others, without any.
  if (std::int64_t* value = value_of(choice, ParameterRole::segment); value && (*value > 0 || label.segment > 0))
    *value = label.segment > 0 ? label.segment : kLargestTotalBytes;
  return why_not(choice, case_of(row)).empty();
}

}  // namespace tutti
