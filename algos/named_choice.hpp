#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algos/registry.hpp"

namespace tutti {

// Parameters whose value is an algorithm, with parameters of its own, that runs as a part of the whole:
// hier(node=binomial,global=ring). The value is a number, which stands for the choice in this process alone; in text
// the choice stands itself.

/// The least of those numbers: above all other parameters' limits, and exact in a formula's doubles.
inline constexpr std::int64_t kFirstChoice = std::int64_t{1} << 50;

/// The same for the same text, whatever the thread. The text is not looked at before it is used.
std::int64_t number_of_choice(Collective collective, std::string_view text);
/// Valid as long as the program runs. Throws InputError where there is no such choice, or where its algorithm asks for
/// groups, which a group of ranks does not have; std::out_of_range on what is no such number.
const Choice& choice_of_number(std::int64_t number);

/// What stands for no algorithm, where a level is left out: "none".
std::int64_t number_of_none(Collective collective);
bool is_none(std::int64_t number);
/// Whether a parameter of this name says what runs inside a level of the machine.
bool is_level(std::string_view parameter);
/// A level that the choice goes by and that is not among these.
std::optional<Level> absent_level(const Choice& choice, const std::vector<Level>& there);
/// Of what the number stands for, in few words.
std::string text_of_choice(std::int64_t number);

/// Whether the parameter's values are choices.
bool is_choice(const ParameterSpec& spec);
/// A value of such a parameter of the algorithm from text. Throws as above, and where it is of another collective than
/// the whole says of which.
std::int64_t parse_choice_value(const Algorithm& whole, const ParameterSpec& spec, std::string_view text);

/// "hier(node=flat,global=ring),ring" -> its two parts: what is in parentheses is not divided.
std::vector<std::string> split_choices(std::string_view text);
/// The algorithm's name, before its parameters.
std::string_view name_in_choice(std::string_view text);

}  // namespace tutti
