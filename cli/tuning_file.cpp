#include "cli/tuning_file.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/near_spelling.hpp"
#include "json/text_file.hpp"

namespace tutti::cli {

const Exporter& exporter_named(const std::string& name) {
  if (const Exporter* exporter = exporter_for(name)) return *exporter;
  std::string known;
  std::vector<std::string> names;
  for (const Exporter* exporter : exporters()) {
    if (exporter->name() == name) return *exporter;
    for (const std::string& one : {exporter->library(), exporter->name()})
      if (std::find(names.begin(), names.end(), one) == names.end()) names.push_back(one);
  }
  std::sort(names.begin(), names.end());
  for (const std::string& one : names) known += (known.empty() ? "" : ", ") + one;
  throw InputError("--for " + name + ": expected a library or the form of its file, one of " + known +
                   did_you_mean(name, names));
}

std::unique_ptr<TuningFile> read_tuning_file(const Exporter& exporter, const std::string& path) {
  return exporter.read(text_of_file(path, "file"), path);
}

}  // namespace tutti::cli
