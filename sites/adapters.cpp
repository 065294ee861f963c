#include "sites/adapters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "calibration/input_text.hpp"

namespace tutti {
namespace {

constexpr double kMostBitsPerSecond = 8e15;  // as in machine files

/// Of one kind, though one counts its encoding and another does not.
constexpr double kAsFast = 0.97;

/// "KEY: VALUE" or "KEY : VALUE"; nothing where the line is none.
std::pair<std::string, std::string_view> key_and_value(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return {};
  return {lower(trim(line.substr(0, colon))), trim(line.substr(colon + 1))};
}

/// In bytes a second; `unit` in bits a second.
double rate(const InputText& text, int line, std::string_view number, double unit) {
  const double value = parse_positive(text, line, number, "a rate");
  if (value * unit < 8e3 || value * unit > kMostBitsPerSecond)
    throw text.error(line, fmt::format("rate {}, expected one of 8e3 to 8e15 bits a second", number));
  return value * unit / 8;
}

/// What InfiniBand carries of a rate that ibstat prints, which counts the bits of the encoding.
double data_rate(double printed_gigabits, bool is_fdr10) {
  if (is_fdr10) return printed_gigabits;
  for (const double with_8b10b : {2.5, 5.0, 10.0, 20.0, 40.0, 30.0, 60.0, 120.0})
    if (printed_gigabits == with_8b10b) return printed_gigabits * 0.8;
  for (const double fdr_lanes : {1.0, 4.0, 12.0})
    if (printed_gigabits == 14 * fdr_lanes) return fdr_lanes * 14.0625 * 64 / 66;
  return printed_gigabits;
}

std::string_view quoted(std::string_view text) {
  const std::size_t first = text.find('\''), last = text.rfind('\'');
  return first == last ? std::string_view{} : text.substr(first + 1, last - first - 1);
}

}  // namespace

std::vector<AdapterPort> read_ibstat(const std::filesystem::path& file) {
  const InputText text = InputText::load(file, "what ibstat writes");
  std::vector<AdapterPort> ports;
  std::string adapter;
  bool is_active = true, is_fdr10 = false;
  for (int i = 1; i <= text.lines(); ++i) {
    const std::string_view line = trim(text.line(i));
    if (line.starts_with("CA '")) {
      adapter = quoted(line);
      if (adapter.empty()) throw text.error(i, "expected CA 'NAME'");
      continue;
    }
    const auto [key, value] = key_and_value(line);
    if (key.starts_with("port ") && value.empty()) {
      if (adapter.empty()) throw text.error(i, "a port before any adapter, expected CA 'NAME' first");
      ports.push_back({fmt::format("{}/{}", adapter, key.substr(5)), 0, i});
      is_active = true, is_fdr10 = false;
    } else if (!ports.empty() && key == "state") {
      is_active = value == "Active";
    } else if (!ports.empty() && key == "rate") {
      ports.back().bytes_per_second = is_active ? rate(text, i, value.substr(0, value.find(' ')), 1e9) : 0;
      is_fdr10 = value.find("FDR10") != std::string_view::npos;
    } else if (!ports.empty() && key == "link layer") {
      ports.back().link_layer = value;
      if (value == "InfiniBand")
        ports.back().bytes_per_second = data_rate(ports.back().bytes_per_second * 8e-9, is_fdr10) / 8e-9;
    }
  }
  if (ports.empty()) throw text.error(1, "no port in all of the file, expected CA '…' with Port 1: and Rate: …");
  return ports;
}

std::vector<AdapterPort> read_ethtool(const std::filesystem::path& file) {
  const InputText text = InputText::load(file, "what ethtool writes");
  std::vector<AdapterPort> ports;
  std::set<std::size_t> down;
  for (int i = 1; i <= text.lines(); ++i) {
    std::string_view line = trim(text.line(i));
    constexpr std::string_view kHead = "Settings for ";
    if (line.starts_with(kHead)) {
      line.remove_prefix(kHead.size());
      ports.push_back({std::string(line.substr(0, line.find(':'))), 0, i, "Ethernet"});
      continue;
    }
    const auto [key, value] = key_and_value(line);
    // Also "no (No cable)"; the speed is then the one that the port is set to.
    if (!ports.empty() && key == "link detected" && value.starts_with("no")) down.insert(ports.size() - 1);
    if (key != "speed") continue;
    if (ports.empty()) throw text.error(i, "a speed before any interface, expected 'Settings for NAME:' first");
    if (value.starts_with("Unknown")) continue;
    const std::size_t unit = value.find("Mb/s");
    if (unit == std::string_view::npos)
      throw text.error(i, fmt::format("speed '{}', expected Mb/s, as in 25000Mb/s", value));
    ports.back().bytes_per_second = rate(text, i, value.substr(0, unit), 1e6);
  }
  for (const std::size_t port : down) ports[port].bytes_per_second = 0;
  if (ports.empty()) throw text.error(1, "no interface in all of the file, expected 'Settings for NAME:'");
  return ports;
}

std::vector<AdapterPort> leave_out_other_ports(std::vector<AdapterPort>& ports, bool is_in_fabric_listing) {
  const AdapterPort fastest = *std::max_element(
      ports.begin(), ports.end(), [](auto& a, auto& b) { return a.bytes_per_second < b.bytes_per_second; });
  const bool is_ethernet_alone =
      std::all_of(ports.begin(), ports.end(), [](const AdapterPort& port) { return port.link_layer == "Ethernet"; });
  const auto others = std::stable_partition(ports.begin(), ports.end(), [&](const AdapterPort& port) {
    if (is_in_fabric_listing) return is_ethernet_alone || port.link_layer != "Ethernet";
    return port.link_layer == fastest.link_layer && port.bytes_per_second > kAsFast * fastest.bytes_per_second;
  });
  std::vector<AdapterPort> left_out(others, ports.end());
  ports.erase(others, ports.end());
  return left_out;
}

}  // namespace tutti
