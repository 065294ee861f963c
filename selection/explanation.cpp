#include "selection/explanation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "algos/registry.hpp"
#include "base/sizes.hpp"

namespace tutti {

std::string for_which_calls(std::string_view condition, bool value) {
  constexpr struct {
    std::string_view condition;
    const char *yes, *no;
  } kWords[] = {
      {"power_of_two", "for powers of two of ranks", "for numbers of ranks that are no power of two"},
      {"commutative", "for operators that commute", "for operators that do not commute"},
      {"built_in", "for MPI's own operators", "for operators of the program's own"},
      {"in_place", "for calls in place", "for calls with two buffers"},
      {"equal_blocks", "for vectors that fall into equal blocks", "for vectors that do not fall into equal blocks"},
      {"fewer_elements_than_power_of_two", "for fewer elements than the largest power of two within the ranks",
       "for no fewer elements than the largest power of two within the ranks"},
      {"fewer_elements_than_power_of_two_of_nodes", "for fewer elements than the largest power of two within the nodes",
       "for no fewer elements than the largest power of two within the nodes"},
      {"hierarchical", "for several nodes with several ranks on some", "for one node, or one rank on each"},
      {"one_node", "for one node", "for several nodes"},
      {"eight_nodes", "for eight nodes or more", "for fewer than eight nodes"},
      {"equal_nodes", "for nodes with as many ranks each", "for nodes of which some have fewer ranks"},
      {"even", "for even numbers of ranks", "for odd numbers of ranks"},
      {"ucc_radix_2", "for numbers of ranks of which powers of 2 leave the fewest out",
       "for numbers of ranks of which powers of 3 or 4 leave fewer out than those of 2"},
      {"ucc_radix_3", "for numbers of ranks of which powers of 3 leave the fewest out",
       "for numbers of ranks of which powers of 2 or 4 leave fewer out than those of 3"}};
  for (const auto& each : kWords)
    if (each.condition == condition) return value ? each.yes : each.no;
  throw std::logic_error("for_which_calls: no words for " + std::string(condition));
}

std::vector<std::string> explain_fallbacks(const Choice& choice, const Case& c) {
  std::vector<std::string> steps;
  for (Choice here = choice, end = resolve(choice, c); here.algorithm != end.algorithm;) {
    const Facts facts(c, here.parameters);
    const auto& all = here.algorithm->fallbacks();
    const auto taken = std::find_if(all.begin(), all.end(),
                                    [&](const Fallback& each) { return each.condition.evaluate(facts.all()) != 0; });
    if (taken == all.end()) throw std::logic_error("explain_fallbacks: another end than resolve's");
    steps.push_back(fmt::format("{} cannot do this call (where {}): {} runs in its place", here.algorithm->name(),
                                taken->condition.text(), taken->to));
    here = default_choice(find_algorithm(c.collective, taken->to));
  }
  return steps;
}

std::string layout_text(const RanksOnNodes& on, int ranks) {
  const std::string many = on.nodes == 1 ? "one node" : fmt::format("{} nodes", on.nodes);
  if (ranks == 1) return "one rank";
  if (!on.equal()) return fmt::format("{} ranks on {}, {} to {} on each", ranks, many, on.fewest, on.most);
  if (on.most == 1) return many + " with one rank each";
  return fmt::format("{} with {} ranks{}", many, on.most, on.nodes == 1 ? "" : " each");
}

bool is_plain_part(const Choice& choice) {
  return std::all_of(choice.parameters.begin(), choice.parameters.end(), [](const auto& parameter) {
    const auto& [name, value] = parameter;
    return role_of(name) == ParameterRole::segment  ? value == 0
           : role_of(name) == ParameterRole::fanout ? value <= 1
                                                    : true;
  });
}

std::string part_text(const Choice& choice) {
  return choice.text() + (is_plain_part(choice) ? "" : ", priced without segments and with a fan-out of 1");
}

std::string bytes_text(std::int64_t bytes) {
  const std::string shorter = format_size(bytes), plain = std::to_string(bytes);
  return bytes == 1 ? "1 byte" : plain + " bytes" + (shorter == plain ? "" : " (" + shorter + ")");
}

}  // namespace tutti
