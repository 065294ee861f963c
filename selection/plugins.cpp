#include "selection/plugins.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include "algos/registering.hpp"
#include "base/error.hpp"
#include "selection/shared_object.hpp"

namespace tutti {
namespace {

std::vector<std::string>& loaded() {
  static std::vector<std::string> paths;
  return paths;
}

std::vector<std::string>& names_loaded() {
  static std::vector<std::string> names;
  return names;
}

/// What was refused stays in memory, where its algorithms do not register a second time.
std::vector<std::pair<void*, std::string>>& refused() {
  static std::vector<std::pair<void*, std::string>> objects;
  return objects;
}

}  // namespace

void load_plugin(const std::string& path) {
  std::error_code unreadable;
  const std::string file = std::filesystem::canonical(path, unreadable).string();
  if (unreadable) throw InputError(path + ": " + unreadable.message() + ", expected a plug-in");
  if (std::find(loaded().begin(), loaded().end(), file) != loaded().end()) return;
  if (registry_was_read())
    throw InputError(path +
                     ": expected plug-ins before the first look at any algorithm; TUTTI_PLUGINS names them first");
  expect_whole_shared_object(path, file);
  const std::size_t before = registered_algorithms();
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const std::string why = dlerror();
    if (why.find("tutti_abi_") != std::string::npos)
      throw InputError(path +
                       ": made for another version of Tutti; expected a plug-in built with the headers of this one");
    throw InputError(path + ": expected a plug-in: " + why);
  }
  const auto known =
      std::find_if(refused().begin(), refused().end(), [&](const auto& one) { return one.first == handle; });
  if (known != refused().end()) throw InputError(path + ": " + known->second);
  const auto refuse = [&](const std::string& why) {
    forget_registered(before);
    refused().emplace_back(handle, why);
    return InputError(path + ": " + why);
  };
  if (!dlsym(handle, "tutti_plugin"))
    throw refuse("expected a plug-in, one of whose files says TUTTI_PLUGIN (algos/plugin.hpp)");
  if (const std::string wrong = registered_wrong(before); !wrong.empty()) throw refuse(wrong);
  if (const std::string taken = registered_twice(before); !taken.empty())
    throw refuse(taken + ": expected a name that no other algorithm has");
  loaded().push_back(file);
  for (std::string& name : registered_names(before)) names_loaded().push_back(std::move(name));
}

void load_plugins_of_environment() {
  const char* const given = std::getenv(kPluginsVariable);
  std::string_view rest = given ? given : "";
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    if (colon > 0) load_plugin(std::string(rest.substr(0, colon)));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
}

std::string plugin_list() {
  std::string all;
  for (const std::string& path : plugins()) all += (all.empty() ? "" : ":") + path;
  return all;
}

void hand_plugins_on() {
  const std::string all = plugin_list();
  if (!all.empty()) setenv(kPluginsVariable, all.c_str(), 1);
}

const std::vector<std::string>& plugins() { return loaded(); }

const std::vector<std::string>& plugin_algorithms() { return names_loaded(); }

}  // namespace tutti
