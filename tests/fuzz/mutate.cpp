#include "tests/fuzz/mutate.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace tutti::fuzz {
namespace {

constexpr const char* numbers[] = {"0",
                                   "-1",
                                   "1",
                                   "2",
                                   "7",
                                   "1000000",
                                   "2147483647",
                                   "2147483648",
                                   "4294967296",
                                   "4611686018427387904",
                                   "9223372036854775807",
                                   "9223372036854775808",
                                   "18446744073709551615",
                                   "1e30",
                                   "1e308",
                                   "1e-308",
                                   "1e999",
                                   "-0.0",
                                   "0.5",
                                   "nan",
                                   "inf",
                                   "-inf",
                                   "0x10",
                                   "1,5",
                                   "64K",
                                   ""};

constexpr char runs[] = "a1 [{\"#,\n<-";
constexpr char marks[] = "\"'{}[]<>,:;#\n\r\t /\\&=";  // and the NUL at its end

bool is_of_number(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-'; }
bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

using Span = std::pair<std::size_t, std::size_t>;

/// The run around or after a place whose characters are alike; empty at the text's end.
template <class IsOf>
Span run_at(const std::string& text, std::size_t at, IsOf is_of) {
  while (at < text.size() && !is_of(text[at])) ++at;
  std::size_t begin = at, end = at;
  while (begin > 0 && is_of(text[begin - 1])) --begin;
  while (end < text.size() && is_of(text[end])) ++end;
  return {begin, end - begin};
}

using Json = nlohmann::ordered_json;

/// All objects and arrays that hold something, the outermost first.
std::vector<Json*> holders(Json& document) {
  std::vector<Json*> found;
  if (document.is_structured() && !document.empty()) found.push_back(&document);
  for (std::size_t i = 0; i < found.size(); ++i)
    for (Json& value : *found[i])
      if (value.is_structured() && !value.empty()) found.push_back(&value);
  return found;
}

Json& value_at(Json& holder, std::size_t i) { return *std::next(holder.begin(), static_cast<std::ptrdiff_t>(i)); }

}  // namespace

std::string Mutator::next(const std::vector<std::string>& texts) {
  std::string text = texts[below(texts.size())];
  if (text.starts_with('{') && below(2) == 0) {
    Json document = Json::parse(text);
    for (std::size_t changes = 1 + below(2); changes > 0; --changes) change_value(document);
    return document.dump(1);
  }
  for (std::size_t changes = 1 + below(6); changes > 0; --changes) change(text, texts);
  return text;
}

void Mutator::change(std::string& text, const std::vector<std::string>& texts) {
  switch (below(8)) {
    case 0:
    case 1:
      return change_bytes(text);
    case 2:
      return change_lines(text);
    case 3:
    case 4:
      return change_number(text);
    case 5:
      return change_word(text, texts);
    case 6:
      return text.resize(below(4) == 0 ? place(text) : text.size() - below(std::min<std::size_t>(text.size() + 1, 12)));
    default:
      return grow(text);
  }
}

void Mutator::change_bytes(std::string& text) {
  if (text.empty()) return;
  const std::size_t at = below(text.size()), length = 1 + below(below(8) == 0 ? 200 : 4);
  switch (below(5)) {
    case 0:
      text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
      return;
    case 1:
      text[at] = static_cast<char>(below(256));
      return;
    case 2:
      text.erase(at, length);
      return;
    case 3:
      text.insert(at, text.substr(below(text.size()), length));
      return;
    default:
      text[at] = marks[below(sizeof marks)];
  }
}

void Mutator::change_lines(std::string& text) {
  const auto is_of_line = [](char c) { return c != '\n'; };
  const auto [begin, length] = run_at(text, place(text), is_of_line);
  const std::string line = text.substr(begin, length + 1);
  switch (below(4)) {
    case 0:
      text.erase(begin, length + 1);
      return;
    case 1:
      text.insert(begin, line);
      return;
    case 2:
      text.insert(run_at(text, place(text), is_of_line).first, line);
      return;
    default:
      if (const auto [other, other_length] = run_at(text, place(text), is_of_line); other > begin + length) {
        const std::string moved = text.substr(other, other_length);
        text.replace(other, other_length, text.substr(begin, length));
        text.replace(begin, length, moved);
      }
  }
}

void Mutator::change_value(Json& document) {
  const std::vector<Json*> all = holders(document);
  if (all.empty()) return;
  Json& holder = *all[below(all.size())];
  const std::size_t i = below(holder.size());
  Json& value = value_at(holder, i);
  switch (below(6)) {
    case 0:
      holder.erase(std::next(holder.begin(), static_cast<std::ptrdiff_t>(i)));
      return;
    case 1:
      if (holder.is_array()) holder.insert(holder.begin(), Json(value));
      return;
    case 2: {
      const Json other = value_at(*all[below(all.size())], 0);  // a copy: it may hold the value
      value = other;
      return;
    }
    case 3:
      value_at(holder, below(holder.size())).swap(value);
      return;
    default: {
      const std::string number = numbers[below(std::size(numbers))];
      const Json read = Json::parse(number, nullptr, false);
      if (value.is_number_integer() && below(2) == 0)
        value = value.get<std::int64_t>() / 2;
      else
        value = read.is_discarded() ? Json(number) : read;
    }
  }
}

void Mutator::change_number(std::string& text) {
  const auto [begin, length] = run_at(text, place(text), is_of_number);
  if (length == 0) return;
  text.replace(begin, length, below(3) == 0 ? std::to_string(below(300)) : numbers[below(std::size(numbers))]);
}

void Mutator::change_word(std::string& text, const std::vector<std::string>& texts) {
  const std::string& other = texts[below(texts.size())];
  const auto [begin, length] = run_at(text, place(text), is_of_word);
  const auto [from, amount] = run_at(other, place(other), is_of_word);
  text.replace(begin, length, other.substr(from, amount));
}

void Mutator::grow(std::string& text) {
  const std::size_t length = below(6) == 0 ? 30'000 + below(40'000) : 1 + below(300);
  const std::size_t at = place(text);
  if (below(3) == 0 && !text.empty()) {
    const std::size_t from = below(text.size());
    const std::string piece = text.substr(from, 1 + below(20));
    std::string run;
    while (run.size() < length) run += piece;
    text.insert(at, run);
  } else {
    text.insert(at, std::string(length, runs[below(sizeof runs - 1)]));
  }
}

}  // namespace tutti::fuzz
