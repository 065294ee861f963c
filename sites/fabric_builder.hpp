#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "calibration/input_text.hpp"
#include "sites/fabric_listing.hpp"

namespace tutti {

/// Puts a listing together from its ports, in any order.
class FabricBuilder {
 public:
  FabricBuilder(const InputText& text, bool has_sections) : text_(text) {
    listing_.file = text.file();
    listing_.has_sections = has_sections;
  }

  /// The device of that id; `description` counts where it has none yet. Throws where it is of another kind.
  int device(FabricListing::Kind kind, const std::string& id, const std::string& description, int line);
  /// The same where the file describes it here.
  int described(FabricListing::Kind kind, const std::string& id, const std::string& description, int line);
  /// A port and what it leads to. Throws where the port leads elsewhere by another line.
  void port(int device, int port, int other, int other_port, const std::string& rate, int line);
  void port_guid(int device, const std::string& guid) { listing_.devices[device].port_guids.push_back(guid); }
  /// Throws where there is no cable at all.
  FabricListing done() &&;

 private:
  using End = std::pair<int, int>;  // device, port

  const InputText& text_;
  FabricListing listing_;
  std::map<std::string, int> by_id_;
  std::map<End, std::size_t> cable_at_;
};

/// The text between the first and the last of these signs; nothing where there are not two.
std::optional<std::string_view> between(std::string_view text, char sign);

/// A port's number, 0 to 254. Throws InputError.
int parse_port(const InputText& text, int line, std::string_view cell);

}  // namespace tutti
