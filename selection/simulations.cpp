#include "selection/simulations.hpp"

#include "selection/candidates.hpp"
#include "selection/tune.hpp"

namespace tutti {

Simulations::Simulations(const Machine& machine, Mode mode, std::string placement, SweepState* state)
    : machine_(machine), mode_(mode), placement_(std::move(placement)), state_(state) {
  if (!state_) return;
  for (const Simulated& time : state_->all()) {
    std::promise<double> answer;
    answer.set_value(time.seconds);
    known_[{time.engine, time.place, time.bytes, time.choice}] = answer.get_future().share();
  }
}

const Engine& Simulations::engine_named(const std::string& name) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Engine>& engine = engines_[name];
  if (!engine) engine = make_engine(name);
  return *engine;
}

std::vector<int> Simulations::cores(const Place& place) const {
  return place_ranks(*machine_.network, place.nodes, place.ppn, placement_);
}

std::vector<double> Simulations::seconds(const std::string& engine, std::span<const Query> queries) {
  std::vector<std::shared_future<double>> answers;
  std::vector<Query> unknown;
  std::vector<std::promise<double>> promises;
  {
    const std::lock_guard lock(mutex_);
    for (const Query& query : queries) {
      std::shared_future<double>& answer = known_[{engine, query.place, query.bytes, query.choice.text()}];
      if (!answer.valid()) {
        answer = promises.emplace_back().get_future().share();
        unknown.push_back(query);
      }
      answers.push_back(answer);
    }
  }
  if (!unknown.empty()) try {
      simulate(engine, unknown, promises);
    } catch (...) {
      for (std::promise<double>& promise : promises) promise.set_exception(std::current_exception());
      throw;
    }
  std::vector<double> seconds;
  for (const auto& answer : answers) seconds.push_back(answer.get());
  return seconds;
}

void Simulations::simulate(const std::string& engine, std::span<const Query> queries,
                           std::span<std::promise<double>> answers) {
  std::vector<Experiment> experiments;
  for (const Query& query : queries)
    experiments.push_back({case_for(query.place, query.bytes), query.choice, cores(query.place), mode_, 1, false});
  const std::vector<Result> results = engine_named(engine).run(machine_, experiments);
  std::vector<Simulated> times;
  for (std::size_t i = 0; i < queries.size(); ++i)
    times.push_back({engine, queries[i].place, queries[i].bytes, queries[i].choice.text(),
                     results[i].refused.empty() ? results[i].makespan_seconds : kRefused});
  if (state_) state_->put(times);
  for (std::size_t i = 0; i < times.size(); ++i) answers[i].set_value(times[i].seconds);
}

}  // namespace tutti
