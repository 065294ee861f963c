#pragma once
// A JSON text that knows its line numbers, so that bad input can be pointed at.

#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>

namespace tutti {

/// Immutable after construction. All errors are InputError with one line
/// "ORIGIN:LINE: /json/pointer: what was expected".
class Document {
 public:
  /// `origin` is the file's name in messages. Refuses what is not JSON, keys given twice in one object, and more than
  /// 64 levels of nesting.
  Document(const std::string& text, std::string origin);

  const nlohmann::json& root() const { return root_; }
  const std::string& origin() const { return origin_; }
  /// Of the value at `pointer`; where there is none, of the closest object around it.
  int line_of(const std::string& pointer) const;
  /// Refuses the document, at its most deeply nested fault, unless it matches the schema. Of JSON Schema draft 7 it may
  /// use:
  ///   * properties, items, additionalProperties, and $ref into its own definitions, which messages can follow;
  ///   * no pattern, which the validator would match by std::regex: that recurses with the length of the text.
  void validate(const nlohmann::json& schema) const;
  /// "FILE:LINE: /json/pointer: " and what there is to say of the value at `pointer`.
  std::string message(const std::string& pointer, const std::string& said) const;
  /// Throws that.
  [[noreturn]] void fail(const std::string& pointer, const std::string& expected) const;

 private:
  std::string origin_;
  nlohmann::json root_;
  std::unordered_map<std::string, int> lines_;  ///< by JSON pointer
};

}  // namespace tutti
