#include "cli/explained.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/critical_path.hpp"
#include "cli/simulated.hpp"

namespace tutti::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kWidth = 110;

/// A paragraph whose first line begins with `begin` and whose others are indented as far.
std::string wrapped(const std::string& begin, const std::string& text) {
  std::string out = begin, line;
  const std::string indent(begin.size(), ' ');
  bool is_first = true;
  const auto finish = [&] {
    out += (is_first ? "" : indent) + line + "\n";
    is_first = false;
    line.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && begin.size() + line.size() + 1 + word.size() > kWidth) finish();
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  finish();
  return out;
}

bool is_chosen(const ExplainedCall& call, const Choice& choice) {
  return call.choice && (choice == *call.choice || choice == call.runs);
}

std::string why_text(const Explanation& why) {
  std::string text;
  for (std::size_t i = 0; i < why.because.size(); ++i) text += wrapped(fmt::format("{:>3}. ", i + 1), why.because[i]);
  for (const Explanation::Part& part : why.parts)
    text += wrapped("   - ", fmt::format("{}: {} ({})", part.what, part.runs, fmt::join(part.why.because, "; ")));
  return text;
}

std::string cost_text(const ExplainedCall& call) {
  const double least = call.best.front().seconds;
  const auto row = [&](const Choice& choice, double seconds) {
    return fmt::format("{:>14.3f} {:>8.3f}  {}{}\n", seconds * 1e6, least > 0 ? seconds / least : 1, choice.text(),
                       is_chosen(call, choice) ? "  <- " + call.library : "");
  };
  const std::string beside = (call.background.empty() ? "" : " beside " + call.background) +
                             (call.noise.empty() ? "" : " under noise " + call.noise);
  const std::string seed = call.seed ? fmt::format(", seed {}", *call.seed) : "";
  std::string text;
  if (!call.background.empty())
    text += wrapped("", fmt::format("beside {}: {}", call.background,
                                    call.no_congestion_trees.empty() ? "messages wait in its congestion trees"
                                                                     : call.no_congestion_trees));
  text += fmt::format("the fastest of {} candidates{} ({}, {}{}; trust: {}):\n{:>14} {:>8}\n", call.candidates, beside,
                      call.engine, call.mode, seed, to_string(call.trust), "us", "of best");
  bool is_there = false;
  for (const TimedChoice& each : call.best) {
    is_there = is_there || is_chosen(call, each.choice);
    text += row(each.choice, each.seconds);
  }
  if (!is_there && call.seconds) text += row(*call.choice, *call.seconds);
  return text;
}

std::string bound_text(const BoundedRun& run) {
  double all = 0;
  for (const BoundedRun::Share& share : run.shares) all += share.seconds;
  std::string text = fmt::format("{} is bound by ", run.choice.text());
  if (all <= 0) return wrapped("", text + "nothing: it takes no time");
  constexpr double kLittle = 0.03;
  std::string parts;
  for (const BoundedRun::Share& share : run.shares)
    if (share.seconds >= kLittle * all)
      parts += fmt::format("{}{} {:.0f} %{}", parts.empty() ? "" : ", ", share.on, 100 * share.seconds / all,
                           share.place.empty() ? "" : " (most at " + share.place + ")");
  text += parts;
  if (run.hottest)
    text += fmt::format("; its hottest link is {} {}, with {} bytes busy {:.0f} % of the time", run.hottest->level,
                        run.hottest->name, run.hottest->bytes, 100 * run.hottest->busy_seconds / all);
  return wrapped("", text);
}

Json why_json(const Explanation& why) {
  Json json{{"component", why.component.empty() ? Json() : Json(why.component)},
            {"rule", why.rule.empty() ? Json() : Json(why.rule)},
            {"because", why.because}};
  json["parts"] = Json::array();
  for (const Explanation::Part& part : why.parts) {
    Json each{{"what", part.what}, {"runs", part.runs}};
    each.update(why_json(part.why));
    json["parts"].push_back(std::move(each));
  }
  return json;
}

Json bound_json(const BoundedRun& run) {
  Json json{{"algorithm", run.choice.text()}, {"time_us", run.seconds * 1e6}, {"bounds", Json::array()}};
  for (const BoundedRun::Share& share : run.shares)
    json["bounds"].push_back({{"on", share.on}, {"place", share.place}, {"us", share.seconds * 1e6}});
  json["hottest_link"] = run.hottest ? Json{{"level", run.hottest->level},
                                            {"name", run.hottest->name},
                                            {"bytes", run.hottest->bytes},
                                            {"busy_us", run.hottest->busy_seconds * 1e6}}
                                     : Json();
  return json;
}

}  // namespace

