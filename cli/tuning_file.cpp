#include "cli/tuning_file.hpp"

#include "base/error.hpp"
#include "json/text_file.hpp"

namespace tutti::cli {

const Exporter& exporter_named(const std::string& name) {
  if (const Exporter* exporter = exporter_for(name)) return *exporter;
  return find_exporter(name);
}

std::unique_ptr<TuningFile> read_tuning_file(const Exporter& exporter, const std::string& path) {
  const std::optional<std::string> text = read_text_file(path);
  if (!text) throw InputError(path + ":1: expected a readable file");
  return exporter.read(*text, path);
}

}  // namespace tutti::cli
