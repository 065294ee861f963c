#include "topologies/node_routes.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <limits>
#include <map>
#include <stdexcept>

#include "base/error.hpp"

namespace tutti {
namespace {

using Level = LinkLevel::Kind;

// Ways are compared by latency, then by number of links.
struct Length {
  double latency_seconds = 0;
  int links = 0;
  auto operator<=>(const Length&) const = default;
};
Length operator+(const Length& a, const Length& b) {
  return {a.latency_seconds + b.latency_seconds, a.links + b.links};
}

struct Edge {
  LinkId link;
  Length length;
};
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, Edge>;

// The links on the shortest ways from one vertex to each of `targets`.
std::vector<std::vector<LinkId>> shortest(const Graph& graph, std::size_t source, LinkId no_link,
                                          const std::vector<std::size_t>& targets) {
  constexpr Length unreached{std::numeric_limits<double>::infinity(), std::numeric_limits<int>::max()};
  std::vector<std::size_t> before(num_vertices(graph));
  std::vector<Length> length(num_vertices(graph));
  boost::dijkstra_shortest_paths(graph, source,
                                 boost::predecessor_map(before.data())
                                     .distance_map(length.data())
                                     .weight_map(get(&Edge::length, graph))
                                     .distance_inf(unreached)
                                     .distance_zero(Length{})
                                     .distance_compare(std::less<Length>())
                                     .distance_combine(std::plus<Length>()));
  std::vector<std::vector<LinkId>> routes;
  for (const std::size_t target : targets) {
    std::vector<LinkId>& route = routes.emplace_back();
    for (std::size_t at = target; at != source; at = before[at]) {
      if (before[at] == at) throw std::logic_error("node: two of its parts are not connected");
      const LinkId link = graph[edge(before[at], at, graph).first].link;
      if (link != no_link) route.push_back(link);
    }
    std::reverse(route.begin(), route.end());
  }
  return routes;
}

// Each has links with names: of a node of 2^24 cores they would take 10 GB.
constexpr std::int64_t kMostCores = 1 << 18;
// Each pair of them has a route, found when the machine is read: 256 sockets take a second.
constexpr std::int64_t kMostDomains = 256;

}  // namespace

NodeRoutes::NodeRoutes(const NodeShape& shape)
    : cores_per_cache_(shape.cores_per_cache), domains_per_socket_(shape.domains_per_socket) {
  check_count(shape.sockets, 1, "node: sockets");
  check_count(shape.domains_per_socket, 1, "node: domains per socket");
  check_count(shape.caches_per_domain, 1, "node: caches per domain");
  check_count(shape.cores_per_cache, 1, "node: cores per cache");
  const std::int64_t cores_per_domain = std::int64_t{shape.caches_per_domain} * shape.cores_per_cache;
  const std::int64_t domains = std::int64_t{shape.sockets} * shape.domains_per_socket;
  check_count(cores_per_domain, 1, "node: cores per domain");
  check_count(domains, 1, "node: domains");
  check_count(domains * cores_per_domain, 1, "node: cores");
  if (domains * cores_per_domain > kMostCores)
    throw InputError("node: expected at most " + std::to_string(kMostCores) + " cores, got " +
                     std::to_string(domains * cores_per_domain));
  if (domains > kMostDomains)
    throw InputError("node: expected at most " + std::to_string(kMostDomains) + " NUMA domains, got " +
                     std::to_string(domains));
  cores_per_domain_ = static_cast<int>(cores_per_domain);
  domains_ = static_cast<int>(domains);
  cores_ = domains_ * cores_per_domain_;

  has_core_links_ = shape.core.has_value();
  if (has_core_links_)
    for (int core = 0; core < cores_; ++core) {
      add_link(shape.core, "core/" + std::to_string(core) + "/out", Level::core_out);
      add_link(shape.core, "core/" + std::to_string(core) + "/in", Level::core_in);
    }
  if (shape.cache)
    for (int cache = 0; cache < domains_ * shape.caches_per_domain; ++cache)
      cache_.push_back(add_link(shape.cache, "cache/" + std::to_string(cache), Level::cache));
  connect(shape);

  const int nics = static_cast<int>(shape.nics.size());
  for (int core = 0; nics > 0 && core < cores_; ++core)
    nic_of_core_.push_back(shape.nic_policy == NicPolicy::in_turn ? core % nics : nearest_nic(core, shape));
  if (shape.injection_bytes_per_second)
    for (int core = 0; core < cores_; ++core)
      injection_.push_back(add_link(Channel{*shape.injection_bytes_per_second, 0},
                                    "core/" + std::to_string(core) + "/injection", Level::injection));
}

int NodeRoutes::nearest_nic(int core, const NodeShape& shape) const {
  const int nics = static_cast<int>(shape.nics.size()), domain = domain_of(core);
  const auto remoteness = [&](int nic) {
    const int at = shape.nics[nic].domain;
    Length sum;
    for (const LinkId link : outward_[domain * nics + nic]) sum = sum + Length{links_[link].latency_seconds, 1};
    return std::pair((at != domain) + (at / domains_per_socket_ != domain / domains_per_socket_), sum);
  };
  std::vector<int> nearest{0};
  for (int nic = 1; nic < nics; ++nic) {
    if (remoteness(nic) < remoteness(nearest.front())) nearest.clear();
    if (nearest.empty() || remoteness(nic) == remoteness(nearest.front())) nearest.push_back(nic);
  }
  return nearest[core % cores_per_domain_ % nearest.size()];
}

LinkId NodeRoutes::add_link(const std::optional<Channel>& channel, const std::string& name, LinkLevel level) {
  if (!channel) return none;
  check_channel(*channel, "node: " + level.label());
  links_.push_back({channel->bandwidth_bytes_per_second, channel->latency_seconds, level, channel->shared});
  names_.push_back(name);
  return static_cast<LinkId>(links_.size() - 1);
}

// A domain is four vertices: traffic of its cores enters and leaves its memory channel, other traffic passes beside.
void NodeRoutes::connect(const NodeShape& shape) {
  Graph graph;
  const auto join = [&](std::size_t from, std::size_t to, LinkId link) {
    const Length length = link == none ? Length{} : Length{links_[link].latency_seconds, 1};
    add_edge(from, to, Edge{link, length}, graph);
  };
  std::vector<std::size_t> hub, memory_in, memory_out, domain_out, domain_in, nic_out, nic_in;
  for (int socket = 0; socket < shape.sockets; ++socket) hub.push_back(add_vertex(graph));
  for (int domain = 0; domain < domains_; ++domain) {
    const std::string name = "/" + std::to_string(domain);
    for (auto* vertices : {&memory_in, &memory_out, &domain_out, &domain_in}) vertices->push_back(add_vertex(graph));
    join(memory_in[domain], memory_out[domain], add_link(shape.memory, "memory" + name, Level::memory));
    join(memory_out[domain], domain_out[domain], none);
    join(domain_in[domain], memory_in[domain], none);
    const std::size_t socket = hub[domain / domains_per_socket_];
    join(domain_out[domain], socket, add_link(shape.domain_link, "domain" + name + "/out", Level::domain_out));
    join(socket, domain_in[domain], add_link(shape.domain_link, "domain" + name + "/in", Level::domain_in));
  }
  for (int from = 0; from < shape.sockets; ++from)
    for (int to = 0; to < shape.sockets; ++to)
      if (from != to)
        join(hub[from], hub[to],
             add_link(shape.socket_link, "socket/" + std::to_string(from) + "/" + std::to_string(to), Level::socket));
  for (std::size_t nic = 0; nic < shape.nics.size(); ++nic) {
    const Nic& given = shape.nics[nic];
    const std::string name = "nic/" + std::to_string(nic);
    if (given.domain < 0 || given.domain >= domains_)
      throw InputError(name + ": expected a domain of 0 to " + std::to_string(domains_ - 1) + ", got " +
                       std::to_string(given.domain));
    LinkId both = none;
    if (given.both_directions_bytes_per_second)
      both = add_link(Channel{*given.both_directions_bytes_per_second, 0}, name + "/both", Level::nic_both);
    const std::size_t out = add_vertex(graph), cable_out = add_vertex(graph);
    const std::size_t in = add_vertex(graph), cable_in = add_vertex(graph);
    nic_out.push_back(add_vertex(graph)), nic_in.push_back(add_vertex(graph));
    join(memory_out[given.domain], out, none);
    join(domain_in[given.domain], out, none);
    join(out, cable_out, both);
    join(cable_out, nic_out[nic], add_link(given.cable, name + "/out", Level::nic_out));
    join(nic_in[nic], cable_in, add_link(given.cable, name + "/in", Level::nic_in));
    join(cable_in, in, both);
    join(in, memory_in[given.domain], none);
    join(in, domain_out[given.domain], none);
  }
  for (int domain = 0; domain < domains_; ++domain) {
    for (auto& route : shortest(graph, memory_in[domain], none, memory_out)) between_.push_back(std::move(route));
    for (auto& route : shortest(graph, memory_in[domain], none, nic_out)) outward_.push_back(std::move(route));
  }
  for (const std::size_t nic : nic_in)
    for (auto& route : shortest(graph, nic, none, memory_out)) inward_.push_back(std::move(route));
}

Distance NodeRoutes::distance(int a, int b) const {
  if (a == b) return Distance::self;
  if (a / cores_per_cache_ == b / cores_per_cache_) return Distance::cache;
  if (domain_of(a) == domain_of(b)) return Distance::numa;
  if (domain_of(a) / domains_per_socket_ == domain_of(b) / domains_per_socket_) return Distance::socket;
  return Distance::node;
}

void NodeRoutes::within(int from, int to, LinkId first, std::vector<LinkId>& into) const {
  if (has_core_links_) into.push_back(first + static_cast<LinkId>(2 * from));
  const int cache = from / cores_per_cache_;
  if (!cache_.empty() && cache == to / cores_per_cache_)
    into.push_back(first + cache_[cache]);
  else
    for (const LinkId link : between_[domain_of(from) * domains_ + domain_of(to)]) into.push_back(first + link);
  if (has_core_links_) into.push_back(first + static_cast<LinkId>(2 * to + 1));
}

void NodeRoutes::out(int core, LinkId first, std::vector<LinkId>& into) const {
  const std::size_t nics = outward_.size() / domains_;
  if (!injection_.empty()) into.push_back(first + injection_[core]);
  for (const LinkId link : outward_[domain_of(core) * nics + nic_of_core_[core]]) into.push_back(first + link);
}

void NodeRoutes::in(int core, LinkId first, std::vector<LinkId>& into) const {
  for (const LinkId link : inward_[nic_of_core_[core] * domains_ + domain_of(core)]) into.push_back(first + link);
  if (!injection_.empty()) into.push_back(first + injection_[core]);
}

}  // namespace tutti
