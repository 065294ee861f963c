#include "sites/options_beside_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/counted.hpp"
#include "sites/link_rate.hpp"

namespace tutti {
namespace {

/// As ports of a listing are held against those that ibstat shows: encodings are counted in or not.
bool is_about(double a, double b) { return a > 0.97 * b && b > 0.97 * a; }

std::string range_text(const std::vector<double>& rates) {
  const auto [least, most] = std::minmax_element(rates.begin(), rates.end());
  return *least == *most ? rate_text(*least) : rate_text(*least) + " to " + rate_text(*most);
}

/// Of all cables from each switch with hosts to other switches.
std::vector<double> rates_up(const Cabling& cabling) {
  std::map<int, double> up;
  for (const Cabling::Host& host : cabling.hosts)
    for (const Cabling::Port& port : host.ports) up.try_emplace(port.on_switch, 0);
  for (const Cabling::Cable& cable : cabling.cables)
    for (const int end : {cable.switch_a, cable.switch_b})
      if (const auto found = up.find(end); found != up.end()) found->second += cable.bytes_per_second;
  std::vector<double> rates;
  rates.reserve(up.size());
  for (const auto& [on_switch, rate] : up) rates.push_back(rate);
  return rates;
}

}  // namespace

void compare_given_ports(const SiteRequest& request, const Sources& sources, const Cabling& cabling,
                         std::vector<std::string>& contradictions) {
  if (!request.nic_rate || (sources.listings.empty() && sources.ports.empty())) return;
  const std::vector<double> taken = common_ports(cabling);
  const bool is_same =
      (!request.nics || static_cast<std::size_t>(*request.nics) == taken.size()) &&
      std::all_of(taken.begin(), taken.end(), [&](double rate) { return is_about(rate, *request.nic_rate); });
  if (is_same) return;
  const std::string source = sources.listings.empty() ? sources.ports_file : cabling.source;
  contradictions.push_back(fmt::format(
      "--nic-rate{}: {} of {:.4g} GB/s, but hosts have {} of {} by {}; taken is {}", request.nics ? " and --nics" : "",
      request.nics ? counted(static_cast<std::uint64_t>(*request.nics), "port") : std::string("ports"),
      *request.nic_rate / 1e9, counted(taken.size(), "port"), range_text(taken), source, source));
}

void compare_given_cables(const SiteRequest& request, const Cabling& cabling,
                          std::vector<std::string>& contradictions) {
  if (request.global_rates.empty()) return;
  std::vector<double> each;
  for (const Cabling::Cable& cable : cabling.cables) each.push_back(cable.bytes_per_second);
  const auto are_given = [&](const std::vector<double>& rates) {
    return request.global_rates.size() == 1 && !rates.empty() &&
           std::all_of(rates.begin(), rates.end(),
                       [&](double rate) { return is_about(rate, request.global_rates[0]); });
  };
  if (are_given(each) || are_given(rates_up(cabling))) return;
  std::string given;
  for (const double rate : request.global_rates)
    given += fmt::format("{}{:.4g}", given.empty() ? "" : ", ", rate / 1e9);
  contradictions.push_back(fmt::format("--global-rate: {} GB/s, but {} says the rate of every cable{}; taken is {}",
                                       given, cabling.source, each.empty() ? "" : ", " + range_text(each),
                                       cabling.source));
}

}  // namespace tutti
