#include "cli/plugins.hpp"

#include <string>
#include <string_view>

#include "selection/plugins.hpp"

namespace tutti::cli {
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
  load_plugins_of_environment();
  constexpr std::string_view kOption = "--plugin";
  for (int i = 1; i < argc && argv[i][0] == '-'; ++i) {  // up to the verb
    const std::string_view word = argv[i];
    if (word.starts_with(std::string(kOption) + "="))
      load_plugin(std::string(word.substr(kOption.size() + 1)));
    else if (word == kOption && i + 1 < argc)
      load_plugin(argv[++i]);
  }
  hand_plugins_on();
}

}  // namespace tutti::cli
