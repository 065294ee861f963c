#include "cli/tuning_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/near_spelling.hpp"
#include "json/text_file.hpp"
#include "selection/own_choices.hpp"

namespace tutti::cli {
namespace {

/// What a library reads of it, a blank between words: comments name the file that it was made of, which may have been
/// moved with it.
std::string without_comments(const std::string& text) {
  std::string kept;
  bool is_comment = false;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    is_comment = c == '#' || (is_comment && c != '\n');
    if (is_comment) continue;
    if (!is_blank)
      kept += c;
    else if (!kept.empty() && kept.back() != ' ')
      kept += ' ';
  }
  return kept.substr(0, kept.find_last_not_of(' ') + 1);
}

}  // namespace

const Exporter& exporter_named(const std::string& name) {
  if (const Exporter* exporter = exporter_for(name)) return *exporter;
  if (const Exporter* exporter = exporter_of_version(name)) return *exporter;
  if (const Exporter* exporter = exporter_to(name)) return *exporter;
  std::string known;
  std::vector<std::string> names;
  for (const Exporter* exporter : exporters())
    for (const std::string& one : {exporter->library(), exporter->name()})
      if (std::find(names.begin(), names.end(), one) == names.end()) names.push_back(one);
  std::sort(names.begin(), names.end());
  for (const std::string& one : names) known += (known.empty() ? "" : ", ") + one;
  const Exporter* described = exporter_described_as(name);
  throw InputError("--for " + name + ": expected a library or the form of its file, one of " + known +
                   (described ? " (did you mean " + described->name() + "?)" : did_you_mean(name, names)));
}

std::string other_file_beside(const Exporter& exporter, const std::string& path, const std::string& text) {
  std::string other;
  // Those that go by where the file lies, as a list of settings does, say nothing more than it.
  const auto files = exporter.beside(text, path),
             elsewhere = exporter.beside(text, "/elsewhere/" + std::filesystem::path(path).filename().string());
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto& [end, expected] = files[i];
    if (expected != elsewhere[i].second) continue;
    const std::optional<std::string> found = read_text_file(path + end);
    if (!found)
      fmt::print(stderr, "warning: {}{} cannot be read: it is taken to be what tutti export writes beside {}\n", path,
                 end, path);
    else if (without_comments(*found) != without_comments(expected))
      other = path + end;
  }
  return other;
}

std::unique_ptr<TuningFile> read_tuning_file(const Exporter& exporter, const std::string& path) {
  const std::string text = text_of_file(path, "file");
  std::unique_ptr<TuningFile> file = exporter.read(text, path);
  if (const std::string other = other_file_beside(exporter, path, text); !other.empty())
    throw InputError(
        fmt::format("{}: it is another file than tutti export writes beside {}, which alone is read here: "
                    "expected both exported anew, or no {} to go by {} alone",
                    other, path, other, path));
  return file;
}

}  // namespace tutti::cli