BoundedRun bounded_run(const Choice& choice, const Result& result, const Mode& mode, const Network& network,
                       const std::vector<int>& core_of_rank) {
  BoundedRun run{choice, result.makespan_seconds, {}, hottest_link(result, network, core_of_rank)};
  if (run.hottest) run.hottest->bytes /= mode.calls, run.hottest->busy_seconds /= mode.calls;
  const int calls = calls_on_path(mode);
  for (const Bound& bound : bounds_of(result)) {  // the most first
    const std::string on = tutti::kind_of(bound.on, bound.which, network);
    const auto known =
        std::find_if(run.shares.begin(), run.shares.end(), [&](const auto& each) { return each.on == on; });
    if (known == run.shares.end())
      run.shares.push_back({on, place_of(bound.on, bound.which, network), bound.seconds / calls});
    else
      known->seconds += bound.seconds / calls;
  }
  std::stable_sort(run.shares.begin(), run.shares.end(),
                   [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  return run;
}

std::string text_of(const ExplainedCall& call) {
  const std::string under = call.library + (call.file.empty() ? "" : " with " + call.file);
  const std::string where = layout_text(call.on, call.c.ranks) + asked_text(call.asked);
  const std::string amount = call.c.collective == Collective::barrier ? "" : " of " + bytes_text(total_bytes(call.c)),
                    counts = call.counts.empty() ? "" : ", counts " + call.counts + ",";
  std::string text = wrapped("", fmt::format("{}{}{} on {}: {}, under {}", name_of(call.c.collective), amount, counts,
                                             call.system, where, under)) +
                     "\n";
  if (call.choice)
    text += wrapped("", fmt::format("{} runs {}{}{}", call.why.component.empty() ? call.library : call.why.component,
                                    call.choice->text(), call.theirs.empty() ? "" : " (there " + call.theirs + ")",
                                    call.why.rule.empty() ? "" : ", by " + call.why.rule));
  else
    text += fmt::format("{} makes its own choice, which is not known here\n", call.library);
  text += why_text(call.why);
  if (!call.remark.empty()) text += wrapped("   note: ", call.remark);
  text += "\n" + cost_text(call) + "\n";
  for (const BoundedRun& run : call.bounds) text += bound_text(run);
  if (!call.unbounded.empty()) text += call.unbounded + "\n";
  return text;
}

Json json_of(const ExplainedCall& call) {
  Json json{{"system", call.system},
            {"library", call.library},
            {"file", call.file.empty() ? Json() : Json(call.file)},
            {"collective", name_of(call.c.collective)},
            {"ranks", call.c.ranks},
            {"nodes", call.on.nodes},
            {"ppn", call.on.most},
            {"fewest_on_a_node", call.on.fewest},
            {"bytes", call.bytes},
            {"bytes_simulated", total_bytes(call.c)},
            {"operator", call.op},
            {"engine", call.engine},
            {"mode", call.mode}};
  if (!call.background.empty()) {
    json["background"] = call.background;
    json["congestion_trees"] = call.no_congestion_trees.empty();
  }
  if (!call.noise.empty()) json["noise"] = call.noise;
  for (const auto& [name, value] : call.asked.items())
    if (name != "op") json[name] = value;  // "operator"
  if (call.seed) json["seed"] = *call.seed;
  if (!call.counts.empty()) json["counts"] = call.counts;
  json["choice"] = call.choice ? Json(call.choice->text()) : Json();
  json["runs"] = call.choice ? Json(call.runs_text) : Json();
  json["theirs"] = call.theirs.empty() ? Json() : Json(call.theirs);
  json.update(why_json(call.why));
  json["remark"] = call.remark;
  json["time_us"] = call.seconds ? Json(*call.seconds * 1e6) : Json();
  json["trust"] = to_string(call.trust);
  json["candidates"] = call.candidates;
  json["best"] = Json::array();
  for (const TimedChoice& each : call.best)
    json["best"].push_back(
        {{"algorithm", each.choice.text()}, {"time_us", each.seconds * 1e6}, {"chosen", is_chosen(call, each.choice)}});
  json["bounds"] = Json::array();
  for (const BoundedRun& run : call.bounds) json["bounds"].push_back(bound_json(run));
  json["unbounded"] = call.unbounded;
  return json;
}

}  // namespace tutti::cli
