#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sites/fabric_builder.hpp"
#include "sites/fabric_listing.hpp"

namespace tutti {
namespace {

using Kind = FabricListing::Kind;

constexpr int kMostLines = 4'000'000;

/// Reads blocks: a line for a device, and one for each of its ports that leads somewhere.
class PortBlocks {
 public:
  explicit PortBlocks(const InputText& text) : text_(text), builder_(text, true) {}

  FabricListing read() && {
    for (line_ = 1; line_ <= text_.lines(); ++line_) read_line(trim(text_.line(line_)));
    return std::move(builder_).done();
  }

 private:
  void read_line(std::string_view line) {
    if (line.empty() || line.front() == '#') return;
    if (line.front() == '[') return read_port(line);
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    for (const auto& [name, kind] : {std::pair<std::string_view, Kind>{"Switch", Kind::network_switch},
                                     {"Ca", Kind::adapter},
                                     {"Hca", Kind::adapter},
                                     {"Rt", Kind::router}})
      if (word == name) return read_device(kind, line);
    // vendid=, sysimgguid=, switchguid=, caguid=, …: nothing that a model needs.
    if (const std::size_t equals = line.find('=');
        equals != std::string_view::npos && equals > 0 && word.find('"') == std::string_view::npos)
      return;
    throw text_.error(
        line_,
        fmt::format("'{}', expected Switch, Ca or Rt with a name in quotes, [port] \"device\"[port], or a comment",
                    line.substr(0, 60)));
  }

  /// The part before the comment, and the comment without its '#'.
  std::pair<std::string_view, std::string_view> parts(std::string_view line) const {
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '"') quoted = !quoted;
      if (line[i] == '#' && !quoted) return {trim(line.substr(0, i)), trim(line.substr(i + 1))};
    }
    return {line, {}};
  }

  std::string id_in(std::string_view text) const {
    const auto id = between(text, '"');
    if (!id || id->empty()) throw text_.error(line_, "expected a device's name in quotes");
    return std::string(*id);
  }

  void read_device(Kind kind, std::string_view line) {
    const auto [what, comment] = parts(line);
    device_ = builder_.described(kind, id_in(what), std::string(between(comment, '"').value_or("")), line_);
  }

  /// "[12]" at the beginning of the text, which is left with what follows, also behind "[ext 3]".
  int bracketed(std::string_view& text) const {
    const std::size_t end = text.find(']');
    if (text.empty() || text.front() != '[' || end == std::string_view::npos)
      throw text_.error(line_, "expected a port as [number]");
    const int port = parse_port(text_, line_, text.substr(1, end - 1));
    text = trim(text.substr(end + 1));
    if (text.starts_with("[ext")) text = trim(text.substr(std::min(text.find(']'), text.size() - 1) + 1));
    return port;
  }

  /// An adapter's or a switch's by its name, as ibnetdiscover gives them, else as some line says.
  Kind kind_of(const std::string& id) const {
    if (id.starts_with("S-")) return Kind::network_switch;
    if (id.starts_with("H-")) return Kind::adapter;
    if (id.starts_with("R-")) return Kind::router;
    if (kinds_.empty()) find_kinds();
    const auto found = kinds_.find(id);
    if (found == kinds_.end())
      throw text_.error(line_, fmt::format("\"{}\", expected a device that the file describes", id));
    return found->second;
  }

  void find_kinds() const {
    for (int i = 1; i <= text_.lines(); ++i) {
      const std::string_view line = trim(text_.line(i));
      const bool is_switch = line.starts_with("Switch"), is_adapter = line.starts_with("Ca") || line.starts_with("Hca");
      if (!is_switch && !is_adapter && !line.starts_with("Rt")) continue;
      if (const auto id = between(parts(line).first, '"'))
        kinds_.emplace(*id, is_switch ? Kind::network_switch : is_adapter ? Kind::adapter : Kind::router);
    }
    kinds_.emplace("", Kind::router);  // looked for once
  }

  void read_port(std::string_view line) {
    if (!device_) throw text_.error(line_, "a port before any device, expected Switch, Ca or Rt first");
    auto [what, comment] = parts(line);
    const int port = bracketed(what);
    if (what.starts_with('(')) {
      const std::size_t end = std::min(what.find(')'), what.size() - 1);
      if (const std::string guid = guid_of(std::string(what.substr(1, end - 1))); !guid.empty())
        builder_.port_guid(*device_, guid);
      what = trim(what.substr(end + 1));
    }
    const std::string other = id_in(what);
    std::string_view rest = trim(what.substr(what.rfind('"') + 1));
    const int other_port = bracketed(rest);
    const auto description = between(comment, '"');
    const std::vector<std::string_view> words = split_words(comment);
    const bool has_rate = !words.empty() && words.back().find('x') != std::string_view::npos &&
                          words.back()[0] >= '1' && words.back()[0] <= '9';
    const int there = builder_.device(kind_of(other), other, std::string(description.value_or("")), line_);
    builder_.port(*device_, port, there, other_port, has_rate ? std::string(words.back()) : "", line_);
  }

