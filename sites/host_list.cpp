#include "sites/host_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "calibration/input_text.hpp"

namespace tutti {
namespace {

constexpr std::size_t kMostListedHosts = std::size_t{1} << 18;
constexpr std::size_t kLongestText = 300;
constexpr std::size_t kMostDigits = 9;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_of_a_name(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
}

[[noreturn]] void refuse(std::string_view list, const char* expected) {
  throw InputError(fmt::format("'{}', expected {}", list.substr(0, 80), expected));
}

void check_size(std::size_t hosts, std::string_view list) {
  if (hosts > kMostListedHosts) refuse(list, "at most 2^18 hosts");
}

int number_in(std::string_view digits, std::string_view list) {
  int value = 0;
  if (digits.empty() || digits.size() > kMostDigits || !std::all_of(digits.begin(), digits.end(), is_digit))
    refuse(list, "numbers of at most nine digits in brackets, as in node[001-064,070]");
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

/// "001-064,070": with as many digits as the first of each range has.
std::vector<std::string> numbers_in(std::string_view inside, std::string_view list) {
  std::vector<std::string> numbers;
  for (std::size_t begin = 0; begin <= inside.size();) {
    const std::size_t comma = std::min(inside.find(',', begin), inside.size());
    const std::string_view part = inside.substr(begin, comma - begin);
    begin = comma + 1;
    const std::size_t dash = part.find('-');
    const std::string_view from = part.substr(0, dash),
                           to = dash == std::string_view::npos ? from : part.substr(dash + 1);
    const int first = number_in(from, list), last = number_in(to, list);
    if (last < first) refuse(list, "ranges that ascend");
    check_size(numbers.size() + static_cast<std::size_t>(last - first) + 1, list);
    for (int value = first; value <= last; ++value) numbers.push_back(fmt::format("{:0{}}", value, from.size()));
  }
  return numbers;
}

std::vector<std::string> expand_one(std::string_view list) {
  std::vector<std::string> names{""};
  for (std::size_t at = 0; at < list.size();) {
    std::vector<std::string> pieces;
    if (list[at] == '[') {
      const std::size_t end = list.find(']', at);
      if (end == std::string_view::npos) refuse(list, "a ']' for each '['");
      pieces = numbers_in(list.substr(at + 1, end - at - 1), list);
      at = end + 1;
    } else {
      const std::size_t end = std::min(list.find('[', at), list.size());
      pieces.emplace_back(list.substr(at, end - at));
      if (!std::all_of(pieces[0].begin(), pieces[0].end(), is_of_a_name))
        refuse(list, "letters, digits and . _ - in the name of a host");
      at = end;
    }
    check_size(names.size() * pieces.size(), list);
    std::vector<std::string> longer;
    for (const std::string& name : names)
      for (const std::string& piece : pieces) longer.push_back(name + piece);
    names = std::move(longer);
  }
  if (names[0].empty()) refuse(list, "the name of a host");
  return names;
}

/// Prefix, number, its digits and what follows; of the last number in the name.
struct Numbered {
  std::string before, after;
  std::size_t digits = 0;
  int number = -1;
};

Numbered numbered(const std::string& name) {
  std::size_t end = name.find_last_of("0123456789");
  if (end == std::string::npos) return {name, "", 0, -1};
  std::size_t begin = ++end;
  while (begin > 0 && is_digit(name[begin - 1]) && end - begin < kMostDigits) --begin;
  return {name.substr(0, begin), name.substr(end), end - begin, number_in(name.substr(begin, end - begin), name)};
}

}  // namespace

std::vector<std::string> expand_hosts(std::string_view list) {
  std::vector<std::string> all;
  for (std::size_t begin = 0; begin <= list.size();) {
    std::size_t end = begin;
    for (bool inside = false; end < list.size() && (inside || list[end] != ','); ++end)
      if (list[end] == '[' || list[end] == ']') inside = list[end] == '[';
    const std::vector<std::string> some = expand_one(list.substr(begin, end - begin));
    check_size(all.size() + some.size(), list);
    all.insert(all.end(), some.begin(), some.end());
    begin = end + 1;
  }
  return all;
}

std::string compact_hosts(std::vector<std::string> hosts) {
  std::sort(hosts.begin(), hosts.end(), natural_less);
  std::string text;
  for (std::size_t i = 0; i < hosts.size();) {
    if (text.size() > kLongestText) return text + fmt::format(" and {} more", hosts.size() - i);
    const Numbered first = numbered(hosts[i]);
    std::string inside;
    std::size_t end = i;
    int runs = 0;
    while (end < hosts.size() && first.number >= 0) {
      const Numbered from = numbered(hosts[end]);
      if (from.before != first.before || from.after != first.after || from.digits != first.digits) break;
      int last = from.number;
      for (++end; end < hosts.size(); ++end, ++last)
        if (const Numbered next = numbered(hosts[end]); next.before != first.before || next.after != first.after ||
                                                        next.digits != first.digits || next.number != last + 1)
          break;
      inside += fmt::format("{}{:0{}}", runs++ ? "," : "", from.number, from.digits);
      if (last > from.number) inside += fmt::format("-{:0{}}", last, from.digits);
    }
    text += text.empty() ? "" : ",";
    if (end <= i + 1) {
      text += hosts[i++];
    } else {
      text += fmt::format("{}[{}]{}", first.before, inside, first.after);
      i = end;
    }
  }
  return text;
}

std::vector<std::string> read_hosts(const std::filesystem::path& file) {
  const InputText text = InputText::load(file, "host names");
  std::vector<std::string> hosts;
  std::set<std::string> known;
  for (int i = 1; i <= text.lines(); ++i) {
    std::string_view line = text.line(i);
    line = line.substr(0, line.find('#'));
    for (std::string_view word : split_words(line)) {
      if (word.find('=') != std::string_view::npos) continue;
      word = word.substr(0, word.find(':'));
      while (word.ends_with(',')) word.remove_suffix(1);
      try {
        for (std::string& host : expand_hosts(word))
          if (known.insert(host).second) hosts.push_back(std::move(host));
        check_size(hosts.size(), word);
      } catch (const InputError& error) {
        throw text.error(i, error.what());
      }
    }
  }
  if (hosts.empty()) throw text.error(1, "no host in all of the file, expected names such as node[001-064]");
  return hosts;
}

std::string short_name(std::string_view host) {
  if (host.find_first_not_of("0123456789.") == std::string_view::npos) return std::string(host);
  return std::string(host.substr(0, host.find('.')));
}

bool natural_less(std::string_view a, std::string_view b) {
  const std::pair<std::string_view, std::string_view> whole{a, b};
  while (!a.empty() && !b.empty()) {
    if (is_digit(a[0]) && is_digit(b[0])) {
      const auto digits = [](std::string_view text) {
        const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
        const std::size_t zeros = std::min(text.find_first_not_of('0'), end);
        return std::pair(text.substr(zeros, end - zeros), end);
      };
      const auto [number_a, end_a] = digits(a);
      const auto [number_b, end_b] = digits(b);
      if (number_a.size() != number_b.size()) return number_a.size() < number_b.size();
      if (number_a != number_b) return number_a < number_b;
      a.remove_prefix(end_a), b.remove_prefix(end_b);
    } else {
      if (a[0] != b[0]) return a[0] < b[0];
      a.remove_prefix(1), b.remove_prefix(1);
    }
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole.first < whole.second;
}

}  // namespace tutti
