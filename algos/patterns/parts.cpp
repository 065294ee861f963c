#include "algos/patterns/parts.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "algos/named_choice.hpp"
#include "algos/patterns/tuned_numbers.hpp"
#include "algos/what_runs.hpp"
#include "base/error.hpp"

namespace tutti {
namespace {

using Key = std::pair<Collective, std::int64_t>;

Choice plain_choice(const Algorithm& algorithm) {
  Choice choice = default_choice(algorithm);
  for (auto& [name, value] : choice.parameters) {
    if (role_of(name) == ParameterRole::segment) value = 0;
    if (role_of(name) == ParameterRole::fanout) value = 1;
  }
  return choice;
}

/// Made once, for calls refer to the parameters.
const std::map<Key, Choice>& numbered() {
  static const std::map<Key, Choice> all = [] {
    std::map<Key, Choice> choices;
    for (const Algorithm& algorithm : registry())
      if (const auto number = number_in_tuned(algorithm))
        choices.try_emplace(Key{algorithm.collective(), *number}, plain_choice(algorithm));
    return choices;
  }();
  return all;
}

/// What falls back is on the list, too: Open MPI has all of it.
const Choice& part_that_runs(const Choice& choice, const Case& c) {
  if (choice.algorithm->fallbacks().empty() && choice.algorithm->requirements().empty()) return choice;
  expect_part_runs(choice, c);
  const Choice real = resolve(choice, c);
  for (const auto& [key, known] : numbered())
    if (known.algorithm == real.algorithm) return known;
  throw std::logic_error("Open MPI has no " + real.algorithm->full_name());
}

const Choice& choice_of(Collective collective, std::int64_t number, const Case& c) {
  // A communicator of one rank is served by coll/self, which only copies: as the linear algorithms do then.
  const auto found = numbered().find({collective, c.ranks == 1 ? 1 : number});
  if (found == numbered().end())
    throw InputError("Open MPI has no " + std::string(name_of(collective)) + " of number " + std::to_string(number));
  return part_that_runs(found->second, c);
}

Count count_of_part(Collective collective, const Call& call) {
  switch (collective) {
    case Collective::barrier:
      return 0;
    case Collective::bcast:
    case Collective::scatter:
      return call.out.elements();
    default:
      return call.in.elements();
  }
}

Call part(const Call& whole, const View& in, const View& out, Rank root, bool in_place) {
  Call call = whole;
  call.in = in;
  call.out = out;
  call.root = root;
  call.in_place = in_place;
  return call;
}

View nothing(const View& of) { return of.slice(0, 0); }

}  // namespace

Call bcast_part(const Call& whole, const View& what, Rank root) { return part(whole, what, what, root, false); }

Call reduce_part(const Call& whole, const View& in, const View& out, bool is_root, Rank root) {
  return part(whole, in, is_root ? out : nothing(in), root, is_root && in == out);
}

Call allreduce_part(const Call& whole, const View& in, const View& out) {
  Call call = part(whole, in, out, 0, in == out);
  return call;
}

Call gather_part(const Call& whole, const View& in, const View& out, int ranks, bool is_root, Rank root) {
  Call call = part(whole, in, is_root ? out : nothing(in), root, false);
  call.blocks = Blocks::regular(ranks, in.elements());
  call.out_is_blocked = true;
  call.in_place = is_root && call.block(root) == in;
  return call;
}

Call allgather_part(const Call& whole, const View& in, const View& out, int ranks) {
  Call call = part(whole, in, out, 0, false);
  call.blocks = Blocks::regular(ranks, in.elements());
  call.out_is_blocked = true;
  return call;
}

Call alltoall_part(const Call& whole, const View& in, const View& out, int ranks) {
  Call call = part(whole, in, out, 0, false);
  call.blocks = Blocks::regular(ranks, in.elements() / ranks);
  return call;
}

Call reduce_scatter_part(const Call& whole, const View& in, const View& out, int ranks) {
  return alltoall_part(whole, in, out, ranks);
}

Call scatter_part(const Call& whole, const View& in, const View& out, int ranks, bool is_root, Rank root) {
  Call call = part(whole, is_root ? in : nothing(out), out, root, false);
  call.blocks = Blocks::regular(ranks, out.elements());
  call.out_is_blocked = false;
  call.in_place = is_root && call.block(root) == out;
  return call;
}

Task run_part(Comm comm, Collective collective, std::int64_t number, const Call& call) {
  const Case c{collective,    comm.size(), count_of_part(collective, call), call.element_bytes, call.root,
               call.in_place, call.op};
  const Choice& choice = choice_of(collective, number, c);
  Call with_parameters = call;
  with_parameters.parameters = Parameters(choice.parameters);
  return choice.algorithm->function()(comm, with_parameters);
}

std::int64_t reduce_number(std::int64_t asked, bool commutative) {
  const auto found = numbered().find({Collective::reduce, asked});
  const bool is_linear = !commutative && found != numbered().end() && found->second.algorithm->needs_commutative();
  return is_linear ? 1 : asked;
}

namespace {

thread_local CountedOnce* innermost = nullptr;

}  // namespace

CountedOnce::CountedOnce(const Facts& facts) : facts_(facts), around_(innermost) { innermost = this; }
CountedOnce::~CountedOnce() { innermost = around_; }

PartCounts counted(PartCounter counts, const Facts& facts) {
  CountedOnce* const once = innermost;
  if (!once || &once->facts_ != &facts) return counts(facts);
  if (once->counter_ != counts) {
    once->counts_ = counts(facts);
    once->counter_ = counts;
  }
  return once->counts_;
}

namespace {

Case part_case(const Facts& whole, Collective collective, int ranks, Count count, Rank root) {
  const Operator op = whole["commutative"] != 0 ? Operator::sum : Operator::user;
  return {collective, ranks, count, static_cast<std::int32_t>(whole["e"]), root, false, op};
}

/// `parameter`: empty where none of the whole's says it.
PartCounts count_of_part(const Facts& whole, const Case& c, std::int64_t number, std::string_view parameter) {
  const Choice& choice = choice_of(c.collective, number, c);
  if (!parameter.empty()) whole.see_part(parameter, c.ranks, number_in_tuned(*choice.algorithm).value_or(number));
  const Facts facts(c, choice.parameters);
  const CountedOnce once(facts);
  const Algorithm& algorithm = *choice.algorithm;
  return {algorithm.rounds()(facts), algorithm.messages()(facts), algorithm.bytes()(facts)};
}

}  // namespace

PartCounts count_part(const Facts& whole, Collective collective, std::int64_t number, int ranks, Count count,
                      Rank root) {
  return count_of_part(whole, part_case(whole, collective, ranks, count, root), number, "");
}

PartCounts count_part(const Facts& whole, Collective collective, const char* parameter, int ranks, Count count,
                      Rank root) {
  return count_of_part(whole, part_case(whole, collective, ranks, count, root),
                       static_cast<std::int64_t>(whole[parameter]), parameter);
}

PartCounts count_flat(const Facts& whole, Collective collective, const char* parameter) {
  const auto number = static_cast<std::int64_t>(whole[parameter]);
  const Case c = part_case(whole, collective, static_cast<int>(whole["p"]), static_cast<Count>(whole["c"]),
                           static_cast<Rank>(whole["root"]));
  whole.see_part(kAllParts, c.ranks, number_of_choice(collective, choice_of(collective, number, c).text()));
  return count_of_part(whole, c, number, "");
}

}  // namespace tutti
