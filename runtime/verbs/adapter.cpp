#include "runtime/verbs/adapter.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "runtime/environment.hpp"
#include "runtime/error.hpp"

namespace tutti::verbs {
namespace {

struct DeviceList {
  int count = 0;
  ibv_device** devices = ibv_get_device_list(&count);
  DeviceList() = default;
  DeviceList(const DeviceList&) = delete;
  ~DeviceList() {
    if (devices) ibv_free_device_list(devices);
  }
};

[[noreturn]] void refused(const std::string& name, const char* what, int error) {
  throw TeamError("verbs device " + name + ": " + what + ": " + std::strerror(error));
}

bool is_empty(const ibv_gid& gid) {
  return std::all_of(std::begin(gid.raw), std::end(gid.raw), [](std::uint8_t byte) { return byte == 0; });
}

/// Smaller is better; nothing: of no use.
std::optional<int> rank_of(const ibv_gid_entry& entry) {
  const auto& raw = entry.gid.raw;
  if (is_empty(entry.gid)) return std::nullopt;
  const bool mapped = std::all_of(raw, raw + 10, [](std::uint8_t byte) { return byte == 0; }) && raw[10] == 0xff;
  const bool link_local = raw[0] == 0xfe && (raw[1] & 0xc0) == 0x80;
  return (entry.gid_type == IBV_GID_TYPE_ROCE_V2 ? 0 : 3) + (mapped ? 0 : link_local ? 2 : 1);
}

int choose_gid(ibv_context* context, int port, int table_length, const std::string& name) {
  int best_index = -1, best_rank = 0;
  for (int index = 0; index < table_length; ++index) {
    ibv_gid_entry entry;
    const bool there =
        ibv_query_gid_ex(context, static_cast<std::uint32_t>(port), static_cast<std::uint32_t>(index), &entry, 0) == 0;
    const auto rank = there ? rank_of(entry) : std::nullopt;
    if (rank && (best_index < 0 || *rank < best_rank)) best_index = index, best_rank = *rank;
  }
  if (best_index < 0) throw TeamError("verbs device " + name + ": its port has no GID; is its network interface up?");
  return best_index;
}

std::vector<Adapter> named_adapters(const DeviceList& list, std::string_view names, int gid_index) {
  std::vector<Adapter> adapters;
  while (!names.empty()) {
    const std::string_view item = names.substr(0, names.find(','));
    names.remove_prefix(std::min(item.size() + 1, names.size()));
    const std::string name(item.substr(0, item.find(':')));
    const int port =
        item.size() > name.size() ? whole_number("TUTTI_VERBS_DEVICES' port", item.substr(name.size() + 1), 1, 255) : 1;
    const auto end = list.devices + list.count;
    const auto found = std::find_if(list.devices, end, [&](ibv_device* d) { return name == ibv_get_device_name(d); });
    if (found == end) {
      std::string known;
      for (auto each = list.devices; each != end; ++each) known += std::string(" ") + ibv_get_device_name(*each);
      throw InputError("TUTTI_VERBS_DEVICES: no device '" + name + "'; there are:" + (known.empty() ? " none" : known));
    }
    adapters.emplace_back(*found, port, gid_index);
  }
  return adapters;
}

/// In units of the specification's 2.5 Gb/s lanes; serves only to compare.
int speed_of(const ibv_port_attr& port) {
  const int lanes = port.active_width == 16  ? 2
                    : port.active_width == 2 ? 4
                    : port.active_width == 4 ? 8
                    : port.active_width == 8 ? 12
                                             : 1;
  return lanes * port.active_speed;
}

std::vector<Adapter> all_fastest(const DeviceList& list, int gid_index) {
  struct Found {
    ibv_device* device;
    int port, speed;
  };
  std::vector<Found> found;
  for (int i = 0; i < list.count; ++i) {
    const std::string name = ibv_get_device_name(list.devices[i]);
    const Context context(ibv_open_device(list.devices[i]));
    if (!context) refused(name, "cannot be opened (TUTTI_VERBS_DEVICES names those to use, or none)", errno);
    ibv_device_attr device{};
    if (const int error = ibv_query_device(context.get(), &device)) refused(name, "cannot be asked", error);
    for (int port = 1; port <= device.phys_port_cnt; ++port) {
      ibv_port_attr attributes{};
      if (ibv_query_port(context.get(), static_cast<std::uint8_t>(port), &attributes) == 0 &&
          attributes.state == IBV_PORT_ACTIVE)
        found.push_back({list.devices[i], port, speed_of(attributes)});
    }
  }
  int fastest = 0;
  for (const Found& each : found) fastest = std::max(fastest, each.speed);
  std::vector<Adapter> adapters;
  for (const Found& each : found)
    if (each.speed == fastest) adapters.emplace_back(each.device, each.port, gid_index);
  return adapters;
}

ibv_sge sge_of(const Piece& piece) {
  return {reinterpret_cast<std::uintptr_t>(piece.first), static_cast<std::uint32_t>(piece.bytes), piece.region.lkey};
}

}  // namespace

Adapter::Adapter(ibv_device* device, int port, int gid_index)
    : name_(std::string(ibv_get_device_name(device)) + ":" + std::to_string(port)),
      context_(ibv_open_device(device)),
      port_(port) {
  if (!context_) refused(name_, "cannot be opened", errno);
  domain_.reset(ibv_alloc_pd(context_.get()));
  if (!domain_) refused(name_, "no protection domain", errno);
  if (const int error = ibv_query_device(context_.get(), &limits_)) refused(name_, "cannot be asked", error);
  ibv_port_attr attributes{};
  if (const int error = ibv_query_port(context_.get(), static_cast<std::uint8_t>(port), &attributes))
    refused(name_, "no such port", error);
  if (attributes.state != IBV_PORT_ACTIVE) throw TeamError("verbs device " + name_ + ": its port is not active");
  const bool ethernet = attributes.link_layer == IBV_LINK_LAYER_ETHERNET;
  gid_index_ = gid_index >= 0 ? gid_index
               : ethernet     ? choose_gid(context_.get(), port, attributes.gid_tbl_len, name_)
                              : 0;
  ibv_gid gid;
  if (ibv_query_gid(context_.get(), static_cast<std::uint8_t>(port), gid_index_, &gid) != 0)
    refused(name_, ("no GID at index " + std::to_string(gid_index_)).c_str(), errno);
  if (is_empty(gid)) throw TeamError("verbs device " + name_ + ": no GID at index " + std::to_string(gid_index_));
  std::copy(std::begin(gid.raw), std::end(gid.raw), address_.gid.begin());
  address_.lid = attributes.lid;
  address_.mtu = static_cast<std::uint8_t>(attributes.active_mtu);
  address_.global = ethernet || (attributes.flags & IBV_QPF_GRH_REQUIRED) != 0;
}

ibv_ah_attr Adapter::way_to(const PortAddress& other) const {
  ibv_ah_attr way{};
  way.dlid = other.lid;
  way.port_num = static_cast<std::uint8_t>(port_);
  way.is_global = other.global || address_.global;
  if (way.is_global) {
    std::copy(other.gid.begin(), other.gid.end(), way.grh.dgid.raw);
    way.grh.sgid_index = static_cast<std::uint8_t>(gid_index_);
    way.grh.hop_limit = 64;
  }
  return way;
}

int post_receive(ibv_qp* queue_pair, std::uint64_t number, const Piece& into) {
  ibv_sge piece = sge_of(into);
  ibv_recv_wr work{}, *bad;
  work.wr_id = number;
  work.sg_list = &piece;
  work.num_sge = 1;
  return ibv_post_recv(queue_pair, &work, &bad);
}

int post_datagram(ibv_qp* queue_pair, std::uint64_t number, const Piece& what, const DatagramPeer& to) {
  ibv_sge piece = sge_of(what);
  ibv_send_wr work{}, *bad;
  work.wr_id = number;
  work.sg_list = &piece;
  work.num_sge = 1;
  work.opcode = IBV_WR_SEND;
  work.send_flags = IBV_SEND_SIGNALED;
  work.wr.ud.ah = to.way;
  work.wr.ud.remote_qpn = to.queue_pair;
  work.wr.ud.remote_qkey = to.key;
  return ibv_post_send(queue_pair, &work, &bad);
}

std::vector<Adapter> open_adapters() {
  const int gid_index = from_environment("TUTTI_VERBS_GID_INDEX", -1, 0, 1023);
  const char* names = std::getenv("TUTTI_VERBS_DEVICES");
  if (names && std::string_view(names) == "none") return {};
  const DeviceList list;
  return names ? named_adapters(list, names, gid_index) : all_fastest(list, gid_index);
}

}  // namespace tutti::verbs
