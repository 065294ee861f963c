#pragma once

#include <optional>
#include <string>

namespace tutti {

/// What keeps what was found out, by what was asked, beyond the process that found it out. Called by any thread.
class TextStore {
 public:
  virtual ~TextStore() = default;
  virtual std::optional<std::string> find(const std::string& key) = 0;
  virtual void keep(const std::string& key, const std::string& text) = 0;
};

}  // namespace tutti
