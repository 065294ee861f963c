#include "cli/sharded.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "cli/verbs.hpp"
#include "models/machine_files.hpp"
#include "selection/shard.hpp"

namespace tutti::cli {
namespace {

constexpr int kMostShards = 1'000'000;

Shard parse_shard(const std::string& text) {
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto number = std::from_chars(text.data(), end, shard.number);
  if (number.ec == std::errc() && number.ptr != end && *number.ptr == '/')
    if (const auto count = std::from_chars(number.ptr + 1, end, shard.count);
        count.ec == std::errc() && count.ptr == end && shard.number >= 1 && shard.number <= shard.count &&
        shard.count <= kMostShards)
      return shard;
  throw InputError(
      fmt::format("--shard {}: expected I/N with I from 1 to N and N up to {}, such as 3/40", text, kMostShards));
}

}  // namespace

std::string lasting_name(const std::string& machine) {
  const std::vector<std::string> names = machine_names();
  if (std::find(names.begin(), names.end(), machine) != names.end()) return machine;
  return std::filesystem::absolute(machine).lexically_normal().string();
}

int tune_shard(const TuneRequest& request, const TuneOptions& options) {
  const Shard shard = parse_shard(options.shard);
  SweepFolder::begin(options.state, request, lasting_name(options.machine));
  const SweepFolder folder(options.state);
  const ShardResult result = make_shard(
      request, folder, shard, [](const std::string& what) { fmt::print(stderr, "{}: it is made anew\n", what); });
  for (const auto& [name, why] : result.failed) fmt::print(stderr, "{}: failed: {}\n", name, why);
  fmt::print(stderr, "shard {}/{}: {}, of which {} were done before and {} failed\n", shard.number, shard.count,
             counted(static_cast<std::uint64_t>(result.parts), "part"), result.were_done, result.failed.size());
  if (options.json) {
    nlohmann::ordered_json failed = nlohmann::ordered_json::array();
    for (const auto& [name, why] : result.failed) failed.push_back({{"part", name}, {"why", why}});
    const nlohmann::ordered_json all{{"shard", shard.number},
                                     {"of", shard.count},
                                     {"parts", result.parts},
                                     {"were_done", result.were_done},
                                     {"failed", std::move(failed)}};
    fmt::print("{}\n", all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  return result.failed.empty() ? kDone : kFault;
}

std::unique_ptr<LoadedSweep> load_sweep(const std::string& path, const std::string& machine) {
  SweepFolder folder(path);
  const std::string name = machine.empty() ? folder.sweep().machine : machine;
  TuneRequest request = folder.sweep().request;
  auto sweep = std::make_unique<LoadedSweep>(LoadedSweep{std::move(folder), name, {}, request});
  ReadMachine read;
  try {
    read = read_machine(name);
  } catch (const InputError& error) {
    if (!machine.empty()) throw;
    throw InputError(
        fmt::format("{}: its machine: {}; if that file was moved, --machine says where it is", path, error.what()));
  }
  sweep->machine = std::move(read.machine);
  sweep->request.machine_text = std::move(read.text);
  sweep->request.machine_files = std::move(read.files);
  sweep->request.machine = &sweep->machine;
  sweep->folder.expect_same_model(sweep->request);
  return sweep;
}

}  // namespace tutti::cli
