#include "sites/joined_listings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/counted.hpp"
#include "sites/link_rate.hpp"

namespace tutti {
namespace {

using Kind = FabricListing::Kind;
using Device = FabricListing::Device;
using Cable = FabricListing::Cable;

constexpr std::size_t kMostContradictions = 8;  // of a listing: one of another day may differ everywhere
constexpr std::size_t kMostDevicesNamed = 3;

/// Of a device: its GUID and those of its ports, or what it is called where it has none.
std::vector<std::string> keys_of(const Device& device) {
  const std::string guid = guid_of(device.id);
  std::vector<std::string> keys{guid.empty() ? device.id : guid};
  if (device.kind == Kind::adapter) keys.insert(keys.end(), device.port_guids.begin(), device.port_guids.end());
  return keys;
}

std::string name_of(const Device& device) { return device.description.empty() ? device.id : device.description; }

struct End {
  const Device* device;
  int port;
};

bool is_same(const End& a, const End& b) {
  if (a.port != b.port || a.device->kind != b.device->kind) return false;
  const std::vector<std::string> there = keys_of(*b.device);
  for (const std::string& key : keys_of(*a.device))
    if (std::find(there.begin(), there.end(), key) != there.end()) return true;
  return false;
}

class Joiner {
 public:
  explicit Joiner(std::vector<FabricListing> listings) { result_.listings = std::move(listings); }

  JoinedListings join() && {
    for (std::size_t i = 0; i < result_.listings.size(); ++i) {
      FabricListing& listing = result_.listings[i];
      join_devices(listing);
      if (i > 0) leave_out_known_cables(listing);
      if (i + 1 < result_.listings.size()) know_cables(i);
    }
    for (const FabricListing& listing : result_.listings) say_what_is_not_described(listing);
    return std::move(result_);
  }

 private:
  using Port = std::tuple<Kind, std::string, int>;
  struct Place {
    std::size_t listing, cable;
  };

  void join_devices(FabricListing& listing) {
    for (Device& device : listing.devices)
      for (const std::string& key : keys_of(device)) {
        Device& first = *devices_.try_emplace({device.kind, key}, &device).first->second;
        if (first.description.empty()) first.description = device.description;
        if (device.description.empty()) device.description = first.description;
        if (device.kind == Kind::network_switch) device.id = first.id;
        if (device.is_described) described_.insert({device.kind, key});
      }
  }

  static std::pair<End, End> ends_of(const FabricListing& listing, const Cable& cable) {
    return {{&listing.devices[cable.device_a], cable.port_a}, {&listing.devices[cable.device_b], cable.port_b}};
  }

  std::vector<Port> ports_of(const End& end) const {
    std::vector<Port> ports;
    for (const std::string& key : keys_of(*end.device)) ports.push_back({end.device->kind, key, end.port});
    return ports;
  }

  void know_cables(std::size_t listing) {
    const FabricListing& from = result_.listings[listing];
    for (std::size_t i = 0; i < from.cables.size(); ++i) {
      const auto [a, b] = ends_of(from, from.cables[i]);
      for (const End& end : {a, b})
        for (const Port& port : ports_of(end)) cable_at_.try_emplace(port, Place{listing, i});
    }
  }

  const Place* known_at(const End& end) const {
    for (const Port& port : ports_of(end))
      if (const auto found = cable_at_.find(port); found != cable_at_.end()) return &found->second;
    return nullptr;
  }

  void leave_out_known_cables(FabricListing& listing) {
    std::size_t same = 0, contradictory = 0;
    std::erase_if(listing.cables, [&](const Cable& cable) {
      auto [here, there] = ends_of(listing, cable);
      // A switch's GUID says which it is; those of adapters' ports may be missing.
      if (here.device->kind != Kind::network_switch) std::swap(here, there);
      const Place* known = known_at(here);
      if (known == nullptr) std::swap(here, there), known = known_at(here);
      if (known == nullptr) return false;
      const std::string fault = difference(listing, cable, here, there, *known);
      if (fault.empty())
        ++same;
      else if (++contradictory <= kMostContradictions)
        result_.contradictions.push_back(fault);
      return true;
    });
    if (same > 0)
      result_.notes.push_back(fmt::format("{}: {} that an earlier listing has, too, counted once", listing.file,
                                          counted(static_cast<std::uint64_t>(same), "cable")));
    if (contradictory > kMostContradictions)
      result_.contradictions.push_back(fmt::format("{}: {} more cables that are others in an earlier listing",
                                                   listing.file, contradictory - kMostContradictions));
  }

  /// What a cable with a port that is known says otherwise; the earlier one takes its rate where it had none.
  std::string difference(const FabricListing& listing, const Cable& cable, const End& here, const End& there,
                         const Place& known) {
    FabricListing& earlier = result_.listings[known.listing];
    Cable& other = earlier.cables[known.cable];
    auto [a, b] = ends_of(earlier, other);
    if (!is_same(a, here)) std::swap(a, b);
    const std::string places[] = {fmt::format("{}:{}", listing.file, cable.line),
                                  fmt::format("{}:{}", earlier.file, other.line)};
    if (!is_same(b, there))
      return fmt::format("{}: port {} of {} leads to port {} of {}, but by {} to port {} of {}; taken is {}", places[0],
                         here.port, name_of(*here.device), there.port, name_of(*there.device), places[1], b.port,
                         name_of(*b.device), earlier.file);
    if (!link_rate(other.rate)) other.rate = cable.rate;
    const auto rate = link_rate(cable.rate);
    if (!rate || rate == link_rate(other.rate)) return "";
    return fmt::format("{}: a cable of {} between {} and {}, but of {} by {}; taken is {}", places[0], cable.rate,
                       name_of(*here.device), name_of(*there.device), other.rate, places[1], earlier.file);
  }

  void say_what_is_not_described(const FabricListing& listing) {
    std::vector<const Device*> missing;
    for (const Device& device : listing.devices) {
      const std::vector<std::string> keys = keys_of(device);
      if (std::none_of(keys.begin(), keys.end(), [&](const std::string& key) {
            return described_.contains({device.kind, key});
          }))
        missing.push_back(&device);
    }
    if (missing.empty()) return;
    std::stable_partition(missing.begin(), missing.end(),
                          [](const Device* device) { return device->kind == Kind::network_switch; });
    std::string names;
    for (std::size_t i = 0; i < std::min(missing.size(), kMostDevicesNamed); ++i)
      names += (i ? ", " : "") + name_of(*missing[i]);
    if (missing.size() > kMostDevicesNamed) names += ", …";
    const std::string head = fmt::format("{}:{}: {} devices", listing.file, missing.front()->line, missing.size());
    if (listing.has_sections)
      result_.contradictions.push_back(
          fmt::format("{} that cables lead to have no section ({}), but ibnetdiscover writes one for each: the file is "
                      "cut or shortened, and cables may be missing; taken is what it has",
                      head, names));
    else
      result_.notes.push_back(
          fmt::format("{} that cables lead to have no line of their own ({}): cables may be missing", head, names));
  }

  JoinedListings result_;
  std::map<std::pair<Kind, std::string>, Device*> devices_;  // as the first listing has them
  std::set<std::pair<Kind, std::string>> described_;
  std::map<Port, Place> cable_at_;
};

}  // namespace

JoinedListings join_listings(std::vector<FabricListing> listings) { return Joiner(std::move(listings)).join(); }

}  // namespace tutti
