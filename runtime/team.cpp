#include "runtime/team.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "algos/call_checksum.hpp"
#include "algos/what_runs.hpp"
#include "base/error.hpp"
#include "runtime/environment.hpp"
#include "runtime/executor.hpp"
#include "runtime/plan.hpp"
#include "runtime/transports.hpp"

namespace tutti {
namespace {

constexpr double kLongestSeconds = 1e9;  // clocks count nanoseconds in 64 bits

double seconds_from_environment() {
  const char* text = std::getenv("TUTTI_LIMIT_SECONDS");
  if (!text) return 300;
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  if (end == text || *end || !(seconds > 0 && seconds <= kLongestSeconds))
    throw InputError("TUTTI_LIMIT_SECONDS='" + std::string(text) + "': expected seconds above 0, at most 1e9");
  return seconds;
}

Limit limit_of(const TeamOptions& options) {
  return options.limit.count() > 0 ? options.limit : Limit(seconds_from_environment());
}

constexpr std::string_view kMulticast = "multicast";
constexpr const char* kOfTheCaller = "an algorithm of the caller";

/// By ranks and cores, unless whoever knows of more ranks than these says otherwise.
WaitPolicy wait_policy(const TeamLayout& layout) {
  if (!std::getenv("TUTTI_POLLS")) return WaitPolicy::for_ranks(layout.ranks_here(), layout.usable_cores);
  return WaitPolicy::after(from_environment<std::uint32_t>("TUTTI_POLLS", 1, 1, UINT32_MAX));
}

[[noreturn]] void refuse_transport(const std::string& name, const std::string& known) {
  throw InputError("unknown transport '" + name + "': expected one of " + known);
}

/// The makers of the transports that are asked for, in that order.
std::vector<TransportMaker> makers_of(const TeamOptions& options) {
  const char* variable = std::getenv("TUTTI_TRANSPORTS");
  const std::string asked = !options.transports.empty() ? options.transports : variable ? variable : "";
  if (asked.empty()) return transport_makers();
  std::vector<TransportMaker> chosen;
  for (std::size_t begin = 0; begin <= asked.size();) {
    const std::size_t comma = std::min(asked.find(',', begin), asked.size());
    const std::string name = asked.substr(begin, comma - begin);
    begin = comma + 1;
    std::string known;
    bool found = false;
    for (const TransportMaker& maker : transport_makers()) {
      known += (known.empty() ? "" : ", ") + std::string(maker.name);
      if (maker.name == name) chosen.push_back(maker), found = true;
    }
    if (!found) refuse_transport(name, known);
  }
  return chosen;
}

/// What ranks must have alike, as it is said of one of them, and by what it is set.
struct Setting {
  std::string value, set_by;
};

std::string transports_text(const std::vector<TransportMaker>& makers) {
  std::string names;
  for (const TransportMaker& maker : makers) names += (names.empty() ? "" : ",") + std::string(maker.name);
  return "the transports " + names;
}

std::string in_brackets(const Checksum& sum) { return " [" + sum.text() + "]"; }

/// Tables of which the rules are the same choose alike, whatever was measured meanwhile.
std::string text_of_rules(const Table& table) {
  if (table.rules.empty()) return "no selection table";
  Checksum sum;
  for (const Rule& rule : table.rules)
    sum.add(std::string(name_of(rule.place.collective)))
        .add(rule.place.counts)
        .add(rule.algorithm)
        .add(rule.place.nodes)
        .add(rule.place.ppn)
        .add(rule.from_bytes);
  return "a table of " + std::to_string(table.rules.size()) + " rules" + in_brackets(sum);
}

/// Ranks that differ would run other algorithms than the others, which can take one message for another. Throws
/// TeamError on each.
void expect_same(Bootstrap& bootstrap, const std::vector<Setting>& settings) {
  std::string mine;
  for (const Setting& setting : settings) mine += setting.value + '\n';
  const std::vector<std::string> all = bootstrap.allgather(mine);
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    std::istringstream first(all[0]), other(all[rank]);
    std::string expected, found;
    for (const Setting& setting : settings)
      if (std::getline(first, expected), std::getline(other, found); found != expected)
        throw TeamError("rank " + std::to_string(rank) + " has " + found + ", rank 0 has " + expected +
                        ": expected the same on all ranks (" + setting.set_by + ")");
  }
}

}  // namespace

struct Team::State {
  State(std::unique_ptr<Bootstrap> given, const TeamOptions& options)
      : bootstrap(std::move(given)),
        layout(find_layout(*bootstrap)),
        planner(layout, options.table.empty() ? Table{} : read_table(options.table)),
        executor(
            *bootstrap, [this](Rank rank, Level level) { return layout.place(rank, level); }, wait_policy(layout),
            limit_of(options)),
        checked(options.checked),
        prefers_multicast(tutti::from_environment("TUTTI_MULTICAST", 0, 0, 1) == 1) {
    const TransportSetting setting{*bootstrap, layout, executor.inbox(), options.heap_bytes};
    const auto makers = makers_of(options);
    expect_same(*bootstrap, {{transports_text(makers), "--transports, TUTTI_TRANSPORTS"},
                             {text_of_rules(planner.table()), "--table, TeamOptions::table"},
                             {checked ? "checked calls" : "unchecked calls", "TeamOptions::checked"},
                             {prefers_multicast ? "TUTTI_MULTICAST=1" : "no TUTTI_MULTICAST=1", "TUTTI_MULTICAST"}});
    if (layout.size() > 1)
      for (const TransportMaker& maker : makers) {
        if (auto transport = maker.make(setting)) executor.add(std::move(transport));
        if (everybody_is_reached()) break;
      }
    Trouble trouble;
    for (Rank peer = 0; peer < layout.size(); ++peer)
      if (!executor.transport_to(peer)) trouble.text = "no transport reaches rank " + std::to_string(peer);
    agree(*bootstrap, trouble);
  }

