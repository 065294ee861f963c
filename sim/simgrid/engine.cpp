#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "sim/arrivals.hpp"
#include "sim/simgrid/flows.hpp"
#include "sim/simulation.hpp"

namespace tutti::simgrid {
namespace {

using Json = nlohmann::json;

Json to_json(const Result& result) {
  Json trace = Json::array();
  for (const TraceEvent& e : result.trace)
    trace.push_back({static_cast<int>(e.kind), e.rank, e.peer, e.bytes, e.posted_seconds, e.started_seconds,
                     e.ended_seconds, e.after});
  Json parts = Json::array();
  for (const PathPart& part : result.path_parts)
    parts.push_back(
        {part.event, static_cast<int>(part.spent.on), part.spent.which, part.spent.until_seconds, part.begin_seconds});
  return {{"exceeded", result.exceeded},
          {"makespan", result.makespan_seconds},
          {"ranks", result.seconds_per_rank},
          {"messages", result.messages},
          {"bytes", result.bytes_per_level},
          {"trace", trace},
          {"critical", result.critical_path},
          {"parts", parts},
          {"fault", result.fault},
          {"calls", result.seconds_per_call}};
}

Result from_json(const Json& json) {
  Result result;
  json.at("exceeded").get_to(result.exceeded);
  json.at("makespan").get_to(result.makespan_seconds);
  json.at("ranks").get_to(result.seconds_per_rank);
  json.at("messages").get_to(result.messages);
  json.at("bytes").get_to(result.bytes_per_level);
  json.at("critical").get_to(result.critical_path);
  json.at("fault").get_to(result.fault);
  json.at("calls").get_to(result.seconds_per_call);
  for (const Json& part : json.at("parts"))
    result.path_parts.push_back({part[0], {static_cast<Spent::On>(part[1].get<int>()), part[2], part[3]}, part[4]});
  for (const Json& e : json.at("trace")) {
    result.trace.push_back({static_cast<TraceEvent::Kind>(e[0].get<int>()), e[1], e[2], e[3], e[4], e[5], e[6], e[7]});
  }
  return result;
}

void write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = write(file, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) _exit(3);  // the parent is gone
    done += static_cast<std::size_t>(written);
  }
}

std::string read_all(int file) {
  std::string text;
  char buffer[65536];
  for (;;) {
    const ssize_t got = read(file, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw std::runtime_error(std::string("the SimGrid engine: reading its results: ") + std::strerror(errno));
    if (got == 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

/// In an all-to-all between full nodes every flow shares something with every other, and solving all of them anew is
/// cheaper than finding those that an event concerns; else it is the other way round.
bool solve_all_at_once(const Experiment& experiment) {
  const std::vector<int>& cores = experiment.core_of_rank;
  const bool several_per_node = cores.size() > 1 && std::abs(cores[1] - cores[0]) == 1;
  return experiment.c.collective == Collective::alltoall && several_per_node;
}

/// In the child: experiments on one platform, one after the other, a line of JSON each; the first that is refused is
/// the last.
[[noreturn]] void simulate_in_child(int out, const Machine& machine, std::span<const Experiment> experiments) {
  try {
    std::set<int> cores;
    for (const Experiment& e : experiments) cores.insert(e.core_of_rank.begin(), e.core_of_rank.end());
    const std::vector<int> used(cores.begin(), cores.end());
    FlowNetwork* flows = make_flows(machine, used, solve_all_at_once(experiments.front())).release();  // _exit ends it
    for (const Experiment& experiment : experiments) {
      const Machine& for_job = machine.for_job(experiment.c.ranks);
      const Result result =
          over_arrivals(experiment, [&](const Experiment& one) { return Simulation(for_job, one, *flows).run(); });
      write_all(out, to_json(result).dump() + "\n");
    }
    _exit(0);  // SimGrid's own clean-up is not ours to wait for
  } catch (const ExperimentRefused& refused) {
    write_all(out, Json{{"refused", refused.what()}}.dump() + "\n");
    _exit(0);
  } catch (const InputError& error) {
    write_all(out, Json{{"wrong_input", error.what()}}.dump() + "\n");
    _exit(0);
  } catch (const std::exception& error) {
    write_all(out, Json{{"error", error.what()}}.dump() + "\n");
    _exit(1);
  }
}

std::string description(int status) {
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                             : "status " + std::to_string(WEXITSTATUS(status));
}

class SimGridEngine final : public Engine {
 public:
  std::string name() const override { return "simgrid"; }

  /// SimGrid holds one platform per process, and a run that was broken off cannot be cleared away: child processes do
  /// the work.
  std::vector<Result> run(const Machine& machine, std::span<const Experiment> experiments) const override {
    load();  // not in every child anew
    std::vector<Result> results;
    while (results.size() < experiments.size()) {
      auto rest = experiments.subspan(results.size());
      const bool all_at_once = solve_all_at_once(rest.front());
      const auto other = std::find_if(rest.begin(), rest.end(),
                                      [&](const Experiment& e) { return solve_all_at_once(e) != all_at_once; });
      rest = rest.first(static_cast<std::size_t>(other - rest.begin()));
      const std::size_t before = results.size();
      const int status = run_child(machine, rest, results);
      const bool stopped_at_refusal = results.size() > before && !results.back().refused.empty();
      if (status == 0 && (stopped_at_refusal || results.size() == before + rest.size())) continue;
      const Experiment& failed = experiments[std::min(results.size(), experiments.size() - 1)];
      throw std::runtime_error("the SimGrid engine died (" + description(status) + ") in " +
                               failed.choice.algorithm->full_name() + " on " + std::to_string(failed.c.ranks) +
                               " ranks");
    }
    return results;
  }

 private:
  /// Appends what the child wrote; returns its wait status.
  static int run_child(const Machine& machine, std::span<const Experiment> experiments, std::vector<Result>& results) {
    int ends[2];
    pid_t child;
    {
      // One fork at a time: a child that inherited another's writing end would keep that one's reader waiting.
      static std::mutex forking;
      const std::lock_guard lock(forking);
      if (pipe(ends) != 0) throw std::runtime_error(std::string("the SimGrid engine: pipe: ") + std::strerror(errno));
      const pid_t parent = getpid();
      child = fork();
      if (child < 0) throw std::runtime_error(std::string("the SimGrid engine: fork: ") + std::strerror(errno));
      if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody would read the results
        if (getppid() != parent) _exit(3);
        close(ends[0]);
        simulate_in_child(ends[1], machine, experiments);
      }
      close(ends[1]);
    }
    const std::string output = read_all(ends[0]);
    close(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    for (std::size_t begin = 0, end; (end = output.find('\n', begin)) != std::string::npos; begin = end + 1) {
      const Json line = Json::parse(output.begin() + static_cast<std::ptrdiff_t>(begin),
                                    output.begin() + static_cast<std::ptrdiff_t>(end));
      if (line.contains("wrong_input")) throw InputError(line["wrong_input"].get<std::string>());
      if (line.contains("error")) throw std::runtime_error("the SimGrid engine: " + line["error"].get<std::string>());
      results.push_back(line.contains("refused") ? Result{line["refused"], 0, {}, 0, {}, {}, {}, {}, {}}
                                                 : from_json(line));
    }
    return status;
  }
};

const EngineRegistration registered("simgrid",
                                    []() -> std::unique_ptr<Engine> { return std::make_unique<SimGridEngine>(); });

}  // namespace
}  // namespace tutti::simgrid
