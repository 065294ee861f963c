#include "sites/fabric_builder.hpp"

#include <fmt/format.h>

#include <charconv>

namespace tutti {

std::optional<std::string_view> between(std::string_view text, char sign) {
  const std::size_t first = text.find(sign), last = text.rfind(sign);
  if (first == std::string_view::npos || first == last) return std::nullopt;
  return text.substr(first + 1, last - first - 1);
}

int parse_port(const InputText& text, int line, std::string_view cell) {
  constexpr int kMostPorts = 254;
  int port = -1;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), port);
  if (error != std::errc() || end != cell.data() + cell.size() || port < 0 || port > kMostPorts)
    throw text.error(line, fmt::format("port '{}', expected a number of 0 to {}", cell, kMostPorts));
  return port;
}

int FabricBuilder::device(FabricListing::Kind kind, const std::string& id, const std::string& description, int line) {
  const auto [found, is_new] = by_id_.try_emplace(id, static_cast<int>(listing_.devices.size()));
  if (is_new) listing_.devices.push_back({kind, id, description, line});
  FabricListing::Device& device = listing_.devices[found->second];
  if (device.kind != kind)
    throw text_.error(line,
                      fmt::format("{} is a device of another kind in line {}, expected one kind", id, device.line));
  if (device.description.empty()) device.description = description;
  return found->second;
}

int FabricBuilder::described(FabricListing::Kind kind, const std::string& id, const std::string& description,
                             int line) {
  const int found = device(kind, id, description, line);
  listing_.devices[found].is_described = true;
  return found;
}

void FabricBuilder::port(int device, int port, int other, int other_port, const std::string& rate, int line) {
  const End here{device, port}, there{other, other_port};
  if (here == there) throw text_.error(line, "a cable from a port to itself, expected two ports");
  for (const auto& [end, opposite] : {std::pair(here, there), {there, here}})
    if (const auto found = cable_at_.find(end); found != cable_at_.end()) {
      FabricListing::Cable& cable = listing_.cables[found->second];
      const End a{cable.device_a, cable.port_a}, b{cable.device_b, cable.port_b};
      if ((a == end ? b : a) != opposite)
        throw text_.error(line, fmt::format("port {} of {} leads to another port in line {}, expected one cable a port",
                                            end.second, listing_.devices[end.first].id, cable.line));
      if (!rate.empty() && !cable.rate.empty() && rate != cable.rate)
        throw text_.error(line, fmt::format("a cable of {}, but of {} in line {}, expected one rate of both ends", rate,
                                            cable.rate, cable.line));
      if (cable.rate.empty()) cable.rate = rate;
      return;
    }
  cable_at_[here] = cable_at_[there] = listing_.cables.size();
  listing_.cables.push_back({device, port, other, other_port, rate, line});
}

FabricListing FabricBuilder::done() && {
  if (listing_.cables.empty())
    throw text_.error(text_.lines(), "no cable in all of the file, expected what ibnetdiscover writes");
  return std::move(listing_);
}

}  // namespace tutti
