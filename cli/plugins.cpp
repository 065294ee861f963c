#include "cli/plugins.hpp"

#include <cstdlib>
#include <string_view>

#include "algos/registry.hpp"
#include "base/error.hpp"
#include "selection/plugins.hpp"

namespace tutti::cli {
namespace {

constexpr const char* kVariable = "TUTTI_PLUGINS";

void expect_names_that_differ() {
  const std::vector<Algorithm>& all = registry();
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].full_name() == all[i - 1].full_name())
      throw InputError(plugins().back() + ": " + all[i].full_name() + ": expected a name that no other algorithm has");
}

}  // namespace

void add_plugin_option(CLI::App& app) {
  app.add_option_function<std::vector<std::string>>(
         "--plugin", [](const std::vector<std::string>&) {},
         "a shared object with algorithms of your own, which all verbs then have (docs/plugins.md); in TUTTI_PLUGINS, "
         "too, with colons between")
      ->type_name("FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void load_plugins(int argc, char** argv) {
  if (const char* const given = std::getenv(kVariable)) {
    std::string_view rest = given;
    while (!rest.empty()) {
      const std::size_t colon = std::min(rest.find(':'), rest.size());
      if (colon > 0) load_plugin(std::string(rest.substr(0, colon)));
      rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
  }
  constexpr std::string_view kOption = "--plugin";
  for (int i = 1; i < argc && argv[i][0] == '-'; ++i) {  // up to the verb
    const std::string_view word = argv[i];
    if (word.starts_with(std::string(kOption) + "="))
      load_plugin(std::string(word.substr(kOption.size() + 1)));
    else if (word == kOption && i + 1 < argc)
      load_plugin(argv[++i]);
  }
  if (plugins().empty()) return;
  expect_names_that_differ();
  std::string all;
  for (const std::string& path : plugins()) all += (all.empty() ? "" : ":") + path;
  setenv(kVariable, all.c_str(), 1);
}

}  // namespace tutti::cli
