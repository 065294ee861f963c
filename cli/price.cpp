#include "cli/price.hpp"

namespace tutti::cli {
namespace {

using Json = nlohmann::ordered_json;

Json choice_json(const std::string& choice) { return choice.empty() ? Json() : Json(choice); }

Json loss_json(const Slowdown& loss) { return {{"cells", loss.cells}, {"times_as_long", loss.times_as_long}}; }

void add_price(Json& json, const Price& price) {
  json["cells"] = price.cells;
  json["timeless"] = price.timeless;
  json["changed"] = price.changed;
  json["inferred"] = price.inferred;
  json["gain"] = price.gains.file;
  json["gain_of_best"] = price.gains.best;
  json["gain_of_sayable"] = price.gains.sayable;
  json["gain_of_one_for_all_layouts"] = price.gains.together;
  Json substituted = loss_json(price.substitution);
  substituted["choices"] = Json::array();
  for (const Substitution& s : price.substituted) {
    Json each{{"best", choice_json(s.best)}, {"instead", choice_json(s.instead)}};
    each.update(loss_json(s.loss));
    substituted["choices"].push_back(std::move(each));
  }
  json["substituted"] = std::move(substituted);
  Json layouts = loss_json(price.sharing);
  layouts["ranks"] = Json::array();
  for (const SharedRules& shared : price.shared) {
    Json each{{"ranks", shared.ranks}, {"layouts", Json::array()}};
    for (const auto& [nodes, ppn] : shared.layouts) each["layouts"].push_back({{"nodes", nodes}, {"ppn", ppn}});
    each.update(loss_json(shared.loss));
    layouts["ranks"].push_back(std::move(each));
  }
  json["merged_layouts"] = std::move(layouts);
  json["merged_sizes"] = loss_json(price.merging);
  json["given_up"] = loss_json(price.giving_up);
  json["own_choice"] = {{"cells", price.own() + price.unknown},         {"nothing_faster", price.own_is_best},
                        {"for_other_layouts", price.own_for_layouts},   {"for_other_sizes", price.own_for_sizes},
                        {"for_what_runs_inside", price.own_for_inside}, {"not_known", price.unknown}};
}

}  // namespace

nlohmann::ordered_json price_json(const Table& table, const PricedFile& priced) {
  Json json{{"machine", table.machine},
            {"library", priced.library},
            {"relative_to", priced.own.empty() ? "the table's best" : "own choices"},
            {"own_choices_of", choice_json(priced.own)}};
  add_price(json, priced.all);
  json["collectives"] = Json::array();
  for (const auto& [collective, price] : priced.collectives) {
    Json each{{"collective", name_of(collective)}};
    add_price(each, price);
    json["collectives"].push_back(std::move(each));
  }
  json["for_all_sizes"] = Json::array();
  for (const Collective collective : priced.for_all_sizes) json["for_all_sizes"].push_back(name_of(collective));
  json["out_of_order"] = Json::array();
  for (const Collective collective : priced.out_of_order) json["out_of_order"].push_back(name_of(collective));
  json["remarks"] = priced.remarks;
  return json;
}

}  // namespace tutti::cli
