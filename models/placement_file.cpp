#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

#include "base/error.hpp"
#include "base/near_spelling.hpp"
#include "json/text_file.hpp"
#include "models/placement.hpp"
#include "topologies/torus_job.hpp"

namespace tutti {
namespace {

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t comma = line.find(',');
    fields.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

// Gives out the machine's groups, leaves and nodes to names as they appear. A "place" is a number of the machine at
// one level; every node lists its places from the outermost level that counts to itself.
class Names {
 public:
  explicit Names(const Network& network) : network_(network) {}

  // The machine's node for a node's name. Throws InputError without file and line.
  int node(const std::string& name, const std::string& group, const std::string& leaf) {
    const bool by_group = !group.empty() && network_.groups() > 0, by_leaf = !leaf.empty() && network_.leaves() > 0;
    int from = 0, to = network_.nodes();
    if (by_group) narrow(from, to, "group", group, [&](int node) { return network_.group_of(node); });
    if (by_leaf) narrow(from, to, "leaf", leaf, [&](int node) { return network_.leaf_of(node); });
    const bool agrees = said_.try_emplace(name, group, leaf).first->second == std::pair(group, leaf);
    const auto [found, first] = nodes_.try_emplace(name, -1);
    if (first) {
      int free = from;
      while (free < to && used_[free]) ++free;
      if (free == to)
        throw InputError("expected at most " + std::to_string(to - from) + " nodes " +
                         (by_leaf    ? "in leaf " + leaf
                          : by_group ? "in group " + group
                                     : "in the machine"));
      used_[free] = true;
      found->second = free;
    }
    if (!agrees || found->second < from || found->second >= to)
      throw InputError("expected node " + name + " in the same group and leaf as before");
    return found->second;
  }
  // The same where the name's node is known.
  void take(const std::string& name, int node) {
    const auto [found, first] = nodes_.try_emplace(name, node);
    if (found->second != node || (first && used_[node]))
      throw InputError("expected one place for each node, " + name + " is in another's or in two");
    used_[node] = true;
  }
  std::size_t nodes() const { return nodes_.size(); }

 private:
  // From the nodes [from, to) to those of the place that `name` has, or now gets, at one level. The machine numbers
  // nodes leaf by leaf and group by group, so that those are a run.
  template <class PlaceOf>
  void narrow(int& from, int& to, const std::string& level, const std::string& name, PlaceOf place_of) {
    std::map<std::string, int>& names = names_[level];
    const auto [found, first] = names.try_emplace(name, -1);
    std::map<int, bool>& taken = taken_[level];
    if (first) {
      for (int node = from; node < to && found->second < 0; ++node)
        if (!taken[place_of(node)]) found->second = place_of(node);
      if (found->second < 0)
        throw InputError("expected no further " + level + " than the machine's " +
                         std::to_string(place_of(to - 1) - place_of(from) + 1) + " here, got " + name);
      taken[found->second] = true;
    }
    int low = from;
    while (low < to && place_of(low) != found->second) ++low;
    int high = low;
    while (high < to && place_of(high) == found->second) ++high;
    if (low == high) throw InputError("expected " + level + " " + name + " in the same group as before");
    from = low, to = high;
  }

  const Network& network_;
  std::map<std::string, std::map<std::string, int>> names_;
  std::map<std::string, std::map<int, bool>> taken_;
  std::map<std::string, int> nodes_;
  std::map<std::string, std::pair<std::string, std::string>> said_;  // group and leaf of each
  std::vector<bool> used_ = std::vector<bool>(network_.nodes());
};

int whole_number_in(std::string_view text, const char* what) {
  int value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    throw InputError(std::string("expected a ") + what + " of 0 or more, got \"" + std::string(text) + "\"");
  return value;
}

// A line of a file that says where in the job's own torus its nodes are.
struct Place {
  int line, rank;
  std::string node;
  std::vector<int> at;
};

struct Reader {
  const std::string& origin;
  const Network& network;
  Names& names;
  std::map<int, int>& ranks_on;  // by node
  std::map<int, int> core_of{};  // by rank
  std::size_t columns = 0;
  bool has_coordinates = false;
  std::vector<Place> places{};  // where there are coordinates and the machine is a torus
  int line = 0;

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(origin + ":" + std::to_string(line) + ": " + message);
  }

  void read(std::string_view text) {
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (text.find('\0') != std::string_view::npos) fail("expected text, got a NUL byte");
    const std::vector<std::string_view> fields = fields_of(text);
    if (columns == 0) {
      columns = fields.size();
      has_coordinates = columns > 2 && fields[0] == "rank" && fields[2] == "x";
      if (columns < 2 || (columns > 4 && !has_coordinates)) fail("expected rank,node[,group[,leaf]]");
      if (fields[0] == "rank") return check_header(fields);
    }
    if (fields.size() != columns)
      fail("expected " + std::to_string(columns) + " columns as in the first line, got " +
           std::to_string(fields.size()));
    for (const std::string_view field : fields)
      if (field.empty() || field.find('"') != std::string_view::npos)
        fail(field.empty() ? "expected no empty field" : "expected names without quotes");
    try {
      const int rank = whole_number_in(fields[0], "rank");
      const auto text_of = [&](std::size_t column) {
        return column < columns && (column < 2 || !has_coordinates) ? std::string(fields[column]) : std::string();
      };
      std::vector<int> at;
      for (std::size_t axis = 2; has_coordinates && axis < columns; ++axis)
        at.push_back(whole_number_in(fields[axis], "coordinate"));
      if (has_coordinates && torus() != nullptr) {
        places.push_back({line, rank, text_of(1), std::move(at)});
      } else {
        take(rank, text_of(1), names.node(text_of(1), text_of(2), text_of(3)));
      }
    } catch (const InputError& problem) {
      fail(problem.what());
    }
  }

