#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "base/error.hpp"
#include "calibration/input_text.hpp"
#include "sites/cabling.hpp"
#include "sites/host_list.hpp"
#include "sites/joined_listings.hpp"
#include "sites/link_rate.hpp"

namespace tutti {
namespace {

using Kind = FabricListing::Kind;

constexpr std::size_t kMostNamed = 8;

/// An adapter's maker instead of a host: "MT4129 ConnectX7   Mellanox Technologies", "localhost.localdomain mlx5_0",
/// "HCA-1".
bool names_no_host(const std::string& description) {
  const std::string text = lower(description);
  const std::string first = text.substr(0, text.find(' '));
  const bool is_number_of_adapter =
      first.starts_with("hca-") && first.find_first_not_of("0123456789", 4) == std::string::npos;
  return first.empty() || short_name(first) == "localhost" || first == "(none)" || is_number_of_adapter ||
         text.find("connectx") != std::string::npos || text.find("mellanox technologies") != std::string::npos ||
         text.find("infinihost") != std::string::npos;
}

bool is_aggregation_node(const std::string& description) {
  return lower(description).find("aggregation node") != std::string::npos;
}

std::string shortened(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) text += (i ? ", " : "") + names[i];
  if (names.size() > kMostNamed) text += fmt::format(" and {} more", names.size() - kMostNamed);
  return text;
}

class Collector {
 public:
  Collector(const std::vector<FabricListing>& listings, const std::map<std::string, std::string>& names)
      : listings_(listings), names_(names) {}

  Cabling collect() && {
    find_hosts();
    name_switches();
    for (const FabricListing& listing : listings_) {
      cabling_.source +=
          (cabling_.source.empty() ? "" : ", ") + std::filesystem::path(listing.file).filename().string();
      for (const FabricListing::Cable& cable : listing.cables) add(listing, cable);
    }
    note_what_is_left_out();
    note_slow_cables();
    if (cabling_.switches.empty())
      throw InputError(fmt::format("{}:1: no switch, expected a fabric", listings_.front().file));
    if (cabling_.hosts.empty())
      throw InputError(fmt::format("{}:1: no host's adapter, expected a fabric with hosts", listings_.front().file));
    return std::move(cabling_);
  }

 private:
  std::string description(const FabricListing::Device& device) const {
    const auto found = names_.find(guid_of(device.id));
    return found == names_.end() ? device.description : found->second;
  }

  void find_hosts() {
    for (const FabricListing& listing : listings_)
      for (const FabricListing::Device& device : listing.devices)
        if (device.kind == Kind::adapter && !is_aggregation_node(device.description) &&
            !names_no_host(description(device)))
          has_names_ = true;
  }

  /// By what they call themselves where that tells them apart, else by id.
  void name_switches() {
    std::map<std::string, std::set<std::string>> ids;
    for (const FabricListing& listing : listings_)
      for (const FabricListing::Device& device : listing.devices) ids_.insert(device.id);
    for (const FabricListing& listing : listings_)
      for (const FabricListing::Device& device : listing.devices)
        if (device.kind == Kind::network_switch) ids[plain(description(device))].insert(device.id);
    for (const auto& [name, those] : ids)
      for (const std::string& id : those) switch_names_[id] = those.size() == 1 && is_free(name) ? name : id;
  }

  /// No id, and no stand-in's name (cable_text).
  bool is_free(const std::string& name) const {
    return !name.empty() && !name.starts_with("rails ") && !name.starts_with("ports of ") && !ids_.contains(name);
  }

  /// As cable lists can hold it, where a comma ends a name and # begins a comment.
  static std::string plain(std::string text) {
    for (char& c : text)
      if (c == ',' || c == '#' || std::iscntrl(static_cast<unsigned char>(c))) c = ' ';
    return std::string(trim(text));
  }

  int switch_of(const FabricListing::Device& device) {
    const auto [found, is_new] = switches_.try_emplace(device.id, static_cast<int>(cabling_.switches.size()));
    if (is_new) {
      cabling_.switches.push_back(plain(switch_names_.at(device.id)));
      cabling_.guids.push_back(guid_of(device.id));
    }
    return found->second;
  }

