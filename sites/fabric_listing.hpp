#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tutti {

/// What ibnetdiscover saw: devices and the cables between them. Units: bytes per second. Plain data.
struct FabricListing {
  enum class Kind { network_switch, adapter, router };
  struct Device {
    Kind kind;
    std::string id;                         ///< "S-2c5eab0300b87b40", "H-…", "0x7cfe9003003b4bde"; unique
    std::string description;                ///< as the device says it; may be empty
    int line;                               ///< where it is first named
    std::vector<std::string> port_guids{};  ///< of an adapter's ports, as guid_of gives them, where the file says them
    bool is_described = false;              ///< by a section or a line of its own, not only as the end of a cable
  };
  struct Cable {
    int device_a, port_a, device_b, port_b;  ///< a before b in the file
    std::string rate;                        ///< as printed: "4xNDR"; empty: not said
    int line;
  };
  std::string file;
  bool has_sections = true;  ///< one for each device; else a line for each port (-p)
  std::vector<Device> devices;
  std::vector<Cable> cables;  ///< each once, though both its ends list it
};

/// Reads the output of ibnetdiscover, as blocks of ports or (-p) a line for each port. Every port leads where the port
/// at the other end leads back to, or that one is not listed. Throws InputError "FILE:LINE: what was expected".
FabricListing read_ibnetdiscover(const std::filesystem::path& file);

/// opensm's node-name-map: lines of 0xGUID "NAME"; # begins a comment. By GUID in lower case without 0x and without
/// leading zeros. Throws InputError.
std::map<std::string, std::string> read_node_names(const std::filesystem::path& file);

/// The GUID in a device's id, as the keys above; empty where it has none.
std::string guid_of(const std::string& id);

}  // namespace tutti
