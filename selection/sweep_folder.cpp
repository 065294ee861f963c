#include "selection/sweep_folder.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "base/error.hpp"
#include "json/text_file.hpp"
#include "selection/sweep_plan.hpp"
#include "selection/whole_file.hpp"

namespace tutti {
namespace {

namespace fs = std::filesystem;

std::string sweep_path(const std::string& folder) { return folder + "/sweep.json"; }

/// The first line in which two texts of sweeps differ.
std::string difference(const std::string& there, const std::string& asked) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < there.size() && i < asked.size() && there[i] == asked[i]; ++i)
    if (there[i] == '\n') begin = i + 1;
  const auto line = [&](const std::string& text) {
    constexpr std::size_t kLongest = 100;
    std::string found = text.substr(begin, text.find('\n', begin) - begin);
    return found.size() > kLongest ? found.substr(0, kLongest) + " [...]" : found;
  };
  return fmt::format("{} there, {} here", line(there), line(asked));
}

}  // namespace

std::string who_is_this() {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  std::string who = fmt::format("{}, process {}", host, getpid());
  if (const char* job = std::getenv("SLURM_ARRAY_JOB_ID")) {
    const char* task = std::getenv("SLURM_ARRAY_TASK_ID");
    who += fmt::format(", Slurm job {}_{}", job, task ? task : "?");
  } else if (const char* single = std::getenv("SLURM_JOB_ID")) {
    who += fmt::format(", Slurm job {}", single);
  }
  for (char& c : who)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return who;
}

void SweepFolder::begin(const std::string& folder, const TuneRequest& request, const std::string& machine) {
  std::error_code error;
  if (!fs::exists(sweep_path(folder), error)) {  // else another process has looked at it
    std::int64_t left_out = 0;
    chains_of(request, left_out);  // what is refused leaves no folder, which would refuse it put right
  }
  fs::create_directories(folder + "/parts", error);
  if (error) throw InputError(folder + ": cannot be made a directory: " + error.message());
  if (fs::exists(folder + "/sweep.sqlite", error))
    throw InputError(folder +
                     "/sweep.sqlite: is the state of a sweep of one process: expected a new --state directory");
  const std::string path = sweep_path(folder), text = sweep_text(request, machine);
  if (write_whole_if_new(path, text)) return;
  const std::optional<std::string> there = read_text_file(path);
  if (!there) throw InputError(path + ": cannot be read");
  if (*there != text)
    throw InputError(path + ": holds another sweep, or one of another version of the program: " +
                     difference(*there, text) + ": expected the same, or a new --state directory");
}

SweepFolder::SweepFolder(std::string folder) : folder_(std::move(folder)) {
  const std::string path = sweep_path(folder_);
  const std::optional<std::string> text = read_text_file(path);
  if (!text)
    throw InputError(path + ": cannot be read: expected the directory of a sweep (tutti tune --shard I/N --state DIR)");
  checksum_ = checksum_of(*text);
  sweep_ = parse_sweep(*text, path);
}

void SweepFolder::expect_same_model(const TuneRequest& request) const {
  if (short_identity(request) != sweep_.identity)
    throw InputError(sweep_path(folder_) +
                     ": the sweep was of another machine, plug-in or version of the program: expected the same machine "
                     "and plug-ins and the "
                     "program that made it");
}

std::vector<std::string> files_of_sweep(const std::string& folder) {
  std::vector<std::string> files{sweep_path(folder)};
  std::error_code none;  // where there are no parts yet
  for (const auto& part : fs::directory_iterator(folder + "/parts", none)) files.push_back(part.path().string());
  return files;
}

std::string SweepFolder::path_of(const std::string& name, const char* extension) const {
  return folder_ + "/parts/" + name + extension;
}

void SweepFolder::look_anew() const {
  std::error_code none;  // where there are no parts yet
  for (const auto& entry : fs::directory_iterator(folder_ + "/parts", none)) static_cast<void>(entry);
}

SweepFolder::Found SweepFolder::look(const std::string& name) const {
  Found found;
  if (const std::optional<std::string> failure = read_text_file(path_of(name, ".failed"))) found.failure = *failure;
  const std::string path = path_of(name, ".part");
  std::error_code error;
  const fs::file_time_type written = fs::last_write_time(path, error);
  if (error == std::errc::no_such_file_or_directory) return found;
  if (!error)
    found.seconds_since_written = std::chrono::duration<double>(fs::file_time_type::clock::now() - written).count();
  const std::optional<std::string> text = read_text_file(path);
  if (!text) throw InputError(path + ": cannot be read");
  try {
    PartFile part = parse_part(*text, path);
    if (part.sweep != checksum_ || part.name != name)
      found.damage = path + ":2: expected a part of this sweep, " + name;
    else
      found.part = std::move(part);
  } catch (const InputError& refused) {
    found.damage = refused.what();
  }
  return found;
}

void SweepFolder::write(const PartFile& part) const { write_whole(path_of(part.name, ".part"), to_text(part)); }

void SweepFolder::write_failure(const std::string& name, const std::string& what) const {
  write_whole(path_of(name, ".failed"), what);
}

void SweepFolder::remove_failure(const std::string& name) const {
  std::error_code none;  // it is seldom there
  fs::remove(path_of(name, ".failed"), none);
}

}  // namespace tutti
