#pragma once

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace tutti::test {

/// What Open MPI's reader makes of a rules file: numbers between white space, comments from # to the line's end.
struct Message {
  std::int64_t from_bytes, algorithm, fanout, segment;
  friend bool operator==(const Message&, const Message&) = default;
};
using Rules = std::map<int, std::map<std::int64_t, std::vector<Message>>>;  // collective, ranks

struct Reader {
  explicit Reader(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) numbers << line.substr(0, line.find('#')) << '\n';
  }
  std::int64_t next() {
    std::string word;
    if (!(numbers >> word)) throw std::runtime_error("the file ends too early");
    if (word != "0" && (word[0] == '0' || word.find_first_not_of("0123456789") != std::string::npos))
      throw std::runtime_error("not a plain decimal number: " + word);
    return std::stoll(word);
  }
  std::stringstream numbers;
};

inline Rules read_rules(const std::string& text) {
  Reader reader(text);
  Rules rules;
  for (auto collectives = reader.next(); collectives > 0; --collectives) {
    auto& of_collective = rules[static_cast<int>(reader.next())];
    EXPECT_TRUE(of_collective.empty()) << "a collective comes twice";
    std::int64_t before = -1;
    for (auto sizes = reader.next(); sizes > 0; --sizes) {
      const std::int64_t ranks = reader.next();
      EXPECT_GT(ranks, before) << "communicator sizes ascend";
      before = ranks;
      auto& messages = of_collective[ranks];
      for (auto count = reader.next(); count > 0; --count)
        messages.push_back({reader.next(), reader.next(), reader.next(), reader.next()});
      EXPECT_FALSE(messages.empty());
      if (messages.empty()) continue;
      EXPECT_EQ(messages.front().from_bytes, 0);
      for (std::size_t i = 1; i < messages.size(); ++i)
        EXPECT_GT(messages[i].from_bytes, messages[i - 1].from_bytes) << "message sizes ascend";
    }
  }
  std::string rest;
  EXPECT_FALSE(reader.numbers >> rest) << "more than the counts say: " << rest;
  return rules;
}

/// The largest communicator size and message size not above the call's, but never before the first.
inline Message choice_of(const Rules& rules, int collective, std::int64_t ranks, std::int64_t bytes) {
  const auto& sizes = rules.at(collective);
  auto size = sizes.upper_bound(ranks);
  if (size != sizes.begin()) --size;
  Message chosen = size->second.front();
  for (const Message& message : size->second)
    if (message.from_bytes <= bytes) chosen = message;
  return chosen;
}

}  // namespace tutti::test
