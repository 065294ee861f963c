#include "cli/module_files.hpp"

#include <filesystem>

#include "base/error.hpp"

namespace tutti::cli {
namespace {

std::string comments(const char* mark, const std::vector<std::string>& about) {
  std::string text;
  for (const std::string& line : about) text += std::string(mark) + " " + line + "\n";
  return text;
}

/// Letters that mean something to a shell, Lua or Tcl inside quotes are kept out of all three.
std::string quoted_text(const std::string& text) {
  if (text.find_first_of("\"\\$`{}[]\n") != std::string::npos)
    throw InputError(text + ": expected a path without \", brackets, $, ` and \\ for --module");
  return "\"" + text + "\"";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> module_files(const std::string& path, const Exporter& exporter,
                                                              const std::vector<std::string>& about) {
  const std::string absolute = std::filesystem::absolute(path).lexically_normal().string();
  const SwitchOn on = exporter.switch_on(absolute);
  std::string lua = comments("--", about), tcl = "#%Module\n" + comments("#", about), sh = comments("#", about);
  const std::string what = quoted_text(exporter.description());
  lua += "whatis(" + what + ")\n";
  tcl += "module-whatis " + what + "\n";
  if (on.sourced) {
    lua += "source_sh(\"bash\", " + quoted_text(absolute) + ")\n";
    tcl += "source-sh bash " + quoted_text(absolute) + "\n";
    sh += ". " + quoted_text(absolute) + "\n";
  }
  for (const auto& [name, value] : on.variables) {
    lua += "setenv(\"" + name + "\", " + quoted_text(value) + ")\n";
    tcl += "setenv " + name + " " + quoted_text(value) + "\n";
    sh += "export " + name + "=" + quoted_text(value) + "\n";
  }
  return {{path + ".lua", lua}, {path + ".tcl", tcl}, {path + ".sh", sh}};
}

}  // namespace tutti::cli
