#include "runtime/shm/placement.hpp"

#include <algorithm>

#include "runtime/shm/trial.hpp"

namespace tutti::shm {

int less_crowded_core(const std::vector<int>& cores, std::size_t self, const cpu_set_t& allowed) {
  const int own = cores[self];
  if (std::find(cores.begin() + static_cast<std::ptrdiff_t>(self) + 1, cores.end(), own) != cores.end()) return -1;
  const auto ranks_on = [&](int core) { return std::count(cores.begin(), cores.end(), core); };
  int best = own;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed) && ranks_on(core) < ranks_on(best)) best = core;
  return ranks_on(own) - ranks_on(best) >= 2 ? best : -1;
}

void move_to_core(int core) { const OnCore there(core); }

}  // namespace tutti::shm
