#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "selection/export.hpp"
#include "selection/library.hpp"

namespace tutti {

/// From the first to the second, inclusive.
template <class T>
struct FromTo {
  T first = 0, last = std::numeric_limits<T>::max();
  bool holds(T value) const { return first <= value && value <= last; }
};

/// What a file says for some layouts and sizes.
struct ListedRule {
  Collective collective = Collective::barrier;
  FromTo<int> ranks, nodes, ppn;
  std::optional<int> kind;       // of spread alone: kOnePerNode, kOneNode; nothing: any
  FromTo<std::int64_t> bytes;    // in the total convention
  std::optional<Choice> choice;  // nothing: the library's own
  int line = 0;                  // of the file
  int statement = 0;             // several rules may come of one of the file's statements
  int scope = 0;                 // of the file's parts (sections, communicators), in their order
  bool closes = false;           // says nothing itself: it keeps what comes after from being asked
};

/// For which calls it is: "4 nodes, 2 ranks per node, 0 to 1023 bytes".
std::string text_of(const ListedRule& rule);

/// What the ranks per node of a rule are compared with: those of each node, or the ranks over the nodes, where that is
/// a whole number.
enum class ComparedPpn { of_each_node, ranks_over_nodes };

/// A file of which the first rule that serves a call applies; none: the library's own choice.
class RuleList final : public TuningFile {
 public:
  RuleList(std::vector<ListedRule> rules, std::string origin, ComparedPpn compared = ComparedPpn::of_each_node)
      : rules_(std::move(rules)), origin_(std::move(origin)), compared_(compared) {}
  std::optional<Choice> decide(const Case& c, const RanksOnNodes& on, Explanation* why) const override;

 private:
  bool serves(const ListedRule& rule, const Case& c, const RanksOnNodes& on) const;

  std::vector<ListedRule> rules_;
  std::string origin_;
  ComparedPpn compared_;
};

/// What the library runs by this name; nothing where it is no choice of ours.
std::optional<Choice> choice_named(const Library& library, Collective collective, std::string_view theirs);

/// A line of a text file.
struct TextLine {
  int number = 0;
  std::string_view text;
};
/// Without comments (from # on, where they begin a line) and empty lines, trimmed. Throws InputError where the last
/// line does not end. `text` must outlive it.
std::vector<TextLine> lines_of(std::string_view text, const std::string& origin);
/// Throws InputError "ORIGIN:LINE: expected …".
[[noreturn]] void refuse_line(const std::string& origin, const TextLine& line, const std::string& expected);
std::vector<std::string_view> split_at(std::string_view text, char separator);
/// Nothing where it is no whole number from 0 on.
std::optional<std::int64_t> whole_number(std::string_view text);

}  // namespace tutti