  /// Columns go by their places; their names must not say otherwise.
  void check_header(const std::vector<std::string_view>& names_of_columns) const {
    constexpr std::string_view kNames[] = {"rank", "node", "group", "leaf"};
    for (std::size_t i = 1; i < names_of_columns.size(); ++i)
      if (!(has_coordinates && i >= 2) && names_of_columns[i] != kNames[i])
        fail("expected rank,node[,group[,leaf]] or rank,node,x[,y[,z]], got the column '" +
             std::string(names_of_columns[i]) + "'");
  }

  const Torus* torus() const { return dynamic_cast<const Torus*>(&network.fabric()); }

  // Throws InputError without file and line.
  void take(int rank, const std::string& node_name, int node) {
    const int core = ranks_on[node]++;
    if (core >= network.cores_per_node())
      throw InputError("expected at most " + std::to_string(network.cores_per_node()) + " ranks on node " + node_name +
                       ", the cores of a node");
    if (!core_of.emplace(rank, node * network.cores_per_node() + core).second)
      throw InputError("expected each rank once, got " + std::to_string(rank) + " again");
  }

  // Only all of the coordinates say how large the job's torus is.
  void take_places() {
    std::vector<int> lengths(columns - 2, 1);
    for (const Place& place : places)
      for (std::size_t axis = 0; axis < lengths.size(); ++axis)
        lengths[axis] = std::max(lengths[axis], place.at[axis] + 1);
    try {
      const TorusJob job(*torus(), lengths);
      for (const Place& place : places) {
        line = place.line;
        const int node = job.node(place.at);
        names.take(place.node, node);
        take(place.rank, place.node, node);
      }
    } catch (const InputError& problem) {
      fail(problem.what());
    }
  }

  void finish(const PlacementExpected& expected) {
    if (!places.empty()) take_places();
    if (core_of.empty()) fail("expected lines rank,node[,group[,leaf]]");
    int next = 0;
    for (const auto& [rank, core] : core_of)
      if (rank != next++)
        fail("expected all ranks of 0 to " + std::to_string(core_of.rbegin()->first) + ", " + std::to_string(next - 1) +
             " is missing");
    const auto agree = [&](const char* what, std::optional<int> given, int here) {
      if (given && *given != here)
        fail("expected " + std::to_string(*given) + " " + what + " as given beside the placement, got " +
             std::to_string(here));
    };
    int ppn = 0;
    for (const auto& [node, ranks] : ranks_on) ppn = std::max(ppn, ranks);
    agree("ranks", expected.ranks, static_cast<int>(core_of.size()));
    agree("nodes", expected.nodes, static_cast<int>(names.nodes()));
    agree("ranks per node", expected.ppn, ppn);
  }
};

/// Beside what is placed already, which `names` and `ranks_on` know.
std::vector<int> parse_beside(const std::string& text, const std::string& origin, const Network& network,
                              const PlacementExpected& expected, Names& names, std::map<int, int>& ranks_on) {
  Reader reader{origin, network, names, ranks_on};
  std::string_view rest = without_byte_order_mark(text);
  while (!rest.empty()) {
    ++reader.line;
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos)
      reader.fail("the file ends inside this line, so its last field may be cut: expected a line end");
    reader.read(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  reader.line = std::max(reader.line, 1);
  reader.finish(expected);
  std::vector<int> cores;
  for (const auto& [rank, core] : reader.core_of) cores.push_back(core);
  return cores;
}

std::string placement_text(const std::string& path) {
  const std::optional<std::string> text = read_text_file(path);
  if (!text)
    throw InputError(path + ":1: expected a readable placement file, or block, cyclic or scattered:SEED" +
                     did_you_mean(path, {"block", "cyclic", "scattered:SEED"}));
  return *text;
}

}  // namespace

std::vector<int> parse_placement(const std::string& text, const std::string& origin, const Network& network,
                                 const PlacementExpected& expected) {
  Names names(network);
  std::map<int, int> ranks_on;
  return parse_beside(text, origin, network, expected, names, ranks_on);
}

std::vector<int> read_placement(const std::string& path, const Network& network, const PlacementExpected& expected) {
  return parse_placement(placement_text(path), path, network, expected);
}

std::vector<int> read_placement_beside(const std::string& path, const std::string& other, const Network& network) {
  Names names(network);
  std::map<int, int> ranks_on;
  parse_beside(placement_text(other), other, network, {}, names, ranks_on);
  const std::size_t before = names.nodes();
  std::vector<int> cores = parse_beside(placement_text(path), path, network, {}, names, ranks_on);
  if (names.nodes() != before + cores.size())
    throw InputError(path + ":1: expected one rank on each node, none of which " + other + " names");
  return cores;
}

}  // namespace tutti
