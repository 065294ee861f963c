#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algos/registry.hpp"
#include "base/ranks_on_nodes.hpp"
#include "selection/explanation.hpp"
#include "selection/lint.hpp"
#include "tables/table.hpp"

namespace tutti {

struct ExportOptions {
  std::optional<int> ppn;     // only the cells of this many ranks per node
  bool extend = false;        // numbers of ranks that were not tuned have rules, too (else: the library's own choice)
  bool extend_sizes = false;  // so have sizes below the smallest and above the largest tuned one
  bool any_operator = false;  // nothing is named that is wrong for operators that do not commute (minds_operators)
};

/// In rules of a file: that nothing is said, so that the library makes its own choice.
inline const std::string kOwnChoice;

/// What a library can tell of a layout: its number of ranks; besides, whether each has a node of its own or all have
/// one; nodes and ranks per node.
enum class Sight { ranks, spread, layouts };

/// A layout as a library sees it. Layouts that it sees alike have the same rules.
struct SeenLayout {
  /// What size counts are of: with Sight::layouts the ranks per node; with Sight::spread kMixed, kOnePerNode or
  /// kOneNode.
  int kind = 0;
  int size = 1;  // nodes with Sight::layouts, else ranks
  friend auto operator<=>(const SeenLayout&, const SeenLayout&) = default;
};
inline constexpr int kMixed = 0, kOnePerNode = 1, kOneNode = 2;
SeenLayout seen(Sight sight, int nodes, int ranks);
/// The ranks of a layout; `sight` as it was seen.
int ranks_of(Sight sight, const SeenLayout& layout);

/// What a file is to say of a collective on layouts of one kind, from one size to another.
struct FileRules {
  static constexpr int kNoEnd = std::numeric_limits<int>::max();
  Collective collective = Collective::barrier;
  SeenLayout layout;                              // the first
  int last_size = 1;                              // inclusive
  bool between = false;                           // none of these was tuned, but layouts on either side
  std::vector<Rule> rules;                        // by size, from 0 on, without gaps; `algorithm` may be kOwnChoice
  std::vector<std::pair<int, int>> layouts = {};  // (nodes, ranks per node) of the table that these rules are for
  bool inside = false;  // for what the library runs of other calls on so many of their ranks; no layout has them
  std::int64_t tuned_from_bytes = 0, tuned_to_bytes = Rule::kUnlimited;  // the sizes that are taken for tuned
};

/// A library's tuning file, read as the library reads it.
class TuningFile {
 public:
  virtual ~TuningFile() = default;
  /// What the library runs by the file; nothing where it makes its own choice.
  std::optional<Choice> choice(const Case& c, const RanksOnNodes& on) const { return decide(c, on, nullptr); }
  /// The same; `why` (may be nullptr) is told of the way there. Where it was not told of a choice in the end
  /// (Explanation::told), the library's own choice is still to be asked for.
  virtual std::optional<Choice> decide(const Case& c, const RanksOnNodes& on, Explanation* why) const = 0;
  /// What the library's own choice runs under this file, which may serve what that is made of. `why` (may be nullptr)
  /// is told of the parts.
  virtual Choice under_file(Choice own, const Case&, const RanksOnNodes&, Explanation*) const { return own; }
};

/// How a file is switched on: variables of the environment; `sourced`: the file is a script that sets them itself.
struct SwitchOn {
  std::vector<std::pair<std::string, std::string>> variables;
  bool sourced = false;
};

/// A real library and the form of its tuning file: all that others know of either.
class Exporter {
 public:
  virtual ~Exporter() = default;
  virtual std::string name() const = 0;
  virtual std::string description() const = 0;
  /// Whose own choices the file replaces, as find_library knows it: "open-mpi-4.1". Where find_baseline knows it, too,
  /// no cell gets slower than these; else nothing is known of them, and the file says what it can wherever it can.
  virtual std::string library() const = 0;
  /// Who reads the file, for people, where the choices of library() only stand for those of another one; empty: it
  /// does.
  virtual std::string reader() const { return ""; }
  /// Whether the library has the algorithm, and the file can name it with these parameters.
  virtual bool can_say(const Choice& choice) const = 0;
  /// The same of calls of a layout.
  virtual bool can_say_here(const Choice& choice, const Place&) const { return can_say(choice); }
  /// Whether other rules of the file may be in its way, so that there may be another rule in its place in the end.
  virtual bool may_give_way(const Choice&) const { return false; }
  /// Whether the file may have rules for the collective.
  virtual bool serves(Collective collective) const { return is_regular(collective); }
  virtual Sight sight() const = 0;
  /// Whether what is said can hold of all layouts from one size on, which --extend says of the largest.
  virtual bool serves_beyond() const { return true; }
  /// Which communicators follow the rules of a layout besides that of a job with this layout, for people.
  virtual std::string also_serves() const;
  /// What of numbers of ranks without rules follows the rules all the same, for people; empty: nothing.
  virtual std::string not_left() const { return ""; }
  /// Whether the library looks, before it runs what the file names, whether a call's operator commutes; else it runs
  /// that for every operator, and results may be wrong (breaks_order).
  virtual bool minds_operators(const Choice&) const { return true; }
  /// Whether the library can choose by size.
  virtual bool knows_sizes(Collective) const { return true; }
  /// The size that the library compares in a call of so many bytes in the total convention: FileRules' sizes are such.
  virtual std::int64_t looked_up_bytes(Collective, int /*ranks*/, std::int64_t bytes) const { return bytes; }
  /// Whether the file has to name something for all sizes of a layout or for none.
  virtual bool all_sizes_or_none() const { return false; }
  /// What of the rules the file can say together, which may be less than it can say of each: the library's own choice
  /// takes the place of others, and those of `certain`, in which nothing may give way, that of what does.
  virtual std::vector<FileRules> settled(std::vector<FileRules> rules,
                                         const std::vector<FileRules>& /*certain*/) const {
    return rules;
  }
  /// The file for these rules, sorted, at least one, with comments that begin with `about`, where its form has
  /// comments.
  virtual std::string write(std::span<const FileRules> rules, const std::vector<std::string>& about) const = 0;
  virtual bool has_comments() const { return true; }
  /// Throws InputError "ORIGIN:LINE: what was expected".
  virtual std::unique_ptr<TuningFile> read(const std::string& text, const std::string& origin) const = 0;
  /// Whether the library, too, refuses what `read` refuses; else `read` knows nothing but what `write` writes.
  virtual bool reads_as_library() const { return true; }
  /// Adds what is wrong with a file of this form. Throws as `read` what nothing can be said beyond.
  virtual void lint(const std::string& text, const std::string& origin, Doubts& findings) const = 0;
  /// Files that belong beside this one, at `path`, whose text is `text`: what their names end in, and their texts.
  virtual std::vector<std::pair<std::string, std::string>> beside(const std::string& /*text*/,
                                                                  const std::string& /*path*/) const {
    return {};
  }
  virtual SwitchOn switch_on(const std::string& path) const = 0;
  /// What the library cannot be told about this collective, for people; empty: nothing.
  virtual std::string cannot_tell(Collective) const { return ""; }
};

/// All exporters, by name; one registers with one line at its end.
const std::vector<const Exporter*>& exporters();
/// The collectives that its files may have rules for.
std::vector<Collective> collectives_of(const Exporter& exporter);
/// Whether the file may leave sizes that were not tuned to the library; what has no sizes, has none such.
bool leaves_sizes(const Exporter& exporter, Collective collective);
/// The irregular collectives of the table for which the library has no choice to make, sorted; their cells are taken
/// out, unless there are no others.
std::vector<Collective> take_out_unserved(Table& table, const Exporter& exporter);
/// Throws InputError "FILE: …" where the file can serve no cell of the table, read from `path`, or one collective with
/// counts spread in several ways, which no tuning file tells apart.
void expect_served(const Table& table, const std::string& path, const Exporter& exporter);
/// The exporter of that name, "open-mpi-json", nullptr where there is none.
const Exporter* exporter_to(const std::string& form);
/// The same; throws InputError, listing the known ones.
const Exporter& find_exporter(const std::string& name);
/// The one exporter whose description has the name, written as people do ("Open MPI 6.0" for "open-mpi-6.0"); nullptr
/// where there is none, or several.
const Exporter* exporter_described_as(const std::string& name);
/// The first exporter for this library, nullptr where there is none.
const Exporter* exporter_for(const std::string& library);
/// As above; throws InputError, listing the known libraries and the versions that stand for one (exporter_of_version).
const Exporter& find_exporter_for(const std::string& library);

struct ExporterRegistration {
  explicit ExporterRegistration(const Exporter* exporter);
};

}  // namespace tutti