  /// The host's name; empty where the adapter is nobody's.
  std::string host_of(const FabricListing::Device& device, const std::string& file) {
    if (is_aggregation_node(device.description)) return aggregation_nodes_.insert(device.id), "";
    if (has_names_ && names_no_host(description(device))) return nameless_.insert(device.id), "";
    const std::string name = has_names_ ? description(device) : device.id;
    const std::string whole = name.substr(0, name.find(' ')), given = short_name(whole);
    std::string host = plain(given);
    if (host.empty()) nameless_.insert(device.id);
    if (const std::string& known = given_.try_emplace(host, given).first->second; known != given && !host.empty())
      throw InputError(fmt::format("{}:{}: host {} beside {}, expected names that differ in more than commas and #",
                                   file, device.line, given, known));
    if (whole != given && !host.empty())  // an adapter may leave its host's domain out
      if (const std::string& known = whole_.try_emplace(host, whole).first->second; known != whole)
        throw InputError(
            fmt::format("{}:{}: host {} beside {}, expected names that differ before the first dot, or "
                        "--from names=FILE (opensm's node-name-map) that gives such",
                        file, device.line, whole, known));
    return host;
  }

  void add(const FabricListing& listing, const FabricListing::Cable& cable) {
    const FabricListing::Device *a = &listing.devices[cable.device_a], *b = &listing.devices[cable.device_b];
    if (a->kind == Kind::router || b->kind == Kind::router) {
      routers_.insert(a->kind == Kind::router ? a->id : b->id);
      return;
    }
    const double rate = link_rate(cable.rate).value_or(0);
    const int port_of_a = a->kind == Kind::adapter ? cable.port_b : cable.port_a;
    if (a->kind == Kind::adapter) std::swap(a, b);
    if (a->kind == Kind::adapter) {
      ++direct_;
      return;
    }
    if (a->id == b->id) {
      ++loops_;
      return;
    }
    if (rate == 0) ++unknown_rates_;
    if (b->kind == Kind::network_switch) {
      const int from = switch_of(*a), to = switch_of(*b);
      cabling_.cables.push_back({from, to, rate, cable.port_a, cable.port_b});
      places_.push_back(fmt::format("{}:{}", listing.file, cable.line));
      labels_.push_back(cable.rate);
      return;
    }
    const std::string name = host_of(*b, listing.file);
    if (name.empty()) return;
    const auto [found, is_new] = hosts_.try_emplace(name, static_cast<int>(cabling_.hosts.size()));
    if (is_new) cabling_.hosts.push_back({name, {}, {}});
    Cabling::Host& host = cabling_.hosts[found->second];
    host.ports.push_back({switch_of(*a), rate, port_of_a});
    if (adapters_.insert(b).second)
      host.port_guids.insert(host.port_guids.end(), b->port_guids.begin(), b->port_guids.end());
  }

  void note(std::size_t count, const std::string& text) {
    if (count > 0) cabling_.notes.push_back(fmt::format("{}: {} {}", cabling_.source, count, text));
  }

  void note_what_is_left_out() {
    note(aggregation_nodes_.size(), "aggregation nodes of switches (SHARP) left out: they are no hosts");
    note(nameless_.size(), fmt::format("adapters without a host's name left out ({}): --from names=FILE (opensm's "
                                       "node-name-map) says whose they are",
                                       shortened({nameless_.begin(), nameless_.end()})));
    note(routers_.size(), "routers left out: what is behind them is another fabric");
    note(direct_, "cables from adapter to adapter left out: they pass no switch");
    note(loops_, "cables from a switch to itself left out");
    note(unknown_rates_, "cables of unknown rate");
    if (!has_names_)
      cabling_.notes.push_back(
          fmt::format("{}: no adapter says its host's name: each is taken as a host of its own, "
                      "named by its GUID; --from names=FILE (opensm's node-name-map) names them",
                      cabling_.source));
  }

  /// Of each switch: how many cables it is away from one that hosts are on.
  std::vector<int> depths() const {
    std::vector<std::vector<int>> next(cabling_.switches.size());
    for (const Cabling::Cable& cable : cabling_.cables) {
      next[cable.switch_a].push_back(cable.switch_b);
      next[cable.switch_b].push_back(cable.switch_a);
    }
    std::vector<int> depth(next.size(), -1), found;
    const auto reach = [&](int one, int how_deep) {
      if (depth[one] < 0) depth[one] = how_deep, found.push_back(one);
    };
    for (const Cabling::Host& host : cabling_.hosts)
      for (const Cabling::Port& port : host.ports) reach(port.on_switch, 0);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const int from = found[i];
      for (const int other : next[from]) reach(other, depth[from] + 1);
    }
    return depth;
  }