  /// By everybody.
  bool everybody_is_reached() {
    bool all = true;
    for (Rank peer = 0; peer < layout.size(); ++peer) all &= executor.transport_to(peer) != nullptr;
    for (const std::string& said : bootstrap->allgather(all ? "all" : "")) all &= !said.empty();
    return all;
  }

  std::unique_ptr<Bootstrap> bootstrap;
  const TeamLayout layout;
  Planner planner;
  Executor executor;
  const bool checked, prefers_multicast;
};

Team::Team(std::unique_ptr<Bootstrap> bootstrap, const TeamOptions& options)
    : state_(std::make_unique<State>(std::move(bootstrap), options)) {}
Team Team::from_environment(const TeamOptions& options) {
  return Team(bootstrap_from_environment(limit_of(options)), options);
}
Team::Team(Team&&) noexcept = default;
Team::~Team() = default;

Rank Team::rank() const { return state_->layout.rank; }
int Team::size() const { return state_->layout.size(); }
const TeamLayout& Team::layout() const { return state_->layout; }
std::string_view Team::transport_to(Rank peer) const { return state_->executor.transport_to(peer)->name(); }
std::string Team::algorithm_of(const CollectiveCall& call) {
  return goes_by_multicast(call) ? std::string(kMulticast) : state_->planner.plan(call).choice.text();
}

bool Team::follows_table(const CollectiveCall& call) {
  return !goes_by_multicast(call) && !call.function && state_->planner.follows_table(call);
}

std::string Team::what_runs(const CollectiveCall& call) {
  if (goes_by_multicast(call)) return std::string(kMulticast);
  const Plan& plan = state_->planner.plan(call);
  return text_of_what_runs(plan.choice, plan.c, state_->layout.places());
}

/// Where the caller says so, or says nothing and whoever started the job did.
bool Team::goes_by_multicast(const CollectiveCall& call) {
  if (call.collective != Collective::bcast || call.function) return false;
  const bool named = call.algorithm == kMulticast;
  if (!named && (!state_->prefers_multicast || !call.algorithm.empty())) return false;
  if (const std::string why = state_->executor.why_no_multicast(); !why.empty()) {
    if (named) throw std::invalid_argument("bcast/multicast: the network's multicast cannot be used: " + why);
    return false;
  }
  return true;
}

const Plan& Team::plan(const CollectiveCall& call) {
  // Its views and checks are those of any broadcast.
  return state_->planner.plan(goes_by_multicast(call) ? call.with("linear") : call);
}

std::uint32_t Team::begin(const CollectiveCall& call, bool blocking) {
  static const std::string kOwn = kOfTheCaller, kBcastByMulticast = "bcast/multicast";
  if (state_->planner.keeps_many() && state_->executor.is_idle()) state_->planner.forget();
  const Plan& plan = this->plan(call);
  if (state_->checked) check_calls_agree(call);
  const bool multicast = goes_by_multicast(call);
  const AlgorithmFunction function = multicast       ? nullptr
                                     : call.function ? call.function
                                                     : plan.choice.algorithm->function();
  const std::string& name = multicast ? kBcastByMulticast : call.function ? kOwn : plan.name;
  // Algorithms read `in` alone; a buffer that is both is passed as such.
  return state_->executor.start(function, plan.call, name, const_cast<void*>(call.in), call.out, call.reduction,
                                blocking);
}

std::shared_ptr<void> Team::allocate(std::size_t bytes) {
  if (auto memory = state_->executor.allocate(bytes)) return memory;
  constexpr std::align_val_t kPage{4096};
  return {::operator new(bytes, kPage), [](void* memory) { ::operator delete(memory, kPage); }};
}

void Team::run(const CollectiveCall& call) { state_->executor.wait(begin(call, true)); }

Request Team::start(const CollectiveCall& call) {
  Request request(*this, call);
  request.start();
  return request;
}

Executor& Team::executor() { return state_->executor; }

void Team::allgather_bytes(std::span<const std::byte> mine, std::span<std::byte> all) {
  const Plan& how = state_->planner.plan(calls::allgather(mine, all).with("ring"));
  // Algorithms read `in` alone.
  auto* const in = const_cast<std::byte*>(mine.data());
  state_->executor.wait(
      state_->executor.start(how.choice.algorithm->function(), how.call, how.name, in, all.data(), {}, true));
}

