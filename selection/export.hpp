#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tables/table.hpp"

namespace tutti {

struct ExportOptions {
  std::optional<int> ppn;  // only the cells of this many ranks per node
  bool extend =
      false;  // process counts that were not tuned use the next smaller tuned one (else: the library's own choice)
};

struct Exported {
  std::string text;                  // the file
  std::vector<std::string> remarks;  // what the target cannot express, one line each
};

/// Writes tables as a real library's tuning file.
class Exporter {
 public:
  virtual ~Exporter() = default;
  virtual std::string name() const = 0;
  virtual std::string description() const = 0;
  /// Throws InputError where nothing of the table can be exported.
  virtual Exported write(const Table& table, const ExportOptions& options) const = 0;
};

/// All exporters, by name; one registers with one line at its end.
const std::vector<const Exporter*>& exporters();
/// Throws InputError on an unknown name, listing the known ones.
const Exporter& find_exporter(const std::string& name);

struct ExporterRegistration {
  explicit ExporterRegistration(const Exporter* exporter);
};

/// Cells by number of ranks alone, for libraries that know no nodes: of all layouts with that many ranks, the "seconds"
/// of a choice are its worst time relative to the best choice of the layout. Choices missing in a layout are left out.
/// Places have nodes = ranks and ppn = 1.
std::vector<Cell> cells_by_ranks(const Table& table, const std::optional<int>& ppn);

}  // namespace tutti
