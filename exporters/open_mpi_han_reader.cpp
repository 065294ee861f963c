#include "exporters/open_mpi_han_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "exporters/open_mpi_collectives.hpp"
#include "exporters/open_mpi_words.hpp"
#include "exporters/rule_list.hpp"

namespace tutti {
namespace {

constexpr const char* kHanComponents[] = {"self", "basic", "libnbc", "tuned", "sm", "adapt", "han"};

/// coll/han's algorithms by number (coll_han_algorithms.c of 5.0).
std::vector<std::string> han_algorithms(Collective collective) {
  std::vector<std::string> all{"default"};
  if (collective != Collective::barrier) all.emplace_back("intra");
  all.emplace_back("simple");
  if (collective == Collective::reduce || collective == Collective::allreduce) all.emplace_back("reproducible");
  return all;
}

/// What "default" stands for (use_simple_algorithm of coll_han_component.c), which is what ours do.
bool is_default_in_han(Collective collective, const std::string& algorithm) {
  const bool is_simple = collective == Collective::barrier || collective == Collective::gather;
  return algorithm == "default" || algorithm == (is_simple ? "simple" : "intra");
}

/// Whether a collective that coll/han serves is made of this one there.
bool is_asked(Collective collective, HanLevel level) {
  for (int i = 0; i < kCollectives; ++i)
    for (const HanPart& part : asked_by_han(static_cast<Collective>(i), HanVariant::usual))
      if (part.collective == collective && part.level == level) return true;
  return false;
}

class HanReader {
 public:
  HanReader(const std::string& text, const std::string& origin, std::ptrdiff_t first_line, Doubts* doubts)
      : words_(text, origin, first_line, doubts), doubts_(doubts) {}

  HanFile read() {
    for (std::int64_t left = words_.number("the number of collectives", 1); left > 0; --left) read_collective();
    if (!words_.ends())
      expect("the end of the file", "ignored", "something stands behind the last rule", "Open MPI does not read it",
             "leave it out, or count it above");
    return std::move(file_);
  }

 private:
  /// Refuses what the library takes, or takes note of it.
  void expect(const std::string& expected, const char* kind, std::string what, std::string matters, std::string fix) {
    if (!doubts_) words_.fail(expected);
    doubts_->push_back({words_.line(), kind, std::move(what), std::move(matters), std::move(fix)});
  }
  void note(const char* kind, std::string what, std::string matters, std::string fix) {
    if (doubts_) doubts_->push_back({words_.line(), kind, std::move(what), std::move(matters), std::move(fix), true});
  }

  void read_collective() {
    const std::string word = words_.word();
    std::int64_t id = whole_number(word).value_or(-1);
    for (std::int64_t i = 0; const char* name = open_mpi_collective_name(i); ++i)
      if (word == name) id = i;
    const char* const name = open_mpi_collective_name(id);
    if (!name) words_.fail("the name or the number of a collective");
    const std::optional<Collective> known = open_mpi_collective(id);
    const bool is_read = known && is_served_by_han(*known);
    collective_ = is_read ? *known : Collective::barrier, name_ = name;
    if (!is_read && doubts_)
      doubts_->push_back({words_.line(), "ignored", fmt::format("rules for {}", name),
                          "coll/han does not serve it: nobody reads them", "leave them out"});
    if (is_read && file_.contains(collective_))
      expect("a collective of coll/han, each once", "overlap", fmt::format("{} comes a second time", name),
             "Open MPI takes the last one, so that what was said before is lost", "join the two");
    HanCollective read;
    for (std::int64_t left = words_.number("the number of levels", 0); left > 0; --left) read_level(read, is_read);
    if (is_read) file_[collective_] = std::move(read);
  }

  void read_level(HanCollective& collective, bool is_read) {
    const std::string word = words_.word();
    const auto named = std::find(std::begin(kHanLevels), std::end(kHanLevels), word);
    const std::int64_t id =
        named != std::end(kHanLevels) ? named - std::begin(kHanLevels) : whole_number(word).value_or(-1);
    if (id < 0 || id >= std::ssize(kHanLevels))
      words_.fail(fmt::format("{} or its number", fmt::join(kHanLevels, ", ")));
    level_ = static_cast<HanLevel>(id), is_read_ = is_read;
    HanConfigurations& all = collective.levels.at(static_cast<std::size_t>(id));
    if (!all.empty())
      expect("a level, each once", "overlap", fmt::format("{} comes a second time for {}", kHanLevels[id], name_),
             "Open MPI takes the last one, so that what was said before is lost", "join the two");
    all.clear();
    for (std::int64_t left = words_.number("the number of communicator sizes", 0); left > 0; --left) {
      const std::int64_t ranks = words_.number("a communicator size", 1);
      constexpr const char* kExpected = "communicator sizes from 1 on, in ascending order";
      if (all.empty() && ranks != 1) words_.fail(kExpected);
      if (!all.empty() && ranks <= all.back().ranks)
        expect(kExpected, "overlap", fmt::format("{} ranks after {}", ranks, all.back().ranks),
               "Open MPI takes the last size that is not above the communicator's: which rules hold follows from their "
               "order, not from their sizes",
               "sort communicator sizes in ascending order, each once");
      all.push_back({ranks, rows()});
    }
  }