std::shared_ptr<const BlockCounts> Team::counts_of_ranks(Count mine) {
  std::vector<Count> all(static_cast<std::size_t>(size()));
  allgather_bytes(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  return std::make_shared<BlockCounts>(all);
}

std::shared_ptr<const BlockCounts> Team::counts_of_pairs(std::span<const Count> mine) {
  const auto ranks = static_cast<std::size_t>(size());
  if (mine.size() != ranks)
    throw std::invalid_argument(std::to_string(mine.size()) + " counts: expected " + std::to_string(ranks) +
                                ", one for each rank");
  std::vector<Count> all(ranks * ranks);
  allgather_bytes(std::as_bytes(mine), std::as_writable_bytes(std::span(all)));
  return std::make_shared<BlockCounts>(size(), all);
}

std::shared_ptr<const BlockCounts> Team::counts_among(const Neighborhood& neighborhood, Count mine) {
  std::vector<Count> all(static_cast<std::size_t>(size()));
  allgather_bytes(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  return std::make_shared<BlockCounts>(neighborhood, all, false);
}

std::shared_ptr<const BlockCounts> Team::counts_among(const Neighborhood& neighborhood, std::span<const Count> mine) {
  std::size_t most = 0;
  for (Rank rank = 0; rank < neighborhood.ranks(); ++rank) most = std::max(most, neighborhood.targets(rank).size());
  if (neighborhood.ranks() != size() || mine.size() != neighborhood.targets(rank()).size())
    throw std::invalid_argument(std::to_string(mine.size()) + " counts: expected one for each block of the rank");
  std::vector<Count> padded(mine.begin(), mine.end()), all(most * static_cast<std::size_t>(size())), counts;
  padded.resize(most);
  allgather_bytes(std::as_bytes(std::span(padded)), std::as_writable_bytes(std::span(all)));
  for (Rank rank = 0; rank < size(); ++rank) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(most * static_cast<std::size_t>(rank));
    counts.insert(counts.end(), first, first + static_cast<std::ptrdiff_t>(neighborhood.targets(rank).size()));
  }
  return std::make_shared<BlockCounts>(neighborhood, counts, true);
}

namespace {

/// As long as a text that is sent in one piece may be; with a checksum where that leaves something out.
std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  const std::string sum = in_brackets(Checksum().add(text));
  const std::size_t kept = most - sum.size() - 3, first = kept / 3;
  return text.substr(0, first) + "..." + text.substr(text.size() - (kept - first)) + sum;
}

/// All counts and neighbours, whose own texts leave some out.
std::string among(const CollectiveCall& call) {
  if (!call.counts && !call.neighborhood) return "";
  Checksum sum;
  if (call.counts) add(sum, *call.counts);
  if (call.neighborhood) add(sum, *call.neighborhood);
  return (call.neighborhood ? " among " + call.neighborhood->text() : "") + in_brackets(sum);
}

}  // namespace

/// What ranks must agree on, as a text that people can read.
void Team::check_calls_agree(const CollectiveCall& call) {
  const Plan& plan = this->plan(call);
  std::array<char, 256> mine{};
  const std::string whole = (goes_by_multicast(call) ? "by multicast as " : "") +
                            (call.function ? std::string(kOfTheCaller) + " for " : "") +
                            (leaves_size_unknown(call) ? "neighbor_alltoall" : plan.name) + among(call) +
                            ", elements of " + std::to_string(plan.c.element_bytes) + " bytes, root " +
                            std::to_string(plan.c.root) + (plan.c.in_place ? ", in place" : "") +
                            (is_reduction(call.collective) ? ", operator " + text_of(call.reduction) : "");
  const std::string text = shortened(whole, mine.size() - 1);
  text.copy(mine.data(), text.size());
  std::vector<char> all(mine.size() * static_cast<std::size_t>(size()));
  allgather_bytes(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  for (int r = 0; r < size(); ++r) {
    const char* theirs = all.data() + mine.size() * static_cast<std::size_t>(r);
    if (text != theirs)
      state_->executor.refuse_calls("rank " + std::to_string(rank()) + " calls " + text + ", rank " +
                                    std::to_string(r) + " " + theirs);
  }
}

// --- requests

Request::Request(Request&& other) noexcept
    : team_(other.team_), call_(std::move(other.call_)), id_(std::exchange(other.id_, kOver)) {}
Request& Request::operator=(Request&& other) noexcept {
  std::swap(team_, other.team_);
  std::swap(call_, other.call_);
  std::swap(id_, other.id_);
  return *this;
}
Request::~Request() {
  if (id_ != kOver) team_->state_->executor.abandon(id_);
}

void Request::start() {
  if (id_ != kOver) throw std::logic_error("a request is started while it is under way");
  id_ = team_->begin(call_, false);
}

bool Request::test() {
  if (id_ == kOver) return true;
  const std::uint32_t id = std::exchange(id_, kOver);  // where it throws, the call is gone too
  if (team_->state_->executor.test(id)) return true;
  id_ = id;
  return false;
}

void Request::wait() {
  if (id_ != kOver) team_->state_->executor.wait(std::exchange(id_, kOver));
}

}  // namespace tutti
