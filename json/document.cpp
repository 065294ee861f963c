#include "json/document.hpp"

#include <algorithm>
#include <utility>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "base/error.hpp"
#include "base/near_spelling.hpp"
#include "json/lines.hpp"

namespace tutti {
namespace {

using nlohmann::json;

// The schema of a value, found along its path; null where the schema does not say.
json schema_at(const json& schema, const std::vector<std::string>& path) {
  json at = schema;
  const auto resolve = [&] {
    while (at.contains("$ref")) at = schema.at(json::json_pointer(at["$ref"].get<std::string>().substr(1)));
  };
  resolve();
  for (const std::string& token : path) {
    if (at.contains("properties") && at["properties"].contains(token))
      at = json(at["properties"][token]);
    else if (at.contains("items"))
      at = json(at["items"]);
    else if (at.contains("additionalProperties") && at["additionalProperties"].is_object())
      at = json(at["additionalProperties"]);
    else
      return nullptr;
    resolve();
  }
  return at;
}

// A fault in words: what the schema says about the value, else what the validator found.
std::string expected(const json& schema, const std::string& found) {
  std::string text = found;
  while (!text.empty() && text.back() == '.') text.pop_back();
  if (text.starts_with("Missing required")) return text + ", expected in this object";
  if (!schema.is_object()) return "expected otherwise: " + text;
  if (schema.contains("enum")) return "expected one of " + schema["enum"].dump();
  const std::string type = schema.contains("type") && schema["type"].is_string() ? schema["type"] : "";
  if (type == "number" || type == "integer") {
    text = "expected " + type;
    if (schema.contains("minimum")) text += " of at least " + schema["minimum"].dump();
    if (schema.contains("exclusiveMinimum")) text += " above " + schema["exclusiveMinimum"].dump();
    if (schema.contains("maximum")) text += " and at most " + schema["maximum"].dump();
  } else if (text.find("'type'") != std::string::npos && schema.contains("type")) {
    text = "expected " + (type.empty() ? schema["type"].dump() : type);
  }
  if (!text.starts_with("expected")) text = "expected otherwise: " + text;
  if (schema.contains("description")) text += " (" + schema["description"].get<std::string>() + ")";
  return text;
}

/// Of a word that the schema does not list.
std::string near_in_enum(const json& schema, const json& value) {
  if (!schema.is_object() || !schema.contains("enum") || !value.is_string()) return "";
  std::vector<std::string> words;
  for (const json& word : schema["enum"])
    if (word.is_string()) words.push_back(word);
  return did_you_mean(value.get<std::string>(), words);
}

}  // namespace

Document::Document(const std::string& text, std::string origin)
    : origin_(std::move(origin)), lines_(json_lines(text, origin_)) {
  root_ = json::parse(text);
}

void Document::validate(const json& schema) const {
  valijson::Schema parsed;
  valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(schema), parsed);
  valijson::ValidationResults results;
  valijson::Validator validator;
  if (validator.validate(parsed, valijson::adapters::NlohmannJsonAdapter(root_), &results)) return;

  // A fault in a member is reported again for each object around it; the deepest says most.
  valijson::ValidationResults::Error worst, next;
  results.popError(worst);
  while (results.popError(next))
    if (next.context.size() > worst.context.size()) worst = next;
  std::vector<std::string> path;
  json::json_pointer pointer;
  for (std::size_t i = 1; i < worst.context.size(); ++i) {
    path.push_back(worst.context[i].substr(1, worst.context[i].size() - 2));
    if (root_.at(pointer).is_array())
      pointer /= std::stoul(path.back());
    else
      pointer /= path.back();
  }
  const json rule = schema_at(schema, path);
  const json& value = root_.at(pointer);
  if (value.is_object() && rule.is_object() && rule.contains("properties"))
    for (const auto& member : value.items())
      if (!rule["properties"].contains(member.key())) {
        std::string known;
        std::vector<std::string> names;
        for (const auto& property : rule["properties"].items()) {
          known += (known.empty() ? "" : ", ") + property.key();
          names.push_back(property.key());
        }
        fail((pointer / member.key()).to_string(),
             "unknown key, expected one of " + known + did_you_mean(member.key(), names));
      }
  fail(pointer.to_string(), expected(rule, worst.description) + near_in_enum(rule, value));
}

int Document::line_of(const std::string& pointer) const {
  std::string at = pointer;  // what is missing is where it should be
  while (!lines_.contains(at)) at.resize(at.rfind('/'));
  return lines_.at(at);
}

std::string Document::message(const std::string& pointer, const std::string& said) const {
  std::string text = (pointer.empty() ? "" : pointer + ": ") + said;
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, '?');  // of keys: a message is a line
  return origin_ + ":" + std::to_string(line_of(pointer)) + ": " + text;
}

void Document::fail(const std::string& pointer, const std::string& expected) const {
  throw InputError(message(pointer, expected));
}

}  // namespace tutti
