#include "calibration/residual_file.hpp"

#include <map>

#include "base/error.hpp"
#include "json/document.hpp"
#include "json/text_file.hpp"

namespace tutti {
namespace embedded {
const std::map<std::string, std::string>& residuals_schema();
}  // namespace embedded

nlohmann::json parse_residuals(const std::string& text, const std::string& origin) {
  static const nlohmann::json both = nlohmann::json::parse(embedded::residuals_schema().at("residuals.schema"));
  const Document document(text, origin);
  const bool of_site = document.root().is_object() && document.root().contains("residuals");
  const nlohmann::json& found = of_site ? document.root().at("residuals") : document.root();
  const bool has_classes = found.is_object() && found.contains("classes");
  if (!has_classes && !(found.is_object() && found.contains("figures")))
    document.fail(
        of_site ? "/residuals" : "",
        "expected what tutti calibrate --json says, with classes or figures, or machine --from of measurements");
  nlohmann::json schema = both.at("definitions").at(has_classes ? "points" : "collectives");
  if (of_site) schema = {{"type", "object"}, {"properties", {{"residuals", schema}}}};
  schema["definitions"] = both.at("definitions");
  document.validate(schema);
  return found;
}

nlohmann::json read_residuals(const std::string& path) {
  return parse_residuals(text_of_file(path, "file of residuals"), path);
}

}  // namespace tutti
