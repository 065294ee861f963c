#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algos/registry.hpp"
#include "tables/table.hpp"

namespace tutti {

struct ExportOptions {
  std::optional<int> ppn;  // only the cells of this many ranks per node
  bool extend =
      false;  // process counts that were not tuned use the next smaller tuned one (else: the library's own choice)
};

/// A library's tuning file, read as the library reads it.
class TuningFile {
 public:
  virtual ~TuningFile() = default;
  /// What the library runs by the file; nothing where it makes its own choice.
  virtual std::optional<Choice> choice(const Case& c, int nodes) const = 0;
};

/// A real library and the form of its tuning file: all that others know of either.
class Exporter {
 public:
  virtual ~Exporter() = default;
  virtual std::string name() const = 0;
  virtual std::string description() const = 0;
  /// Whose own choices the file replaces: a name that find_baseline knows, such as "open-mpi-4.1".
  virtual std::string library() const = 0;
  /// Whether the library has the algorithm, and the file can name it with these parameters.
  virtual bool can_say(const Choice& choice) const = 0;
  /// Whether a file may say one thing for 2 nodes x 4 ranks and another for 8 x 1.
  virtual bool knows_layouts() const = 0;
  /// The file for these offers (selection/offers.hpp), sorted, at least one, with comments that begin with `about`.
  virtual std::string write(std::span<const Cell> offers, double bound, bool extend,
                            const std::vector<std::string>& about) const = 0;
  /// Throws InputError "ORIGIN:LINE: what was expected".
  virtual std::unique_ptr<TuningFile> read(const std::string& text, const std::string& origin) const = 0;
  /// What the library cannot be told about this collective, for people; empty: nothing.
  virtual std::string cannot_tell(Collective) const { return ""; }
};

/// All exporters, by name; one registers with one line at its end.
const std::vector<const Exporter*>& exporters();
/// Throws InputError on an unknown name, listing the known ones.
const Exporter& find_exporter(const std::string& name);
/// The first exporter for this library, nullptr where there is none.
const Exporter* exporter_for(const std::string& library);
/// As above; throws InputError, listing the known libraries.
const Exporter& find_exporter_for(const std::string& library);

struct ExporterRegistration {
  explicit ExporterRegistration(const Exporter* exporter);
};

}  // namespace tutti
