#include "cli/slurm.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "cli/output.hpp"
#include "cli/sharded.hpp"
#include "cli/verbs.hpp"
#include "selection/plugins.hpp"
#include "selection/shard.hpp"
#include "selection/sweep_folder.hpp"

namespace tutti::cli {
namespace {

constexpr const char* kExpected = "expected tasks=40,cpus=16,time=30:00 and, if wanted, partition, account, qos, mem";

[[noreturn]] void refuse(const std::string& text, const std::string& what) {
  throw InputError(fmt::format("--slurm {}: {}: {}", text, what, kExpected));
}

bool is_whole(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

int number_of(const std::string& text, const std::string& key, const std::string& value, int most) {
  const int number = is_whole(value) && value.size() < 8 ? std::stoi(value) : 0;
  if (number < 1 || number > most) refuse(text, fmt::format("{} is {}, not 1 to {}", key, value, most));
  return number;
}

struct Job {
  int tasks = 0, cpus = 0;
  std::string options;  // of sbatch, but for tasks and cores
};

/// Nothing that a shell or sbatch would take apart.
bool is_plain(const std::string& value) {
  return !value.empty() && std::all_of(value.begin(), value.end(), [](unsigned char c) {
    return std::isalnum(c) || std::string_view("_-.:").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

/// MINUTES, MINUTES:SECONDS, HOURS:MINUTES:SECONDS, or DAYS-HOURS with these behind it.
bool is_time(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash != std::string_view::npos) {
    if (!is_whole(text.substr(0, dash))) return false;
    text.remove_prefix(dash + 1);
  }
  for (int fields = 1; fields <= 3; ++fields) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    if (!is_whole(text.substr(0, colon))) return false;
    if (colon == text.size()) return true;
    text.remove_prefix(colon + 1);
  }
  return false;
}

bool is_memory(std::string_view text) {
  if (!text.empty() && std::string_view("KMGT").find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  return is_whole(text);
}

Job parse_job(const std::string& text) {
  std::map<std::string, std::string> given;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string item = text.substr(begin, end - begin);
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos) refuse(text, "'" + item + "' has no =");
    const std::string key = item.substr(0, equals), value = item.substr(equals + 1);
    if (!given.emplace(key, value).second) refuse(text, key + " is there twice");
    if (!is_plain(value)) refuse(text, "'" + item + "' is not what sbatch takes");
    begin = end + 1;
  }
  Job job;
  for (const char* needed : {"tasks", "cpus", "time"})
    if (!given.contains(needed)) refuse(text, std::string(needed) + " is missing");
  for (const auto& [key, value] : given) {
    if (key == "tasks")
      job.tasks = number_of(text, key, value, 100'000);
    else if (key == "cpus")
      job.cpus = number_of(text, key, value, 1024);
    else if ((key == "time" && !is_time(value)) || (key == "mem" && !is_memory(value)))
      refuse(text,
             fmt::format("{} is {}, not as sbatch has it, {}", key, value, key == "time" ? "30:00 or 1-12" : "64G"));
    else if (key == "time" || key == "partition" || key == "account" || key == "qos" || key == "mem")
      job.options += fmt::format(" --{}={}", key, value);
    else
      refuse(text, "what is '" + key + "'?");
  }
  return job;
}

std::string quoted_word(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// @tasks@ and the like are filled in.
constexpr std::string_view kScript = R"sh(#!/bin/sh
# A sweep of tutti in @tasks@ tasks of @cpus@ cores, and a job that joins what they have made. By "sh", this submits
# both; the table will be table.json in the sweep's folder. "tutti status" and that folder say how far it is.
# After a failure, a kill or a cancellation call it again: what is done stays done.
set -eu
unset CDPATH
script=$(cd -- "$(dirname -- "$0")" && pwd)/$(basename -- "$0")
cd @here@
tutti=@program@
tutti=${TUTTI:-$tutti}
state=@state@
@plugins@case "${1:-submit}" in
submit)
  mkdir -p "$state/log"
  array=$(sbatch --parsable --job-name=tutti-shard --array=1-@tasks@ --cpus-per-task=@cpus@@options@ --requeue \
    --open-mode=append --output=@log@/%A_%a.txt "$script" shard)
  merge=$(sbatch --parsable --job-name=tutti-merge --dependency="afterany:${array%%;*}" --cpus-per-task=@cpus@@options@ \
    --requeue --open-mode=append --output=@log@/%j.txt "$script" merge)
  echo "shards: job ${array%%;*}; then merge: job ${merge%%;*}"
  ;;
shard)
  exec "$tutti" tune@arguments@ --state "$state" --shard "$SLURM_ARRAY_TASK_ID/@tasks@" --jobs "${SLURM_CPUS_PER_TASK:-@cpus@}"
  ;;
merge)
  exec "$tutti" merge "$state" --jobs "${SLURM_CPUS_PER_TASK:-@cpus@}" -o "$state/table.json"
  ;;
*)
  echo "$0: expected submit, shard or merge" >&2
  exit 2
  ;;
esac
)sh";

std::string filled_in(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string filled;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t at = std::min(text.find('@', begin), text.size());
    filled += text.substr(begin, at - begin);
    if (at == text.size()) break;
    const std::size_t end = text.find('@', at + 1);
    filled += values.at(std::string(text.substr(at + 1, end - at - 1)));
    begin = end + 1;
  }
  return filled;
}

}  // namespace

int write_slurm_job(const TuneOptions& options, const TuneRequest& request) {
  const Job job = parse_job(options.slurm);
  if (options.state.find('\\') != std::string::npos)
    throw InputError(options.state + ": expected no backslash in the folder's name, which sbatch takes out of a log's");
  SweepFolder::begin(options.state, request, lasting_name(options.machine));
  namespace fs = std::filesystem;
  const std::string state = fs::absolute(options.state).lexically_normal().string();
  const std::string program = fs::read_symlink("/proc/self/exe").string();
  std::string log = state;  // in which sbatch fills in %A and the like
  for (std::size_t at = 0; (at = log.find('%', at)) != std::string::npos; at += 2) log.insert(at, "%");
  const std::string of_plugins = plugin_list();
  std::string arguments;
  for (const std::string& argument : arguments_of(options)) arguments += " " + quoted_word(argument);
  const std::map<std::string, std::string> values{
      {"tasks", std::to_string(job.tasks)},
      {"cpus", std::to_string(job.cpus)},
      {"options", job.options},
      {"state", quoted_word(state)},
      {"log", quoted_word(log + "/log")},
      {"plugins",
       of_plugins.empty() ? "" : "export " + std::string(kPluginsVariable) + "=" + quoted_word(of_plugins) + "\n"},
      {"here", quoted_word(fs::current_path().string())},
      {"program", quoted_word(program)},
      {"arguments", arguments}};
  write_output(options.output, filled_in(kScript, values));
  fmt::print(stderr, "{}: call it by sh; {} of {}, then tutti merge\n", options.output,
             counted(static_cast<std::uint64_t>(job.tasks), "task"),
             counted(static_cast<std::uint64_t>(job.cpus), "core"));
  return kDone;
}

}  // namespace tutti::cli