  std::vector<HanRow> rows() {
    std::vector<HanRow> all;
    for (std::int64_t left = words_.number("the number of message sizes", 0); left > 0; --left) {
      HanRow row;
      row.from_bytes = words_.bytes("a message size");
      constexpr const char* kExpected = "message sizes from 0 on, in ascending order";
      if (all.empty() && row.from_bytes > 1) words_.fail(kExpected);
      if (all.empty() && row.from_bytes == 1)
        note("gap", "the first message size is 1", "calls of no bytes have no rule, as without the file",
             "put 0 there");
      if (!all.empty() && row.from_bytes <= all.back().from_bytes)
        expect(kExpected, "overlap", fmt::format("{} bytes after {}", row.from_bytes, all.back().from_bytes),
               "Open MPI takes the last size that is not above the call's: which line holds follows from their order, "
               "not from their sizes",
               "sort message sizes in ascending order, each once");
      row.line = words_.line();
      read_component(row);
      if (is_read_) tell(row);
      all.push_back(std::move(row));
      if (words_.take("[")) read_segments();
    }
    return all;
  }

  void read_component(HanRow& row) {
    row.says = words_.word();
    if (std::find(std::begin(kHanComponents), std::end(kHanComponents), row.says) == std::end(kHanComponents))
      words_.fail(fmt::format("a component of {}, and a blank behind it", fmt::join(kHanComponents, ", ")));
    row.by = row.says == "tuned" ? HanRow::By::tuned : row.says == "han" ? HanRow::By::han : HanRow::By::other;
    if (row.by != HanRow::By::han || !words_.take("@")) return;
    const std::vector<std::string> all = is_read_ ? han_algorithms(collective_) : std::vector<std::string>{"default"};
    std::string word = words_.word();
    if (const auto number = whole_number(word); number && *number < std::ssize(all))
      word = all[static_cast<std::size_t>(*number)];
    if (std::find(all.begin(), all.end(), word) == all.end())
      words_.fail(fmt::format("the name or the number of an algorithm that coll/han has for {}: {}", name_,
                              fmt::join(all, ", ")));
    row.says += " @" + word;
    if (!is_default_in_han(collective_, word))
      row.by = is_read_ && word == "simple" && has_simple_variant(collective_) ? HanRow::By::simple : HanRow::By::other;
  }

  void tell(const HanRow& row) {
    if (!doubts_ || row.by == HanRow::By::tuned || (level_ == HanLevel::all && row.by != HanRow::By::other)) return;
    const std::string what =
        fmt::format("{} for {} on {}", row.says, name_, kHanLevels[static_cast<std::size_t>(level_)]);
    if (level_ != HanLevel::all && row.says.starts_with("han"))
      doubts_->push_back({row.line, "ignored", what,
                          "coll/han serves whole communicators alone: another component runs there",
                          "name that component"});
    else if (level_ != HanLevel::all && !is_asked(collective_, level_))
      doubts_->push_back({row.line, "ignored", what,
                          "coll/han asks for it in its simple variants alone, which it has to be told to run",
                          "nothing, if that is meant", true});
    else
      doubts_->push_back({row.line, "unknown", "what runs by " + what + " is not known to Tutti",
                          "explain, audit and diff refuse calls that follow it", "nothing, if that is meant", true});
  }

  void read_segments() {
    note("ignored", "lengths of segments in brackets", "Open MPI reads them and does nothing with them",
         "leave them out");
    while (!words_.ends() && !words_.take("]")) words_.number("the length of a segment", 0);
  }

  OpenMpiWords words_;
  Doubts* const doubts_;
  HanFile file_;
  Collective collective_ = Collective::barrier;
  const char* name_ = "";
  HanLevel level_ = HanLevel::all;
  bool is_read_ = true;
};

}  // namespace

bool is_served_by_han(Collective c) {
  return c == Collective::allgather || c == Collective::allreduce || c == Collective::barrier ||
         c == Collective::bcast || c == Collective::gather || c == Collective::reduce || c == Collective::scatter;
}

std::vector<HanPart> asked_by_han(Collective c, HanVariant variant) {
  using enum HanLevel;
  if (variant == HanVariant::simple && has_simple_variant(c)) {
    if (c == Collective::allreduce)
      return {{Collective::reduce, on_nodes}, {Collective::bcast, on_nodes}, {c, between_nodes}};
    return {{c, on_nodes}, {c, between_nodes}};
  }
  switch (c) {
    case Collective::allgather:
      return {{Collective::gather, on_nodes}, {Collective::allgather, between_nodes}, {Collective::bcast, on_nodes}};
    case Collective::gather:
    case Collective::barrier:
      return {{c, on_nodes}, {c, between_nodes}};
    default:
      return {};
  }
}

HanFile read_han_file(const std::string& text, const std::string& origin, std::ptrdiff_t first_line, Doubts* doubts) {
  return HanReader(text, origin, first_line, doubts).read();
}

}  // namespace tutti
