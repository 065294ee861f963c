#include "models/machine_paths.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/near_spelling.hpp"
#include "models/machine.hpp"

namespace tutti {
namespace {

using nlohmann::json;

/// No part of the model.
bool is_remark(const std::string& key, bool at_top) {
  static const std::set<std::string> anywhere{"source", "guess", "description", "$schema"};
  static const std::set<std::string> of_machine{"name", "published", "fitted", "calibration"};
  return anywhere.contains(key) || (at_top && of_machine.contains(key));
}

const json& resolved(const json& root, const json& schema) {
  if (!schema.contains("$ref")) return schema;
  const std::string reference = schema["$ref"];
  return resolved(root, root[json::json_pointer(reference.substr(1))]);  // without the #
}

void collect_paths(const json& root, const json& given, const json& value, const std::string& pointer,
                   std::vector<MachinePath>& into) {
  const json& schema = resolved(root, given);
  const json type = schema.value("type", json());
  if (type == "object") {
    if (!schema.contains("properties")) return;
    for (const auto& [key, inner] : schema["properties"].items()) {
      if (is_remark(key, pointer.empty())) continue;
      const json inner_type = resolved(root, inner).value("type", json());
      const bool is_figure = inner_type != "object" && inner_type != "array";
      if (is_figure || value.contains(key))
        collect_paths(root, inner, value.contains(key) ? value[key] : json(), pointer + "/" + key, into);
    }
  } else if (type == "array") {
    for (std::size_t i = 0; i < value.size(); ++i)
      collect_paths(root, schema["items"], value[i], pointer + "/" + std::to_string(i), into);
  } else if (type.is_string()) {
    into.push_back({pointer, type, schema.value("enum", std::vector<std::string>())});
  }
}

std::vector<std::string> parts_of(const std::string& path, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(separator, begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool matches(const std::string& wanted, const std::string& part) {
  return wanted == part || (wanted == "*" && is_number(part));
}

/// Says how far the path leads, what follows there, and what is spelt alike.
[[noreturn]] void refuse(const std::vector<MachinePath>& all, const std::vector<std::string>& wanted,
                         const std::string& path) {
  std::vector<std::vector<std::string>> left;
  for (const MachinePath& one : all) left.push_back(parts_of(one.pointer.substr(1), '/'));
  std::size_t depth = 0;
  const auto leads = [&](const std::vector<std::string>& parts) {
    return depth < wanted.size() && parts.size() > depth && matches(wanted[depth], parts[depth]);
  };
  while (std::any_of(left.begin(), left.end(), leads)) {
    std::erase_if(left, [&](const auto& parts) { return !leads(parts); });
    ++depth;
  }
  std::string there, next;
  for (std::size_t i = 0; i < depth; ++i) there += (i > 0 ? "." : "") + wanted[i];
  std::vector<std::string> names;
  for (const auto& parts : left)
    if (parts.size() > depth && std::find(names.begin(), names.end(), parts[depth]) == names.end())
      names.push_back(parts[depth]);
  for (const std::string& name : names) next += (next.empty() ? "" : ", ") + name;
  if (names.empty()) throw InputError("'" + path + "' goes on behind " + there + ", which is a figure");
  std::string meant = depth < wanted.size() ? did_you_mean(wanted[depth], names) : "";
  if (meant.empty() && depth == 0) {  // perhaps the end of one
    std::vector<std::string> ends;
    for (const MachinePath& one : all)
      if (dotted(one.pointer).ends_with("." + path)) ends.push_back(dotted(one.pointer));
    if (!ends.empty()) meant = " (did you mean " + ends.front() + "?)";
  }
  throw InputError("'" + path + "': " + (there.empty() ? "the machine" : there) + " has " +
                   (depth < wanted.size() ? "no " + wanted[depth] + ": expected one of " : "parts: expected one of ") +
                   next + meant);
}

}  // namespace

std::string dotted(const std::string& pointer) {
  std::string path = pointer.substr(pointer.starts_with('/') ? 1 : 0);
  std::replace(path.begin(), path.end(), '/', '.');
  return path;
}

std::vector<MachinePath> machine_paths(const json& machine) {
  static const json schema = json::parse(machine_schema());
  std::vector<MachinePath> all;
  collect_paths(schema, schema, machine, "", all);
  return all;
}

std::vector<MachinePath> find_paths(const json& machine, const std::string& path) {
  const std::vector<MachinePath> all = machine_paths(machine);
  const std::vector<std::string> wanted = parts_of(dotted(path), '.');
  std::vector<MachinePath> found;
  for (const MachinePath& one : all) {
    const std::vector<std::string> parts = parts_of(one.pointer.substr(1), '/');
    if (parts.size() == wanted.size() && std::equal(wanted.begin(), wanted.end(), parts.begin(), matches))
      found.push_back(one);
  }
  if (found.empty()) refuse(all, wanted, path);
  return found;
}

}  // namespace tutti
