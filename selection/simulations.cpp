#include "selection/simulations.hpp"

#include <chrono>
#include <ctime>
#include <optional>

#include "models/machine_part.hpp"
#include "selection/candidates.hpp"
#include "selection/tune.hpp"
#include "sim/background_placement.hpp"
#include "sim/rank_groups.hpp"

namespace tutti {
namespace {

thread_local std::size_t simulated_here = 0;

double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// What is answered to one who wants nothing of longer times but that they are.
Time up_to(const Time& time, double most_seconds) {
  if (time.seconds == kRefused || time.seconds <= most_seconds) return time;
  return {most_seconds, true};
}

/// It may be more than was wanted once, but whether it is more than this is not known.
bool is_too_little(const Time& time, double most_seconds) { return time.exceeded && time.seconds < most_seconds; }

/// Of one question.
bool tells_as_much(const Time& time, const Simulated& other) {
  return !time.exceeded || (other.exceeded && time.seconds >= other.seconds);
}

}  // namespace

Simulations::Simulations(const Machine& machine, Mode mode, std::string placement, TimeStore* state, Loads loads)
    : machine_(machine),
      mode_(std::move(mode)),
      placement_(std::move(placement)),
      loads_(std::move(loads)),
      state_(state) {
  if (!state_) return;
  for (const Simulated& time : state_->all()) {
    goes_on_ = true;
    Answer& known = known_[{time.engine, time.place, time.bytes, time.choice, time.load}];
    if (known.valid() && tells_as_much(known.get(), time)) continue;
    std::promise<Time> answer;
    answer.set_value({time.seconds, time.exceeded});
    known = answer.get_future().share();
  }
}

std::size_t Simulations::simulated_by_this_thread() { return simulated_here; }

const Engine& Simulations::engine_named(const std::string& name) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Engine>& engine = engines_[name];
  if (!engine) engine = make_engine(name);
  return *engine;
}

const Machine& Simulations::machine(const Place& place) { return first_nodes_of(cores(place)); }

const Machine& Simulations::first_nodes_of(std::span<const int> cores) {
  int nodes = 0;
  for (const int core : cores) nodes = std::max(nodes, machine_.network->node_of(core) + 1);
  const std::lock_guard lock(mutex_);
  const auto found = machines_.find(nodes);
  return found != machines_.end() ? found->second
                                  : machines_.emplace(nodes, first_nodes(machine_, nodes)).first->second;
}

std::vector<int> Simulations::cores(const Place& place) const {
  return place_ranks(*machine_.network, place.nodes, place.ppn, placement_);
}

Places Simulations::places(const Place& place) const { return places_of(*machine_.network, cores(place)); }

std::optional<Counts> Simulations::counts(const Query& query) const {
  const Case c = case_for(query.place, query.bytes);
  const bool by_node = resolve(query.choice, c).algorithm->is_by_node();
  return declared(query.choice, c, by_node ? places(query.place) : Places());
}

std::vector<Time> Simulations::times(const std::string& engine, std::span<const Query> queries, double most_seconds) {
  if (loads_.are_none()) return times_beside(Load(), engine, queries, most_seconds);
  std::vector<std::vector<double>> beside_each(queries.size());
  for (const Load& load : loads_.each) {
    const std::vector<Time> times = times_beside(load, engine, queries, std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < queries.size(); ++i) beside_each[i].push_back(times[i].seconds);
  }
  std::vector<Time> found;
  found.reserve(queries.size());
  for (const std::vector<double>& times : beside_each) found.push_back(up_to({loads_.seconds(times)}, most_seconds));
  return found;
}

std::vector<double> Simulations::seconds_beside_each(const std::string& engine, const Query& query) {
  std::vector<double> seconds;
  for (const Load& load : loads_.each)
    seconds.push_back(times_beside(load, engine, {&query, 1}, std::numeric_limits<double>::infinity()).front().seconds);
  return seconds;
}

std::vector<Time> Simulations::times_beside(const Load& load, const std::string& engine, std::span<const Query> queries,
                                            double most_seconds) {
  std::vector<std::optional<Time>> times(queries.size());
  for (bool all = false; !all;) {
    std::vector<Answer> answers(queries.size());
    std::vector<Query> unknown;
    std::vector<std::promise<Time>> promises;
    {
      const std::lock_guard lock(mutex_);
      for (std::size_t i = 0; i < queries.size(); ++i) {
        if (times[i]) continue;
        Answer& answer = known_[{engine, queries[i].place, queries[i].bytes, queries[i].choice.text(), load.text()}];
        const bool is_there = answer.valid() && answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
        if (!answer.valid() || (is_there && is_too_little(answer.get(), most_seconds))) {
          answer = promises.emplace_back().get_future().share();
          unknown.push_back(queries[i]);
        }
        answers[i] = answer;
      }
    }
    if (!unknown.empty()) try {
        simulate(load, engine, unknown, most_seconds, promises);
      } catch (...) {
        for (std::promise<Time>& promise : promises) promise.set_exception(std::current_exception());
        throw;
      }
    all = true;
    for (std::size_t i = 0; i < queries.size(); ++i) {
      if (times[i]) continue;
      const Time time = answers[i].get();
      if (is_too_little(time, most_seconds))
        all = false;  // another thread wanted less
      else
        times[i] = up_to(time, most_seconds);
    }
  }
  std::vector<Time> found;
  found.reserve(times.size());
  for (const auto& time : times) found.push_back(*time);
  return found;
}

Experiment Simulations::experiment(const Load& load, const Query& query, double most_seconds) const {
  Experiment one{case_for(query.place, query.bytes),
                 query.choice,
                 cores(query.place),
                 mode_,
                 load.seed,
                 false,
                 nullptr,
                 most_seconds};
  one.noise = load.noise;
  one.each_call = loads_.need_each_call();
  if (!load.background) return one;
  BackgroundOptions other = *load.background;
  const std::vector<int> beside = place_background(*machine_.network, one.core_of_rank, placement_, other);
  one.core_of_rank.insert(one.core_of_rank.end(), beside.begin(), beside.end());
  one.background = other.background;
  return one;
}

void Simulations::simulate(const Load& load, const std::string& engine, std::span<const Query> queries,
                           double most_seconds, std::span<std::promise<Time>> answers) {
  std::vector<Experiment> experiments;
  std::vector<int> cores;
  for (const Query& query : queries) {
    experiments.push_back(experiment(load, query, most_seconds));
    const std::vector<int>& here = experiments.back().core_of_rank;
    cores.insert(cores.end(), here.begin(), here.end());
  }
  simulated_here += queries.size();
  const double begin = processor_seconds();
  const std::vector<Result> results = engine_named(engine).run(first_nodes_of(cores), experiments);
  const double each = (processor_seconds() - begin) / static_cast<double>(queries.size());
  std::vector<Simulated> times;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const Result& result = results[i];
    Simulated time{engine, queries[i].place, queries[i].bytes, queries[i].choice.text(), loads_.seconds(result),
                   false,  load.text()};
    if (!result.refused.empty()) time.seconds = kRefused;
    if (result.exceeded) time.seconds = most_seconds, time.exceeded = true;
    times.push_back(std::move(time));
  }
  if (state_) state_->put(times);
  if (observer_) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < times.size(); ++i) observer_({times[i], results[i].messages, each});
  }
  for (std::size_t i = 0; i < times.size(); ++i) answers[i].set_value({times[i].seconds, times[i].exceeded});
}

}  // namespace tutti
