#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "base/error.hpp"
#include "python/bindings.hpp"
#include "tables/table.hpp"

namespace nb = nanobind;

namespace tutti::python {
namespace {

nb::dict row_of(const Rule& rule) {
  nb::dict row;
  row["collective"] = std::string(name_of(rule.place.collective));
  row["nodes"] = rule.place.nodes;
  row["ppn"] = rule.place.ppn;
  row["from_bytes"] = rule.from_bytes;
  row["to_bytes"] = nb::none();
  if (rule.to_bytes != Rule::kUnlimited) row["to_bytes"] = rule.to_bytes;
  row["algorithm"] = rule.algorithm;
  row["predicted_us"] = rule.predicted_seconds * 1e6;
  row["regret"] = nb::cast(rule.regret);
  row["runner_up"] = rule.runner_up;
  row["margin"] = nb::cast(rule.margin);
  row["trust"] = rule.trust;
  return row;
}

nb::list rules(const Table& table) {
  nb::list rows;
  for (const Rule& rule : table.rules) rows.append(row_of(rule));
  return rows;
}

nb::list cells(const Table& table) {
  nb::list rows;
  for (const Cell& cell : table.cells)
    for (const auto& [algorithm, seconds] : cell.seconds) {
      nb::dict row;
      row["collective"] = std::string(name_of(cell.place.collective));
      row["nodes"] = cell.place.nodes;
      row["ppn"] = cell.place.ppn;
      row["bytes"] = cell.bytes;
      row["algorithm"] = algorithm;
      row["time_us"] = seconds * 1e6;
      row["inferred"] = cell.inferred.contains(algorithm);
      rows.append(row);
    }
  return rows;
}

nb::object look_up_row(const Table& table, const std::string& collective, int nodes, int ppn, std::int64_t bytes) {
  const Rule* const rule = look_up(table, {collective_named(collective), nodes, ppn}, bytes);
  return rule ? nb::object(row_of(*rule)) : nb::object(nb::none());
}

}  // namespace

void add_tables(nb::module_& m) {
  nb::class_<Table>(m, "_Table")
      .def_prop_ro("machine", [](const Table& t) { return t.machine; })
      .def_prop_ro("engine", [](const Table& t) { return t.engine; })
      .def_prop_ro("mode", [](const Table& t) { return t.mode; })
      .def_prop_ro("placement", [](const Table& t) { return t.placement; })
      .def_prop_ro("library", [](const Table& t) { return t.library; })
      .def("rules", &rules)
      .def("cells", &cells)
      .def("look_up", &look_up_row, nb::arg("collective"), nb::arg("nodes"), nb::arg("ppn"), nb::arg("bytes"))
      .def("to_json", &to_json_text);
  m.def("read_table", [](const std::string& path) {
    const nb::gil_scoped_release release;
    Table table = read_table(path);
    expect_equal_blocks(table, path, "this module");
    return table;
  });
  m.def(
      "parse_table",
      [](const std::string& text, const std::string& origin) {
        Table table = parse_table(text, origin);
        expect_equal_blocks(table, origin, "this module");
        return table;
      },
      nb::arg("text"), nb::arg("origin"));
}

}  // namespace tutti::python
