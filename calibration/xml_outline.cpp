#include "calibration/xml_outline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/error.hpp"

namespace tutti {
namespace {

// hwloc goes down as deep as its file does, and no node has as many levels.
constexpr std::size_t most_levels = 128;
// It makes sets of so many bits.
constexpr unsigned most_index = 1 << 20;
constexpr std::string_view blanks = " \t\r\n";

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':'; }
bool is_of_name(char c) { return begins_name(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; }

class Outline {
 public:
  Outline(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  void check() {
    for (pass_text(); !rest_.empty(); pass_text())
      if (take("<?"))
        pass_until("?>");
      else if (take("<!--"))
        pass_until("-->");
      else if (take("<!"))
        pass_until(">");
      else if (take("</"))
        close();
      else
        open();
    if (!open_.empty())
      fail(fmt::format("the file ends inside <{}> of line {}, expected its end", open_.back().name, open_.back().line));
    if (!rooted_) fail("expected an XML file as lstopo writes it");
  }

 private:
  struct Element {
    std::string_view name;
    int line;
  };

  [[noreturn]] void fail(const std::string& expected) const {
    throw InputError(fmt::format("{}:{}: {}", file_, line_, expected));
  }
  void pass(std::size_t count) {
    line_ += static_cast<int>(std::count(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(count), '\n'));
    rest_.remove_prefix(count);
  }
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    pass(word.size());
    return true;
  }
  void pass_blanks() { pass(std::min(rest_.find_first_not_of(blanks), rest_.size())); }
  void pass_until(std::string_view end) {
    const std::size_t found = rest_.find(end);
    if (found == std::string_view::npos) fail(fmt::format("expected '{}' before the end of the file", end));
    pass(found + end.size());
  }
  /// What stands between tags: only blanks outside of the root.
  void pass_text() {
    const std::size_t end = std::min(rest_.find('<'), rest_.size());
    const std::string_view text = rest_.substr(0, end);
    if (text.find('\0') != std::string_view::npos) fail("a NUL byte, expected text");
    if (open_.empty()) pass_blanks();
    if (open_.empty() && !rest_.empty() && rest_.front() != '<') fail("expected an XML element");
    pass(std::min(rest_.find('<'), rest_.size()));
  }
  std::string_view name() {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_of_name);
    const std::string_view found = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    if (found.empty() || !begins_name(found.front()) || found.size() > 64) fail("expected a name of XML");
    pass(found.size());
    return found;
  }
  void attribute() {
    const std::string_view key = name();
    if (!take("=\"")) fail(fmt::format("expected {}=\"…\"", key));
    const std::size_t end = rest_.find('"');
    if (end == std::string_view::npos) fail("expected '\"' before the end of the file");
    if (rest_.substr(0, end).find_first_of(std::string_view("<\n\0", 3)) != std::string_view::npos)
      fail(fmt::format("expected {}=\"…\" on one line", key));
    if (key == "os_index") check_index(rest_.substr(0, end));
    pass(end + 1);
  }
  void check_index(std::string_view value) const {
    unsigned index = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), index);
    if (error != std::errc() || end != value.data() + value.size() || index > most_index)
      fail(fmt::format("expected os_index=\"…\" with a number of 0 to {}", most_index));
  }
  void open() {
    if (rooted_ && open_.empty()) fail("expected the end of the file");
    rooted_ = true;
    if (!take("<")) fail("expected an XML element");
    open_.push_back({name(), line_});
    if (open_.size() > most_levels) fail(fmt::format("expected at most {} levels", most_levels));
    for (;;) {
      pass_blanks();
      if (take(">")) return;
      if (take("/>")) return open_.pop_back();
      attribute();
    }
  }
  void close() {
    if (open_.empty()) fail("expected no end of an element that is not open");
    if (name() != open_.back().name)
      fail(fmt::format("expected </{}>, the end of what begins on line {}", open_.back().name, open_.back().line));
    open_.pop_back();
    pass_blanks();
    if (!take(">")) fail("expected '>'");
  }

  std::string_view rest_;
  const std::string& file_;
  int line_ = 1;
  bool rooted_ = false;
  std::vector<Element> open_;
};

}  // namespace

void check_xml_outline(std::string_view text, const std::string& file) { Outline(text, file).check(); }

}  // namespace tutti
