#include "selection/plugins.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>

#include "algos/registry.hpp"
#include "base/error.hpp"

namespace tutti {
namespace {

std::vector<std::string>& loaded() {
  static std::vector<std::string> paths;
  return paths;
}

}  // namespace

void load_plugin(const std::string& path) {
  std::error_code unreadable;
  const std::string file = std::filesystem::canonical(path, unreadable).string();
  if (unreadable) throw InputError(path + ": " + unreadable.message() + ", expected a plug-in");
  if (std::find(loaded().begin(), loaded().end(), file) != loaded().end()) return;
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const std::string why = dlerror();
    if (why.find("tutti_abi_") != std::string::npos)
      throw InputError(path +
                       ": made for another version of Tutti; expected a plug-in built with the headers of this one");
    throw InputError(path + ": expected a plug-in: " + why);
  }
  if (!dlsym(handle, "tutti_plugin"))
    throw InputError(path + ": expected a plug-in, one of whose files says TUTTI_PLUGIN (algos/plugin.hpp)");
  loaded().push_back(file);
}

const std::vector<std::string>& plugins() { return loaded(); }

}  // namespace tutti
