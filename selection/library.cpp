#include "selection/library.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/near_spelling.hpp"
#include "json/document.hpp"
#include "selection/baseline_documents.hpp"

namespace tutti {
namespace {

using nlohmann::json;

/// Refuses with the place in the document what `read` refuses.
template <class Read>
auto read_at(const Document& document, const std::string& pointer, Read read) {
  try {
    return read();
  } catch (const InputError& error) {
    document.fail(pointer, error.what());
  }
}

Library::Name name_at(const Document& document, const std::string& pointer, const Choice& ours,
                      const std::vector<std::string>& told) {
  const json& given = document.root().at(json::json_pointer(pointer));
  const json& theirs = given.is_object() ? given["name"] : given;
  Library::Name name{ours, theirs.is_string() ? theirs.get<std::string>() : theirs.dump(), told, {}};
  if (!given.is_object()) return name;
  name.told = given.value("told", told);
  name.with = given.value("with", name.with);
  return name;
}

void add_names(const Document& document, Library& library) {
  const std::vector<std::string> told = document.root().value("told", std::vector<std::string>());
  const auto algorithms = document.root().find("algorithms");
  if (algorithms == document.root().end()) return;
  for (const auto& [of, given] : algorithms->items()) {
    const std::string pointer = "/algorithms/" + of;
    const Collective collective = read_at(document, pointer, [&, &of = of] { return any_collective_named(of); });
    std::vector<Library::Name>& names = library.algorithms[collective];
    for (const auto& [text, value] : given.items()) {
      const std::string here = pointer + "/" + text;
      const Choice ours = read_at(document, here, [&, &text = text] { return parse_choice(collective, text); });
      names.push_back(name_at(document, here, ours, told));
      if (find_name(library, collective, names.back().theirs) != &names.back())
        document.fail(here, "expected a name that no other algorithm of the collective has");
    }
  }
}

Library library_of(const Document& document) {
  const json& root = document.root();
  Library library{root["name"], root.value("product", ""), root.value("version", ""), root.value("without", ""), {}};
  add_names(document, library);
  return library;
}

std::vector<Library> all_libraries() {
  std::map<std::string, Library> all;
  for (const auto& [name, document] : baseline_documents()) all[name] = library_of(document);
  for (const auto& [name, document] : baseline_documents())
    if (const json& root = document.root(); root.contains("algorithms_as"))
      for (const auto& [collective, names] : all.at(root["algorithms_as"].get<std::string>()).algorithms) {
        std::vector<Library::Name>& own = all[name].algorithms[collective];
        own.insert(own.end(), names.begin(), names.end());
      }
  std::vector<Library> sorted;
  for (auto& [name, library] : all) sorted.push_back(std::move(library));
  return sorted;
}

}  // namespace

bool Library::Name::is_told(std::string_view parameter) const {
  return std::find(told.begin(), told.end(), parameter) != told.end();
}

Library parse_library(const std::string& text, const std::string& origin) {
  const Document document(text, origin);
  validate_baseline(document);
  return library_of(document);
}

const std::vector<Library>& libraries() {
  static const std::vector<Library> all = all_libraries();
  return all;
}

const Library& find_library(std::string_view name) {
  std::string known;
  std::vector<std::string> names;
  for (const Library& library : libraries()) {
    if (library.name == name) return library;
    known += (known.empty() ? "" : ", ") + library.name;
    names.push_back(library.name);
  }
  throw InputError("unknown library '" + std::string(name) + "': expected one of " + known + did_you_mean(name, names));
}

const Library::Name* name_of(const Library& library, const Choice& choice) {
  const auto names = library.algorithms.find(choice.algorithm->collective());
  if (names == library.algorithms.end()) return nullptr;
  for (const Library::Name& name : names->second) {
    if (name.ours.algorithm != choice.algorithm) continue;
    bool is_same = true;
    for (std::size_t i = 0; i < choice.parameters.size(); ++i)
      is_same =
          is_same && (choice.parameters[i] == name.ours.parameters[i] || name.is_told(choice.parameters[i].first));
    if (is_same) return &name;
  }
  return nullptr;
}

const Library::Name* find_name(const Library& library, Collective collective, std::string_view theirs) {
  const auto names = library.algorithms.find(collective);
  if (names == library.algorithms.end()) return nullptr;
  const auto found = std::find_if(names->second.begin(), names->second.end(),
                                  [&](const Library::Name& name) { return name.theirs == theirs; });
  return found == names->second.end() ? nullptr : &*found;
}

std::map<std::string, std::string> names_in(std::string_view product, const Algorithm& algorithm) {
  std::map<std::string, std::string> names;
  for (const Library& library : libraries())
    if (library.product == product)
      if (const Library::Name* name = name_of(library, default_choice(algorithm)))
        names[library.version] = name->theirs;
  return names;
}

}  // namespace tutti
