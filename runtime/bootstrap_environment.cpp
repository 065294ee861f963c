#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/error.hpp"
#include "runtime/bootstrap.hpp"
#include "runtime/environment.hpp"
#include "runtime/launch_channel.hpp"
#include "runtime/meeting_file.hpp"
#include "runtime/pmix.hpp"

namespace tutti {
namespace {

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  if (!value) return std::nullopt;
  return value;
}

struct Launcher {
  const char *rank, *size;
  const char* job[2];  // variables that together name the job
};
// Slurm last: its variables are also set inside a batch script that starts another launcher.
constexpr Launcher kLaunchers[] = {
    {"TUTTI_RANK", "TUTTI_SIZE", {}},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", {"PMIX_NAMESPACE", nullptr}},
    {"PMI_RANK", "PMI_SIZE", {"PMI_JOBID", nullptr}},
    {"RANK", "WORLD_SIZE", {"TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT"}},
    {"SLURM_PROCID", "SLURM_NTASKS", {"SLURM_JOB_ID", "SLURM_STEP_ID"}},
};

/// A file in TUTTI_MEETING_FOLDER, or in the user's own folder of the node, that is named by the job.
Meeting file_of_job(const Launcher& launcher) {
  std::string name = "meeting";
  bool named = false;
  for (const char* part : launcher.job)
    if (const auto value = part ? variable(part) : std::nullopt) name += "-" + *value, named = true;
  if (!named) name += "-" + std::to_string(getppid());  // the launcher's process on this node
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '-');
  const auto folder = variable("TUTTI_MEETING_FOLDER");
  Meeting meeting;
  meeting.board = board_in_file((folder ? *folder : own_folder()) + "/" + name);
  meeting.one_host = !folder;
  return meeting;
}

/// Of ranks that meet at an address.
Secret secret_of_job(const std::string& met) {
  const auto text = variable("TUTTI_SECRET");
  const auto secret = Secret::parse(text.value_or(""));
  if (!secret)
    throw InputError(met + (text ? ": TUTTI_SECRET is something else than" : ": expected TUTTI_SECRET too,") +
                     " 32 hexadecimal digits that all ranks know and nobody else (openssl rand -hex 16)");
  return *secret;
}

/// -1: the variable is not there.
int inherited_socket(const char* name) {
  const auto number = variable(name);
  if (!number) return -1;
  const int descriptor = whole_number(name, *number, 0, 1 << 20);
  struct stat seen {};
  if (fstat(descriptor, &seen) != 0 || !S_ISSOCK(seen.st_mode))
    throw InputError(std::string(name) + "='" + *number + "': expected an open socket's number");
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return descriptor;
}

Meeting meeting_of(const Launcher& launcher) {
  Meeting meeting;
  meeting.launcher = inherited_socket(launch_channel::kVariable);
  meeting.listening = inherited_socket("TUTTI_MEETING_SOCKET");
  if (meeting.listening >= 0) {
    meeting.secret = secret_of_job("TUTTI_MEETING_SOCKET");
    return meeting;
  }
  auto place = variable("TUTTI_MEETING");
  // torchrun's own store listens at MASTER_PORT.
  if (const auto host = variable("MASTER_ADDR"); !place && host && std::string(launcher.rank) == "RANK")
    place =
        *host + ":" + std::to_string(1 + whole_number("MASTER_PORT", variable("MASTER_PORT").value_or(""), 1, 65534));
  if (!place) {
    if (!launcher.job[0]) throw InputError("TUTTI_RANK is set: expected TUTTI_MEETING too, HOST:PORT or a file's path");
    return file_of_job(launcher);
  }
  const std::size_t colon = place->rfind(':');
  if (place->find('/') != std::string::npos) {
    meeting.board = board_in_file(*place);
  } else if (colon != std::string::npos && colon > 0) {
    meeting.host = place->substr(0, colon);
    meeting.port = place->substr(colon + 1);
    whole_number("TUTTI_MEETING's port", meeting.port, 1, 65535);
    meeting.secret = secret_of_job("TUTTI_MEETING='" + *place + "'");
  } else {
    throw InputError("TUTTI_MEETING='" + *place + "': expected HOST:PORT or a file's path");
  }
  return meeting;
}

/// nullptr where it is not this launcher that has launched the process.
std::unique_ptr<Bootstrap> by_variables_of(const Launcher& launcher, Limit limit) {
  const auto rank = variable(launcher.rank), size = variable(launcher.size);
  if (!rank || !size) return nullptr;
  const int ranks = whole_number(launcher.size, *size, 1, 1 << 24);
  const int mine = whole_number(launcher.rank, *rank, 0, ranks - 1);
  return bootstrap_tcp(mine, ranks, ranks == 1 ? Meeting{} : meeting_of(launcher), limit);
}

}  // namespace

std::unique_ptr<Bootstrap> bootstrap_from_environment(Limit limit) {
  std::string why_no_pmix = "TUTTI_MEETING is set, too";
  if (!variable("TUTTI_RANK") && !variable("TUTTI_MEETING"))
    if (const auto pmix = Pmix::connect(why_no_pmix)) {
      Meeting meeting;
      meeting.board = pmix;
      meeting.one_host = pmix->one_host();
      return bootstrap_tcp(pmix->rank(), pmix->size(), meeting, limit);
    }
  // These are set for Tutti alone; those of others are about other programs where one is missing.
  if (variable("TUTTI_RANK").has_value() != variable("TUTTI_SIZE").has_value())
    throw InputError(variable("TUTTI_RANK") ? "TUTTI_RANK is set: expected TUTTI_SIZE too"
                                            : "TUTTI_SIZE is set: expected TUTTI_RANK too");
  for (const Launcher& launcher : kLaunchers)
    if (auto found = by_variables_of(launcher, limit)) return found;
  if (variable("PMIX_RANK"))
    throw InputError("PMIX_RANK is set, but no other launcher's variables, and " + why_no_pmix);
  return bootstrap_tcp(0, 1, {}, limit);
}

}  // namespace tutti