  /// For each cable the rate of most that join switches of the same two depths, where something else on the switch
  /// that is nearer to hosts is faster than the cable; else 0: the part of another generation is as slow as it is.
  std::vector<double> rates_of_like() const {
    const std::vector<int> depth = depths();
    std::vector<double> fastest(depth.size(), 0), rates;
    std::map<std::pair<int, int>, std::pair<int, std::map<double, int>>> of_kind;
    const auto kind = [&](const Cabling::Cable& cable) {
      return std::minmax(depth[cable.switch_a], depth[cable.switch_b]);
    };
    const auto has = [&](int one, double rate) { fastest[one] = std::max(fastest[one], rate); };
    for (const Cabling::Host& host : cabling_.hosts)
      for (const Cabling::Port& port : host.ports) has(port.on_switch, port.bytes_per_second);
    for (const Cabling::Cable& cable : cabling_.cables) {
      has(cable.switch_a, cable.bytes_per_second), has(cable.switch_b, cable.bytes_per_second);
      auto& [count, by_rate] = of_kind[kind(cable)];
      ++count, ++by_rate[cable.bytes_per_second];
    }
    rates.reserve(cabling_.cables.size());
    for (const Cabling::Cable& cable : cabling_.cables) {
      const int nearer = depth[cable.switch_b] < depth[cable.switch_a] ? cable.switch_b : cable.switch_a;
      rates.push_back(0);
      if (fastest[nearer] <= cable.bytes_per_second) continue;
      const auto& [count, by_rate] = of_kind[kind(cable)];
      for (const auto& [rate, those] : by_rate)
        if (2 * those > count) rates.back() = rate;
    }
    return rates;
  }

  /// Slower than others between the same two switches, than all others of both, or than most that join such switches.
  void note_slow_cables() {
    const std::vector<double> of_like = rates_of_like();
    std::map<std::pair<int, int>, double> fastest;
    std::map<int, std::map<double, int>> of_switch;
    const auto pair = [](const Cabling::Cable& cable) { return std::minmax(cable.switch_a, cable.switch_b); };
    for (const Cabling::Cable& cable : cabling_.cables) {
      double& best = fastest[pair(cable)];
      best = std::max(best, cable.bytes_per_second);
      ++of_switch[cable.switch_a][cable.bytes_per_second], ++of_switch[cable.switch_b][cable.bytes_per_second];
    }
    const auto usual = [&](int one) {
      std::pair<double, int> most{0, 0};
      for (const auto& [rate, count] : of_switch[one])  // of as many the faster
        if (count >= most.second) most = {rate, count};
      return most.first;
    };
    for (std::size_t i = 0; i < cabling_.cables.size(); ++i) {
      const Cabling::Cable& cable = cabling_.cables[i];
      const double like = std::max(fastest[pair(cable)], std::min(usual(cable.switch_a), usual(cable.switch_b)));
      if (cable.bytes_per_second > 0 && cable.bytes_per_second < like)
        cabling_.notes.push_back(fmt::format("{}: degraded? a cable of {} between {} and {}, whose others run {}",
                                             places_[i], labels_[i], cabling_.switches[cable.switch_a],
                                             cabling_.switches[cable.switch_b], rate_text(like)));
      else if (cable.bytes_per_second > 0 && cable.bytes_per_second < of_like[i])
        cabling_.notes.push_back(fmt::format(
            "{}: degraded? a cable of {} between {} and {}, most others like it run {}", places_[i], labels_[i],
            cabling_.switches[cable.switch_a], cabling_.switches[cable.switch_b], rate_text(of_like[i])));
    }
  }

  const std::vector<FabricListing>& listings_;
  const std::map<std::string, std::string>& names_;
  Cabling cabling_;
  bool has_names_ = false;
  std::map<std::string, std::string> switch_names_;
  std::map<std::string, int> switches_, hosts_;
  std::set<std::string> ids_;
  std::set<std::string> aggregation_nodes_, nameless_, routers_;
  std::map<std::string, std::string> given_;  // hosts' names as listings have them, by those that cable lists can hold
  std::map<std::string, std::string> whole_;  // the same with their domains
  std::set<const FabricListing::Device*> adapters_;  // whose ports' GUIDs a host has
  std::size_t direct_ = 0, loops_ = 0, unknown_rates_ = 0;
  std::vector<std::string> places_, labels_;  // of cables
};

}  // namespace

Cabling cabling_of(const std::vector<FabricListing>& listings, const std::map<std::string, std::string>& names) {
  const JoinedListings joined = join_listings(listings);
  Cabling cabling = Collector(joined.listings, names).collect();
  cabling.notes.insert(cabling.notes.begin(), joined.notes.begin(), joined.notes.end());
  cabling.faults = joined.contradictions;
  return cabling;
}

}  // namespace tutti
