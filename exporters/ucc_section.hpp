#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exporters/lint_rules.hpp"
#include "exporters/rule_list.hpp"

namespace tutti {

/// A section of a configuration file: which jobs it is for, and what it says of them.
class UccSection {
 public:
  /// With `doubts` unknown algorithms and radices are told there.
  UccSection(const TextLine& line, const std::string& origin, Doubts* doubts);

  void add(const TextLine& line);
  /// Sizes with several radices are several rules; later tokens come first, since they win.
  void append_to(std::vector<ListedRule>& rules) const;

 private:
  struct Token {
    TextLine line;
    Collective collective;
    FromTo<std::int64_t> bytes;
    std::string_view algorithm;
  };
  struct Radix {
    TextLine line;
    std::string_view variable;
    FromTo<std::int64_t> bytes;
    std::int64_t value;
  };

  void append(std::vector<ListedRule>& rules, const Token& token, const FromTo<std::int64_t>& bytes,
              const TextLine& line, std::optional<std::int64_t> radix, int statement) const;
  /// `with_end`: the end is part of it.
  FromTo<std::int64_t> range(const TextLine& line, std::string_view text, bool with_end) const;
  void add_token(const TextLine& line, std::string_view text);
  void add_radix(const TextLine& line, std::string_view variable, std::string_view text);

  std::string origin_;
  Doubts* doubts_;
  int line_;
  FromTo<int> ranks_, nodes_, ppn_;
  std::vector<Token> tokens_;
  std::vector<Radix> radices_;
};

}  // namespace tutti
