#include "algos/patterns/hier_uneven.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>

#include "algos/patterns/level_parts.hpp"

namespace tutti {
namespace {

struct IrregularForm {
  Collective regular, irregular;
  const char* standard;  // where no algorithm of the irregular one has the name
};
constexpr IrregularForm kIrregularForms[] = {{Collective::allgather, Collective::allgatherv, "ring"},
                                             {Collective::gather, Collective::gatherv, "binomial"},
                                             {Collective::scatter, Collective::scatterv, "binomial"},
                                             {Collective::alltoall, Collective::alltoallv, "linear"}};

std::int64_t irregular_choice(std::int64_t number) {
  const Choice& regular = choice_of_number(number);
  const auto form = std::find_if(std::begin(kIrregularForms), std::end(kIrregularForms),
                                 [&](const IrregularForm& f) { return f.regular == regular.algorithm->collective(); });
  if (form == std::end(kIrregularForms))
    throw std::logic_error(regular.algorithm->full_name() + " has no form for blocks of different sizes");
  const std::vector<const Algorithm*> there = algorithms_of(form->irregular);
  const bool has_it = std::any_of(there.begin(), there.end(), [&](const Algorithm* a) {
    return a->name() == regular.algorithm->name() && a->requirements().empty();
  });
  Choice choice = default_choice(find_algorithm(form->irregular, has_it ? regular.algorithm->name() : form->standard));
  for (auto& [name, value] : choice.parameters)
    for (const auto& [its_name, given] : regular.parameters)
      if (its_name == name) value = given;
  return number_of_choice(form->irregular, choice.text());
}

bool are_even_among(const std::vector<Rank>& ranks, std::span<const Level> levels, const PlaceOf& place) {
  if (levels.empty()) return true;
  const std::vector<std::vector<Rank>> parts = divide(ranks, levels.front(), place);
  return are_equal(parts) && std::all_of(parts.begin(), parts.end(), [&](const std::vector<Rank>& part) {
           return are_even_among(part, levels.subspan(1), place);
         });
}

}  // namespace

std::vector<Count> firsts_of_parts(const Stage& stage) {
  if (!stage.by || stage.whole.is_equal(*stage.by)) return {};
  std::vector<Count> firsts{0};
  for (Rank part = 0; part < stage.comm.size(); ++part) {
    const Rank member = stage.whole.rank_of(stage.comm.world_rank(part));
    firsts.push_back(firsts.back() + std::ssize(stage.whole.mates_of(member, *stage.by)));
  }
  return firsts;
}

bool are_even_everywhere(const Comm& comm, const Call& call) {
  const std::vector<Level> levels = levels_in(call);
  if (levels.size() == 1) return comm.is_equal(levels.front());
  return are_even_among(all_ranks(comm.size()), levels, place_of(comm));
}

bool are_even_everywhere(const Facts& facts) {
  return are_even_among(all_ranks(static_cast<int>(facts["p"])), levels_in(facts), place_of(facts));
}

Task run_irregular(const Stage& stage, const Call& whole, const Call& part) {
  return run_numbered(stage.comm, irregular_choice(whole.parameter(stage.parameter)), part);
}

PartCounts count_irregular(const Facts& whole, const char* parameter, Case c) {
  const auto asked = static_cast<std::int64_t>(whole[parameter]);
  const Choice& real = choice_that_runs(irregular_choice(asked), c);
  const Collective regular = choice_of_number(asked).algorithm->collective();
  whole.see_part(parameter, c.ranks, number_of_choice(regular, real.text()));
  return count_numbered(whole, number_of_choice(real.algorithm->collective(), real.text()), c);
}

}  // namespace tutti
