#include "json/lines.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.hpp"

namespace tutti {
namespace {

constexpr std::size_t deepest_nesting = 64;

// The parser reads one character beyond a number before it reports it, so a line break counts only once something
// follows it.
struct Position {
  int line = 1;
  int pending = 0;
};

class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, Position* position) : at_(at), position_(position) {}
  const char& operator*() const { return *at_; }
  CountingIterator& operator++() {
    if (*at_ == '\n') {
      ++position_->pending;
    } else if (*at_ != ' ' && *at_ != '\t' && *at_ != '\r') {
      position_->line += std::exchange(position_->pending, 0);
    }
    ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  Position* position_;
};

std::string escaped(std::string token) {
  for (std::size_t at = 0; (at = token.find_first_of("~/", at)) != std::string::npos; at += 2)
    token.replace(at, 1, token[at] == '~' ? "~0" : "~1");
  return token;
}

class LineHandler {
 public:
  LineHandler(const std::string& origin, const Position& position) : origin_(origin), position_(position) {}

  std::unordered_map<std::string, int> lines;

  bool null() { return value(); }
  bool boolean(bool) { return value(); }
  bool number_integer(std::int64_t) { return value(); }
  bool number_unsigned(std::uint64_t) { return value(); }
  bool number_float(double, const std::string&) { return value(); }
  bool string(std::string&) { return value(); }
  bool binary(nlohmann::json::binary_t&) { return value(); }
  bool start_object(std::size_t) { return open(-1); }
  bool start_array(std::size_t) { return open(0); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    pointer_.resize(open_.back().length);
    pointer_ += "/" + escaped(name);
    if (!lines.emplace(pointer_, position_.line).second)
      fail(position_.line, pointer_ + ": expected this key only once in its object");
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) {
    std::string why = error.what();
    if (why.starts_with('[')) why.erase(0, why.find("] ") + 2);  // the exception's name
    if (why.starts_with("parse error")) why.erase(0, why.find(": ") + 2);
    std::replace(why.begin(), why.end(), '\n', ' ');
    fail(position_.line, "expected JSON: " + why);
  }

 private:
  struct Level {
    std::size_t length;  // of the pointer of the object or array
    int next_index;      // -1 in objects
  };

  [[noreturn]] void fail(int line, const std::string& message) const {
    throw InputError(origin_ + ":" + std::to_string(line) + ": " + message);
  }
  bool value() {
    if (open_.empty()) {
      lines.emplace("", position_.line);
    } else if (open_.back().next_index >= 0) {
      pointer_.resize(open_.back().length);
      pointer_ += "/" + std::to_string(open_.back().next_index++);
      lines.emplace(pointer_, position_.line);
    }
    return true;
  }
  bool open(int first_index) {
    value();
    open_.push_back({pointer_.size(), first_index});
    if (open_.size() > deepest_nesting)
      fail(position_.line, "expected at most " + std::to_string(deepest_nesting) + " levels of nesting");
    return true;
  }
  bool close() {
    pointer_.resize(open_.back().length);
    open_.pop_back();
    return true;
  }

  const std::string& origin_;
  const Position& position_;
  std::string pointer_;
  std::vector<Level> open_;
};

}  // namespace

std::unordered_map<std::string, int> json_lines(const std::string& text, const std::string& origin) {
  Position position;
  LineHandler handler(origin, position);
  nlohmann::json::sax_parse(CountingIterator(text.data(), &position),
                            CountingIterator(text.data() + text.size(), &position), &handler);
  return std::move(handler.lines);
}

}  // namespace tutti
