#include "cli/doctor_checks.hpp"

#include <dlfcn.h>
#include <fmt/core.h>
#include <sched.h>
#include <signal.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include "base/error.hpp"
#include "base/sizes.hpp"
#include "cli/python.hpp"
#include "cli/tried_command.hpp"
#include "runtime/error.hpp"
#include "runtime/shm/cross_memory.hpp"
#include "runtime/topology_summary.hpp"
#include "runtime/transports.hpp"
#include "sim/engine.hpp"

namespace tutti::cli {
namespace {

namespace fs = std::filesystem;

Diagnosis simgrid(double) {
  const std::vector<std::string> engines = engine_names();
  if (std::find(engines.begin(), engines.end(), "simgrid") == engines.end())
    return {"simgrid", false, "this program was built without the SimGrid engine",
            "apt-get install libsimgrid-dev, then cmake -DTUTTI_SIMGRID=ON and build anew"};
  try {
    make_engine("simgrid");
  } catch (const std::exception& error) {
    return {"simgrid", false, error.what(), "build the target tutti_simgrid_module, or install it beside the program"};
  }
  return {"simgrid", true, "the engine is built in and can be loaded"};
}

Diagnosis hwloc(double) {
  try {
    return {"hwloc", true, topology_summary()};
  } catch (const TeamError& error) {
    return {"hwloc", false, error.what(), "mount /sys into this container"};
  }
}

std::string line_of(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

Diagnosis verbs(double) {
  const auto& makers = transport_makers();
  if (std::none_of(makers.begin(), makers.end(), [](const auto& one) { return std::string(one.name) == "verbs"; }))
    return {"verbs", false, "this program was built without verbs",
            "apt-get install libibverbs-dev librdmacm-dev, then cmake -DTUTTI_VERBS=ON and build anew"};
  std::string active, all;
  std::error_code none;
  for (const auto& device : fs::directory_iterator("/sys/class/infiniband", none))
    for (const auto& port : fs::directory_iterator(device.path() / "ports", none)) {
      const std::string name = device.path().filename().string() + ":" + port.path().filename().string();
      const bool is_active = line_of(port.path() / "state").ends_with("ACTIVE");
      std::string& to = is_active ? active : all;
      to += (to.empty() ? "" : ", ") + name;
    }
  if (!active.empty()) return {"verbs", true, "active ports: " + active};
  if (!all.empty()) return {"verbs", false, "no port is active of " + all, "ibstat (cable, subnet manager)"};
  return {"verbs", false, "the kernel knows no RDMA device",
          "rdma link add rxe0 type rxe netdev eth0 makes a software device (kernel module rdma_rxe, root)"};
}

/// Ranks are children of one launcher, and none is another's parent: two such are made to try it.
Diagnosis cross_memory(double) {
  static volatile std::byte secret{42};
  const pid_t first = fork();
  if (first < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
  if (first == 0) {
    pause();  // until it is killed
    _exit(0);
  }
  const pid_t second = fork();
  if (second == 0) {
    std::byte read{0};
    const std::uint64_t there = reinterpret_cast<std::uintptr_t>(&secret);
    const bool done = shm::CrossMemory(first).read(&read, there, 1) && read == std::byte{42};
    _exit(done ? 0 : std::clamp(errno, 1, 125));
  }
  int status = 0;
  if (second > 0) waitpid(second, &status, 0);
  kill(first, SIGKILL);
  waitpid(first, nullptr, 0);
  if (second < 0) throw std::runtime_error("fork: no second process");
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return {"cross-memory", true, "one process may read another's memory (process_vm_readv)"};
  const std::string scope = line_of("/proc/sys/kernel/yama/ptrace_scope");
  const bool is_yama = !scope.empty() && scope != "0";
  return {"cross-memory", false,
          fmt::format("process_vm_readv between two processes: {}{}",
                      WIFEXITED(status) ? std::strerror(WEXITSTATUS(status)) : "died",
                      is_yama ? "; kernel.yama.ptrace_scope is " + scope : ""),
          is_yama ? "sysctl -w kernel.yama.ptrace_scope=0 (root)"
                  : "docker run --cap-add SYS_PTRACE, or a seccomp profile that permits process_vm_readv"};
}

Diagnosis shared_memory(double) {
  constexpr double kLittle = 256 << 20;  // a node full of ranks, each with its rings
  struct statvfs space {};
  if (statvfs("/dev/shm", &space) != 0 || access("/dev/shm", W_OK) != 0)
    return {"shared-memory", false, fmt::format("/dev/shm: {}", std::strerror(errno)),
            "mount -t tmpfs tmpfs /dev/shm (root)"};
  const auto bytes = [&](std::uint64_t blocks) {
    return static_cast<double>(blocks) * static_cast<double>(space.f_frsize);
  };
  const std::string what = fmt::format("/dev/shm: {:.3g} GiB, {:.3g} GiB of them free", bytes(space.f_blocks) / 0x1p30,
                                       bytes(space.f_bavail) / 0x1p30);
  if (bytes(space.f_bavail) >= kLittle) return {"shared-memory", true, what};
  return {"shared-memory", false, what + "; expected 256 MiB",
          "mount -o remount,size=2G /dev/shm (root), or docker run --shm-size=2g"};
}

/// "Open MPI 4.1.4" of what mpirun --version says.
std::string mpi_version(const std::string& said) {
  const auto behind = [&](std::string_view words) {
    const std::size_t at = said.find(words);
    if (at == std::string::npos) return std::string();
    const std::size_t begin = said.find_first_not_of(" \t", at + words.size());
    return begin == std::string::npos ? "" : said.substr(begin, said.find_first_of(" \t\r\n", begin) - begin);
  };
  if (const std::string version = behind("(Open MPI)"); !version.empty()) return "Open MPI " + version;
  if (const std::string version = behind("Intel(R) MPI Library for Linux* OS, Version"); !version.empty())
    return "Intel MPI " + version;
  if (said.find("HYDRA") != std::string::npos)
    if (const std::string version = behind("Version:"); !version.empty()) return "MPICH (Hydra) " + version;
  return "";
}

Diagnosis mpi(double limit_seconds) {
  const std::string install = "apt-get install openmpi-bin libopenmpi-dev, or module load your site's MPI";
  const TriedCommand tried = try_command({"mpirun", "--version"}, limit_seconds);
  if (!tried.succeeded()) return {"mpi", false, "mpirun " + tried.trouble(), install};
  const std::string version = mpi_version(tried.output);
  if (version.empty())
    return {"mpi", false, "mpirun is of no MPI that is known: '" + tried.first_line() + "'", install};
  return {"mpi", true, version};
}

Diagnosis mpi_compiler(double limit_seconds) {
  const TriedCommand tried = try_command({"mpicxx", "--version"}, limit_seconds);
  if (tried.succeeded()) return {"mpi-compiler", true, "mpicxx: " + tried.first_line()};
  return {"mpi-compiler", false, "mpicxx " + tried.trouble() + " (tutti-mpi-bench, validate --mpi)",
          "apt-get install libopenmpi-dev, or module load your site's MPI"};
}

Diagnosis pmix(double) {
  void* const library = dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return {"pmix", false, std::string(dlerror()) + " (the runtime under srun and mpirun)",
            "apt-get install libpmix2, or LD_LIBRARY_PATH with your site's"};
  dlclose(library);
  return {"pmix", true, "libpmix.so.2 can be loaded"};
}

Diagnosis slurm(double limit_seconds) {
  const TriedCommand version = try_command({"sbatch", "--version"}, limit_seconds);
  if (!version.succeeded())
    return {"slurm", false, "sbatch " + version.trouble(),
            version.end == TriedCommand::End::not_found ? "run on a login node, or apt-get install slurm-client"
                                                        : "check slurm.conf, or SLURM_CONF, and run on a login node"};
  const TriedCommand answer = try_command({"sinfo", "--noheader", "--format=%P"}, limit_seconds);
  if (!answer.succeeded())
    return {"slurm", false, version.first_line() + ", but sinfo " + answer.trouble(),
            "check slurm.conf and that slurmctld runs: scontrol ping"};
  return {"slurm", true, version.first_line() + ", its controller answers; partition " + answer.first_line()};
}

/// In a child, which ends with it.
Diagnosis lab(double) {
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
  if (child == 0) _exit(unshare(CLONE_NEWNET | CLONE_NEWNS) == 0 ? 0 : std::clamp(errno, 1, 125));
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {"lab", true, "network namespaces may be made"};
  return {"lab", false,
          fmt::format("network namespaces: {}", WIFEXITED(status) ? std::strerror(WEXITSTATUS(status)) : "died"),
          "run as root (CAP_SYS_ADMIN, CAP_NET_ADMIN); in a container docker run --privileged"};
}

Diagnosis python_module(const std::string& part, const std::string& module, const std::string& package,
                        double limit_seconds) {
  // Its metadata: to import it takes seconds.
  const TriedCommand tried =
      try_command({python_program(), "-I", "-c",
                   "import sys, importlib.metadata, importlib.util\n"
                   "name = sys.argv[1]\n"
                   "if importlib.util.find_spec(name) is None: sys.exit(f'no module {name}')\n"
                   "print('Python', sys.version.split()[0] + ',', name, importlib.metadata.version(name))",
                   module},
                  limit_seconds);
  if (tried.succeeded()) return {part, true, tried.first_line()};
  return {part, false, python_program() + " " + tried.trouble(), "apt-get install " + package};
}

struct Check {
  const char* part;
  std::function<Diagnosis(double)> run;
};

const std::vector<Check>& checks() {
  static const std::vector<Check> all{
      {"simgrid", simgrid},
      {"hwloc", hwloc},
      {"verbs", verbs},
      {"cross-memory", cross_memory},
      {"shared-memory", shared_memory},
      {"mpi", mpi},
      {"mpi-compiler", mpi_compiler},
      {"pmix", pmix},
      {"slurm", slurm},
      {"lab", lab},
      {"pyroute2", [](double limit) { return python_module("pyroute2", "pyroute2", "python3-pyroute2", limit); }},
      {"matplotlib",
       [](double limit) { return python_module("matplotlib", "matplotlib", "python3-matplotlib", limit); }},
  };
  return all;
}

}  // namespace

std::vector<std::string> part_names() {
  std::vector<std::string> names;
  for (const Check& check : checks()) names.push_back(check.part);
  return names;
}

std::vector<Diagnosis> diagnose(double limit_seconds) {
  std::vector<Diagnosis> all;
  for (const Check& check : checks()) all.push_back(check.run(limit_seconds));
  return all;
}

}  // namespace tutti::cli
