#include "cli/whatif_changes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "models/contention.hpp"
#include "models/failure.hpp"
#include "sites/link_rate.hpp"

namespace tutti::cli {
namespace {

constexpr std::size_t kMostChanges = 64;

/// One option with one of its alternatives: {"taper", "leaf=3:1"}.
struct Wish {
  std::string option, text;
};

/// KEY=A,B: {KEY=A, KEY=B}; without a key: {A, B}.
std::vector<Wish> alternatives(const std::string& option, const std::string& text, bool with_key) {
  const std::size_t equals = with_key ? text.find('=') : std::string::npos;
  if (with_key && (equals == std::string::npos || equals == 0))
    throw InputError(fmt::format("--{} {}: expected {}", option, text,
                                 option == "set"     ? "PATH=VALUE"
                                 : option == "taper" ? "LEVEL=3:1"
                                                     : "LEVEL=-20%"));
  const std::string key = with_key ? text.substr(0, equals + 1) : "", rest = text.substr(key.size());
  std::vector<Wish> wishes;
  for (std::size_t begin = 0; begin <= rest.size();) {
    const std::size_t comma = std::min(rest.find(',', begin), rest.size());
    if (comma == begin) throw InputError(fmt::format("--{} {}: expected a value", option, text));
    wishes.push_back({option, key + rest.substr(begin, comma - begin)});
    begin = comma + 1;
  }
  return wishes;
}

double ratio_from(const std::string& text) {
  const char* end = text.data() + text.size();
  double over = 0, under = 1;
  std::from_chars_result read = std::from_chars(text.data(), end, over);
  if (read.ec == std::errc() && read.ptr != end && *read.ptr == ':') read = std::from_chars(read.ptr + 1, end, under);
  if (read.ec != std::errc() || read.ptr != end || !(over > 0) || !(under > 0))
    throw InputError("expected a taper such as 3:1, got '" + text + "'");
  return over / under;
}

/// What the schema's figures are in: 200ns, 1.5us; 400g, 50GB/s. Parts (+50%) and plain numbers as they are.
std::string figure_from(const std::string& text, bool is_latency) {
  const bool is_plain = text.find_first_not_of("+-.%0123456789e") == std::string::npos;
  if (is_plain) return text;
  if (!is_latency) return fmt::format("{}", parse_rate("", text));
  for (const auto& [unit, seconds] : {std::pair("ns", 1e-9), {"us", 1e-6}, {"ms", 1e-3}, {"s", 1.0}}) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && std::string(end, text.data() + text.size()) == unit)
      return fmt::format("{}", value * seconds);
  }
  throw InputError("expected such as -20%, 200ns or 1.5us, got '" + text + "'");
}

void set_adapters(Variation& variation, const std::string& text) {
  const std::size_t times = text.find('x');
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + std::min(times, text.size()), count);
  if (times == std::string::npos || error != std::errc() || end != text.data() + times)
    throw InputError("expected COUNTxRATE, such as 2x400g, got '" + text + "'");
  variation.set_adapters(count, parse_rate("", text.substr(times + 1)));
}

void expect_shared(const Variation& variation, const std::string& level) {
  if (const std::string cables = variation.unshared_cables(level); !cables.empty())
    throw InputError(
        fmt::format("it would change no predicted time, as \"shared\": false gives every flow the full rate "
                    "of these cables, however many pass; --set {}.shared=true makes flows contend",
                    cables));
}

void vary(Variation& variation, const Wish& wish) {
  const std::size_t equals = wish.text.find('=');
  const std::string key = wish.text.substr(0, equals),
                    value = equals == std::string::npos ? "" : wish.text.substr(equals + 1);
  if (wish.option == "taper") {
    expect_shared(variation, key);
    variation.set_taper(key, ratio_from(value));
  } else if (wish.option == "bandwidth") {
    variation.set_bandwidth(key, figure_from(value, false));
  } else if (wish.option == "latency") {
    variation.set_latency(key, figure_from(value, true));
  } else if (wish.option == "routing") {
    const auto network = variation.root().at("network").begin();
    const std::string fabric = "network." + network.key();
    const bool has_detours = network->value("detour_share", 0.0) > 0;
    variation.set(fabric + ".routing", wish.text);
    // Nothing else than adaptive routing takes detours.
    if (has_detours && wish.text != "adaptive") variation.set(fabric + ".detour_share", "0");
  } else if (wish.option == "nic") {
    set_adapters(variation, wish.text);
  } else {
    variation.set(key, value);
  }
}

