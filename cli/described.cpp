#include "cli/described.hpp"

#include "base/error.hpp"
#include "base/near_spelling.hpp"

namespace tutti::cli {

std::vector<const CLI::App*> verbs_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

const CLI::App& verb_of(const CLI::App& app, const std::string& name) {
  std::vector<std::string> names;
  for (const CLI::App* verb : verbs_of(app)) {
    if (verb->get_name() == name) return *verb;
    names.push_back(verb->get_name());
  }
  throw InputError("unknown verb '" + name + "'" + did_you_mean(name, names));
}

std::vector<const CLI::Option*> documented_options(const CLI::App& verb) {
  return verb.get_options([](const CLI::Option* option) { return !option->get_group().empty(); });
}

std::vector<std::string> long_names(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

}  // namespace tutti::cli
