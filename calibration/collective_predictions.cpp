#include "calibration/collective_predictions.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "base/csv_field.hpp"
#include "calibration/collective_rows.hpp"
#include "models/machine.hpp"

namespace tutti {

CollectivePredictions predict_collectives(const std::string& machine_name, const std::filesystem::path& file,
                                          const std::string& engine, int threads, int most_ranks,
                                          const WatchedWork& watched) {
  const Machine machine = load_machine(machine_name);
  std::vector<CollectiveRow> rows = read_collective_rows(file, machine.name).rows;
  std::erase_if(rows, [&](const CollectiveRow& row) { return row.ranks > most_ranks; });
  const CollectiveTimes times(machine, rows, file.string());
  const std::vector<double> seconds = times.predict(machine, *make_engine(engine), threads, watched);
  const nlohmann::json source = nlohmann::json::parse(machine_source(machine_name));
  std::optional<RowSelection> fitted;
  if (source.contains("calibration")) fitted.emplace(source["calibration"]["selection"].get<std::string>());
  std::string csv = "system,collective,algorithm,ranks,ppn,bytes,implementation,measured_us,time_us,fitted\n";
  std::size_t refused = 0;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const CollectiveRow& row = times.rows()[i];
    if (seconds[i] == 0)
      ++refused;
    else
      csv += fmt::format("{},{},{},{},{},{},{},{:.3f},{:.3f},{}\n", row.system, name_of(row.collective),
                         csv_field(row.algorithm), row.ranks, row.ppn, row.bytes, row.implementation, row.seconds * 1e6,
                         seconds[i] * 1e6, fitted && fitted->holds(row) ? 1 : 0);
  }
  return {csv, rows.size(), times.left_out(), times.beside_a_job(), refused};
}

}  // namespace tutti
