#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "selection/export.hpp"
#include "tables/table.hpp"

namespace tutti {

struct Baseline;

/// The time of a choice in the cell, under its own name or that of one that does the same here; end() where there is
/// none.
std::map<std::string, double>::const_iterator find_seconds(const Cell& cell, const Choice& choice);

/// What the library's own choice takes here: what the table says of it, or what it says of the same choice among the
/// candidates (inferred: at least). Nothing where the table has neither.
std::optional<double> own_seconds(const Cell& cell, const Baseline& library);
/// Whether that follows from other simulations.
bool own_is_inferred(const Cell& cell, const Baseline& library);

/// What a tuning file can do in this cell: leave it to the library, or name a choice that the file can say and that is
/// not slower than the library's own. Where the table has no time of its own choice, nothing else is offered, as that
/// might be slower. Where nobody knows a library's own choices (`library` is nullptr), they count as infinitely slow.
/// With `any_operator` (ExportOptions) only what is right for all operators is offered.
Cell offer_for(const Cell& cell, const Exporter& exporter, const Baseline* library, bool any_operator = false);

/// The offers of the layouts that the library cannot tell apart, by size.
using Offers = std::map<std::pair<Collective, SeenLayout>, std::vector<Cell>>;
/// One offer for all the cells that the library cannot tell apart, of the whole table or with so many ranks per node as
/// the options say: what is offered in each of them, with its worst time relative to the best offer of the cell.
Offers offers_for(const Table& table, const Exporter& exporter, const ExportOptions& options);

/// Without what may give way (Exporter::may_give_way).
Offers only_certain(Offers offers, const Exporter& exporter);

/// Keeps what is offered in both, with the worse time.
void intersect(std::map<std::string, double>& offered, const std::map<std::string, double>& here);
/// The choice with the least time; of several, the first by name.
std::map<std::string, double>::const_iterator best_offer(const Cell& offer);

}  // namespace tutti
