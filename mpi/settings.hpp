#pragma once

#include <map>
#include <string>

namespace tutti::mpi {

/// Control variables (MPI_T) of the library and the whole numbers that they are set to.
using Settings = std::map<std::string, int>;

/// Sets them for as long as it lives. Ends the job where the library has no such variable or refuses the value.
class Setting {
 public:
  explicit Setting(const Settings& settings);
  ~Setting();
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  Settings before_;
};

}  // namespace tutti::mpi
