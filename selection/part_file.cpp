#include "selection/part_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace tutti {
namespace {

/// The words of a line, one after the other, each with what is expected of it.
class Words {
 public:
  Words(const std::string& origin, int line, std::string_view text) : origin_(origin), line_(line), rest_(text) {}

  [[noreturn]] void fail(const std::string& expected) const {
    throw InputError(fmt::format("{}:{}: expected {}", origin_, line_, expected));
  }
  std::string_view word(const char* expected) {
    if (rest_.empty()) fail(expected);
    const std::size_t end = std::min(rest_.find(' '), rest_.size());
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (found.empty()) fail(expected);
    return found;
  }
  /// As Load::text() has it, which sets another job and noise beside each other with blanks.
  std::string load() {
    std::string found(word("none or another job"));
    while (rest_.starts_with("+ ")) {
      rest_.remove_prefix(2);
      found += " + " + std::string(word("noise behind the +"));
    }
    return found;
  }
  std::string rest() { return std::string(std::exchange(rest_, {})); }
  void end() const {
    if (!rest_.empty()) fail("the end of the line");
  }
  template <typename Number>
  Number number(const char* expected) {
    const std::string_view text = word(expected);
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0) fail(expected);
    return value;
  }
  /// In hexadecimal digits, which say exactly what it is.
  double seconds(const char* expected) {
    const std::string_view text = word(expected);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::hex);
    if (error != std::errc() || end != text.data() + text.size() || !(value >= 0)) fail(expected);
    return value;
  }
  Collective collective() {
    try {
      return any_collective_named(std::string(word("a collective")));
    } catch (const InputError& error) {
      fail(fmt::format("a collective: {}", error.what()));
    }
  }

 private:
  const std::string& origin_;
  const int line_;
  std::string_view rest_;
};

std::string hexadecimal(double value) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::hex).ptr};
}

constexpr const char* kFirstLine = "tutti sweep part 3";
constexpr const char* kNoCounts = "-";  // blocks are equal

}  // namespace

std::string checksum_of(const std::string& text) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", sum);
}

std::string to_text(const PartFile& part) {
  std::string text = fmt::format("{}\nsweep {}\npart {}\nby {}\n", kFirstLine, part.sweep, part.name, part.by);
  for (const PartFile::Place& place : part.places)
    text += fmt::format("nodes {} {}\n", place.nodes, hexadecimal(place.processor_seconds));
  for (const Simulated& time : part.times)
    text += fmt::format("time {} {} {} {} {} {} {} {:d} {} {}\n", time.engine, name_of(time.place.collective),
                        time.place.nodes, time.place.ppn, time.place.counts.empty() ? kNoCounts : time.place.counts,
                        time.bytes, hexadecimal(time.seconds), time.exceeded, time.load, time.choice);
  text += part.done ? "done\n" : "under way\n";
  return text + "checksum " + checksum_of(text) + "\n";
}

PartFile parse_part(const std::string& text, const std::string& origin) {
  PartFile part;
  enum class Next { first, sweep, name, by, any, checksum, end } next = Next::first;
  int line = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    Words words(origin, ++line, std::string_view(text).substr(begin, end - begin));
    const auto headed = [&](const char* head) {
      if (words.word(head) != head) words.fail(head);
      return words.rest();
    };
    switch (next) {
      case Next::first:
        if (words.rest() != kFirstLine)
          words.fail(fmt::format("'{}', a file of another version otherwise", kFirstLine));
        next = Next::sweep;
        break;
      case Next::sweep:
        part.sweep = headed("sweep");
        next = Next::name;
        break;
      case Next::name:
        part.name = headed("part");
        next = Next::by;
        break;
      case Next::by:
        part.by = headed("by");
        next = Next::any;
        break;
      case Next::any: {
        const std::string_view what = words.word("nodes, time, done or under way");
        if (what == "nodes") {
          const int nodes = words.number<int>("a number of nodes");
          part.places.push_back({nodes, words.seconds("seconds in hexadecimal digits")});
          words.end();
        } else if (what == "time") {
          Simulated time;
          time.engine = words.word("an engine");
          time.place.collective = words.collective();
          time.place.nodes = words.number<int>("a number of nodes");
          time.place.ppn = words.number<int>("a number of ranks per node");
          if (const std::string_view counts = words.word("how counts are spread, or -"); counts != kNoCounts)
            time.place.counts = counts;
          time.bytes = words.number<std::int64_t>("bytes");
          time.seconds = words.seconds("seconds in hexadecimal digits");
          const int exceeded = words.number<int>("0 or 1");
          if (exceeded > 1) words.fail("0 or 1");
          time.exceeded = exceeded == 1;
          time.load = words.load();
          time.choice = words.rest();
          if (time.choice.empty()) words.fail("an algorithm");
          part.times.push_back(std::move(time));
        } else if (what == "done" || (what == "under" && words.rest() == "way")) {
          part.done = what == "done";
          words.end();
          next = Next::checksum;
        } else {
          words.fail("nodes, time, done or under way");
        }
        break;
      }
      case Next::checksum:
        if (headed("checksum") != checksum_of(text.substr(0, begin))) words.fail("the checksum of what is above it");
        next = Next::end;
        break;
      case Next::end:
        words.fail("nothing after the checksum");
    }
    begin = end + 1;
  }
  if (next != Next::end || !text.ends_with('\n'))
    Words(origin, std::max(line, 1), "").fail("more lines, up to a checksum, each with its end");
  return part;
}

}  // namespace tutti
