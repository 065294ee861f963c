#pragma once

#include <string>
#include <vector>

#include "selection/simulations.hpp"
#include "tables/table.hpp"

namespace tutti {

/// Where simulated choices of a cell lie within `margin` of its fastest, another engine decides: their times become
/// that engine's. Cells of more than kMostConfirmed messages, or where that engine refuses, are left as they are.
void confirm_close(Simulations& simulations, const std::string& engine, const std::vector<Choice>& candidates,
                   double margin, std::vector<Cell>& cells);

/// How many messages confirm_close() simulates.
double messages_to_confirm(const Simulations& simulations, const std::vector<Choice>& candidates, double margin,
                           const std::vector<Cell>& cells);

/// Of the choices of one cell together: the reference engine is slow, and close choices matter little.
inline constexpr double kMostConfirmed = 4096;

}  // namespace tutti