/// Without the file and the line, which are of no text that the user has seen.
std::string without_place(const std::string& said, const std::string& origin) {
  if (!said.starts_with(origin + ":")) return said;
  const std::size_t pointer = said.find(": /");
  return pointer == std::string::npos ? said : said.substr(pointer + 2);
}

std::vector<std::string> idle_lines(const std::string& text, const std::string& origin) {
  std::vector<std::string> lines;
  for (const std::string& line : idle_changes(text, origin)) lines.push_back(without_place(line, origin));
  return lines;
}

Change change_by(const std::vector<Wish>& wishes, const Machine& machine, const std::string& text,
                 const std::string& origin, const std::string& placement) {
  Change change{"", machine, placement};
  Variation variation(text);
  std::string options;
  const auto with_option = [&](const Wish& wish, auto&& act) {
    try {
      act();
    } catch (const InputError& error) {
      throw InputError(fmt::format("--{} {}: {}", wish.option, wish.text, without_place(error.what(), origin)));
    }
  };
  const auto parsed = [&] {  // what was asked for so far
    const std::size_t space = change.name.find(' ');
    Machine varied;
    with_option({change.name.substr(0, space), change.name.substr(space + 1)},
                [&] { varied = parse_machine(variation.text(), origin); });
    return varied;
  };
  for (const Wish& wish : wishes) {
    if (wish.option == "taper" && !variation.edits().empty()) parsed();  // a taper needs figures that can be
    change.name += (change.name.empty() ? "" : " + ") + wish.option + " " + wish.text;
    if (wish.option == "placement")
      change.placement = wish.text;
    else if (wish.option != "fail")
      with_option(wish, [&] { vary(variation, wish); });
  }
  change.text = variation.text();
  change.edits = variation.edits();
  change.notes = variation.notes();
  if (!change.edits.empty()) {
    change.machine = parsed();
    const std::vector<std::string> before = idle_lines(text, origin);
    for (const std::string& line : idle_lines(variation.text(), origin))
      if (std::find(before.begin(), before.end(), line) == before.end()) change.warnings.push_back(line);
  }
  Failures failures{std::move(change.machine)};
  for (const Wish& wish : wishes)
    if (wish.option == "fail")
      with_option(wish, [&] {
        add_failure(failures, wish.text);
        change.failed += "\nfailed " + wish.text;
      });
  change.machine = std::move(failures.machine);
  change.out_of_order = std::move(failures.nodes);
  change.cables_failed = !failures.links.empty();
  change.notes.insert(change.notes.end(), failures.notes.begin(), failures.notes.end());
  if (change.edits.empty() && change.out_of_order.empty() && !change.cables_failed && change.placement == placement)
    change.warnings.push_back(change.name + ": the machine is so already");
  return change;
}

}  // namespace

std::vector<Change> changes_of(const ChangeOptions& options, const Machine& machine, const std::string& text,
                               const std::string& origin, const std::string& placement) {
  std::vector<std::vector<Wish>> each;
  const auto add = [&](const std::string& option, const std::vector<std::string>& texts, bool with_key) {
    for (const std::string& one : texts) each.push_back(alternatives(option, one, with_key));
  };
  add("nic", options.nic, false);  // first: parts of rates are of the adapters that there are then
  add("bandwidth", options.bandwidth, true);
  add("latency", options.latency, true);
  add("routing", options.routing, false);
  add("set", options.set, true);
  add("taper", options.taper, true);  // of the adapters, cables and routing that there are then
  add("fail", options.fail, false);
  if (!options.placement.empty()) add("placement", {options.placement}, false);
  if (each.empty())
    throw InputError(
        "expected what is to change: --taper, --fail, --nic, --latency, --bandwidth, --routing, --placement or --set");
  std::vector<std::vector<Wish>> combined{{}};
  for (const std::vector<Wish>& one : each) {
    std::vector<std::vector<Wish>> longer;
    for (const std::vector<Wish>& before : combined)
      for (const Wish& wish : one) {
        longer.push_back(before);
        longer.back().push_back(wish);
      }
    if (longer.size() > kMostChanges)
      throw InputError(
          fmt::format("{} combinations of what is to change: expected at most {}", longer.size(), kMostChanges));
    combined = std::move(longer);
  }
  std::vector<Change> changes;
  changes.reserve(combined.size());
  for (const std::vector<Wish>& wishes : combined)
    changes.push_back(change_by(wishes, machine, text, origin, placement));
  return changes;
}

}  // namespace tutti::cli
