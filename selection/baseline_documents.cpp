#include "selection/baseline_documents.hpp"

namespace tutti {
namespace embedded {
const std::map<std::string, std::string>& baseline_texts();
const std::map<std::string, std::string>& baseline_schema();
}  // namespace embedded

namespace {

std::map<std::string, Document> all_documents() {
  std::map<std::string, Document> all;
  for (const auto& [name, text] : embedded::baseline_texts())
    validate_baseline(all.try_emplace(name, text, name + ".json").first->second);
  return all;
}

}  // namespace

void validate_baseline(const Document& document) {
  static const nlohmann::json schema = nlohmann::json::parse(embedded::baseline_schema().at("baseline.schema"));
  document.validate(schema);
}

const std::map<std::string, Document>& baseline_documents() {
  static const std::map<std::string, Document> all = all_documents();
  return all;
}

}  // namespace tutti