  const InputText& text_;
  FabricBuilder builder_;
  int line_ = 0;
  std::optional<int> device_;
  mutable std::map<std::string, Kind, std::less<>> kinds_;
};

/// Reads lines of ports (-p): TYPE LID PORT GUID WIDTH SPEED - TYPE LID PORT GUID ( 'NAME' - 'NAME' ).
class Lines {
 public:
  explicit Lines(const InputText& text) : text_(text), builder_(text, false) {}

  FabricListing read() && {
    for (line_ = 1; line_ <= text_.lines(); ++line_) read_line(trim(text_.line(line_)));
    return std::move(builder_).done();
  }

 private:
  static std::optional<Kind> kind_named(std::string_view word) {
    if (word == "SW") return Kind::network_switch;
    if (word == "CA") return Kind::adapter;
    if (word == "RT") return Kind::router;
    return std::nullopt;
  }

  InputError unexpected() const {
    return text_.error(line_,
                       "expected a port as ibnetdiscover -p prints it: CA LID PORT GUID WIDTH SPEED - SW LID PORT GUID "
                       "( 'NAME' - 'NAME' )");
  }

  std::string guid(std::string_view word) const {
    if (!word.starts_with("0x") || guid_of(std::string(word)).empty()) throw unexpected();
    return std::string(word);
  }

  void read_line(std::string_view line) {
    if (line.empty() || line.front() == '#') return;
    const std::size_t names = line.find('\'');
    if (names == std::string_view::npos) throw unexpected();
    const std::vector<std::string_view> words = split_words(line.substr(0, names));
    if (words.size() < 6 || !kind_named(words[0])) throw unexpected();
    const std::string_view quoted = line.substr(names);
    if (words.size() == 6) {  // nothing is plugged in
      builder_.described(*kind_named(words[0]), guid(words[3]), std::string(between(quoted, '\'').value_or("")), line_);
      return;
    }
    if (words.size() != 12 || words[6] != "-" || !kind_named(words[7]) || words[11] != "(") throw unexpected();
    const std::size_t middle = quoted.find("' - '");
    const auto both = between(quoted, '\'');
    if (middle == std::string_view::npos || !both || middle + 4 > both->size()) throw unexpected();
    const int a =
        builder_.described(*kind_named(words[0]), guid(words[3]), std::string(quoted.substr(1, middle - 1)), line_);
    const int b = builder_.device(*kind_named(words[7]), guid(words[10]), std::string(both->substr(middle + 4)), line_);
    builder_.port_guid(a, guid_of(std::string(words[3])));  // these lines name adapters by their ports
    builder_.port(a, parse_port(text_, line_, words[2]), b, parse_port(text_, line_, words[9]),
                  fmt::format("{}{}", words[4], words[5]), line_);
  }

  const InputText& text_;
  FabricBuilder builder_;
  int line_ = 0;
};

/// A line for each port, rather than blocks.
bool is_port_report(const InputText& text) {
  for (int i = 1; i <= text.lines(); ++i) {
    const std::string_view line = trim(text.line(i));
    if (line.empty() || line.front() == '#') continue;
    return line.starts_with("CA ") || line.starts_with("SW ") || line.starts_with("RT ");
  }
  return false;
}

}  // namespace

FabricListing read_ibnetdiscover(const std::filesystem::path& file) {
  const InputText text = InputText::load(file, "what ibnetdiscover writes");
  if (text.lines() > kMostLines) throw text.error(kMostLines, "expected no more lines than this");
  return is_port_report(text) ? Lines(text).read() : PortBlocks(text).read();
}

std::string guid_of(const std::string& id) {
  std::string text = lower(id);
  if (text.starts_with("s-") || text.starts_with("h-") || text.starts_with("r-") || text.starts_with("0x"))
    text.erase(0, 2);
  if (text.empty() || text.find_first_not_of("0123456789abcdef") != std::string::npos) return "";
  return text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
}

std::map<std::string, std::string> read_node_names(const std::filesystem::path& file) {
  const InputText text = InputText::load(file, "lines of 0xGUID \"NAME\"");
  std::map<std::string, std::string> names;
  for (int i = 1; i <= text.lines(); ++i) {
    const std::string_view line = trim(text.line(i));
    if (line.empty() || line.front() == '#') continue;
    const std::string word(line.substr(0, line.find_first_of(" \t")));
    const auto name = between(line, '"');
    if (!word.starts_with("0x") || guid_of(word).empty() || !name || name->empty())
      throw text.error(i, "expected 0xGUID \"NAME\", as opensm's node-name-map has it");
    if (!names.emplace(guid_of(word), *name).second)
      throw text.error(i, fmt::format("{} a second time, expected each GUID once", word));
  }
  if (names.empty()) throw text.error(1, "no name in all of the file, expected lines of 0xGUID \"NAME\"");
  return names;
}

}  // namespace tutti
