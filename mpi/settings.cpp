#include "mpi/settings.hpp"

#include <mpi.h>

#include "mpi/fail.hpp"

namespace tutti::mpi {
namespace {

/// Returns what it was.
int exchange(const std::string& name, int value) {
  MPI_T_cvar_handle handle;
  int index = 0, elements = 0, before = 0;
  if (MPI_T_cvar_get_index(name.c_str(), &index) != MPI_SUCCESS)
    fail("expected a control variable of the MPI library, found " + name);
  if (MPI_T_cvar_handle_alloc(index, nullptr, &handle, &elements) != MPI_SUCCESS || elements != 1 ||
      MPI_T_cvar_read(handle, &before) != MPI_SUCCESS || MPI_T_cvar_write(handle, &value) != MPI_SUCCESS)
    fail("the MPI library does not let " + name + " be set to " + std::to_string(value));
  MPI_T_cvar_handle_free(&handle);
  return before;
}

}  // namespace

Setting::Setting(const Settings& settings) {
  for (const auto& [name, value] : settings) before_[name] = exchange(name, value);
}

Setting::~Setting() {
  for (const auto& [name, value] : before_) exchange(name, value);
}

}  // namespace tutti::mpi
