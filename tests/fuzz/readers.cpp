#include "calibration/readers.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>

#include "base/error.hpp"
#include "calibration/collective_rows.hpp"
#include "calibration/hwloc_node.hpp"
#include "calibration/residual_file.hpp"
#include "cli/counts.hpp"
#include "cli/neighbors.hpp"
#include "cli/plan_file.hpp"
#include "json/text_file.hpp"
#include "models/machine.hpp"
#include "models/placement.hpp"
#include "mpi/fail.hpp"
#include "mpi/plan.hpp"
#include "selection/baselines.hpp"
#include "selection/export.hpp"
#include "selection/kept_results.hpp"
#include "selection/library.hpp"
#include "selection/part_file.hpp"
#include "selection/sweep_file.hpp"
#include "selection/sweep_state.hpp"
#include "sim/engine.hpp"
#include "sim/noise.hpp"
#include "sites/adapters.hpp"
#include "sites/cabling.hpp"
#include "sites/forwarding_tables.hpp"
#include "sites/host_list.hpp"
#include "sites/pair_matrix.hpp"
#include "sites/slurm_nodes.hpp"
#include "tables/table.hpp"
#include "tests/fuzz/reader.hpp"
#include "topologies/cable_graph.hpp"

// In tutti-mpi-bench it ends the job.
void tutti::mpi::fail(const std::string& why) { throw InputError(why); }

namespace tutti::fuzz {
namespace {

using Path = std::filesystem::path;

std::string text_of(const Path& file) { return read_text_file(file.string()).value(); }
bool is_time(double seconds) { return std::isfinite(seconds) && seconds >= 0; }

void read_measurements(Measurements (*read)(const Path&, const ReadOptions&), const Path& file) {
  for (const Series& series : read(file, {}).series) {
    require(!series.points.empty(), "a curve without points");
    for (const MeasuredPoint& point : series.points)
      require(point.bytes >= 0 && is_time(point.seconds) && point.seconds > 0, "a point that is none");
  }
}

void read_rows(const Path& file) {
  for (const CollectiveRow& row : read_collective_rows(file, "cluster").rows) {
    Choice choice;
    require(is_time(row.seconds) && row.ranks > 0 && row.ppn > 0 && row.bytes >= 0, "a row that is none");
    choice_of(row, choice);
  }
}

void read_machine(const Path& file) {
  const Machine machine = parse_machine(text_of(file), file.string());
  const int last = machine.network->cores() - 1;
  for (const int core : {0, last / 2, last})
    for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{1} << 20, std::int64_t{1} << 56})
      require(is_time(machine.message_seconds(0, core, bytes)), "a message that takes no time");
  for (const auto& transport : machine.transports) {
    if (!transport) continue;
    const auto& segments = transport->segments;
    const auto not_ascending = [](const Segment& a, const Segment& b) { return a.up_to_bytes >= b.up_to_bytes; };
    require(std::adjacent_find(segments.begin(), segments.end(), not_ascending) == segments.end(),
            "segments in disorder");
    require(segments.back().up_to_bytes == std::numeric_limits<std::int64_t>::max(), "messages without a segment");
  }
  require(!machine_figures(text_of(file), file.string()).empty(), "no figures");
}

void read_cables(const Path& file) {
  const CableList list = parse_cables(text_of(file), file.string(), {1e9, 1e-6});
  require(!list.switch_of.empty(), "no nodes");
  for (const CableList::Entry& entry : list.entries)
    require(entry.cables >= 1 && entry.cable.bandwidth_bytes_per_second >= 1e3 && is_time(entry.cable.latency_seconds),
            "a cable that is none");
}

/// What a site says of its cables is a cable list, and that a graph, where it is taken at all.
void make_graph(Cabling cabling, const Path& file) {
  for (Cabling::Host& host : cabling.hosts)
    for (Cabling::Port& port : host.ports)
      if (port.bytes_per_second == 0) port.bytes_per_second = 1e9;
  for (Cabling::Cable& cable : cabling.cables)
    if (cable.bytes_per_second == 0) cable.bytes_per_second = 1e9;
  keep_connected(cabling, file.string(), false);
  std::vector<std::string> nodes;
  const std::string text = cable_text(cabling, common_ports(cabling), 1e-7, nodes);
  const CableList list = parse_cables(text, "written from " + file.string(), {1e9, 1e-6});
  require(list.switch_of.size() == nodes.size() && nodes.size() == cabling.hosts.size(), "a host that is no node");
  require(CableGraph(list).nodes() > 0, "a graph without nodes");
}

void read_fabric(const Path& file) { make_graph(cabling_of({read_ibnetdiscover(file)}, {}), file); }

void read_tree(const Path& file) {
  const SwitchTree tree = read_slurm_topology(file);
  make_graph(cabling_of(tree, std::vector<double>(tree.switches.size(), 1e9), {1e9}), file);
}

void read_nodes(const Path& file) {
  for (const SlurmNode& node : read_slurm_nodes(file))
    require(!node.name.empty() && node.sockets >= 0 && node.cores_per_socket >= 0 && node.memory_bytes >= 0,
            "a node that is none");
}

void read_host_list(const Path& file) {
  const std::vector<std::string> hosts = read_hosts(file);
  require(!hosts.empty() && !compact_hosts(hosts).empty(), "no hosts");
}

void read_matrix(const Path& file) {
  const PairMatrix matrix = read_pair_matrix(file);
  require(matrix.values.size() == matrix.hosts.size() && matrix.hosts.size() > 1, "no square");
  for (const auto& row : matrix.values)
    for (const double value : row) require(std::isfinite(value) && value >= 0, "a value that is none");
}

void read_ports(std::vector<AdapterPort> (*read)(const Path&), const Path& file) {
  for (const AdapterPort& port : read(file)) require(is_time(port.bytes_per_second), "a port that is none");
}

void read_placement_file(const Path& file) {
  static const Machine machine = load_machine("example-cluster");
  for (const int core : read_placement(file.string(), *machine.network))
    require(core >= 0 && core < machine.network->cores(), "a core that there is not");
}

void read_hwloc(const Path& file) {
  const NodeParts node = read_hwloc_node(file);
  require(node.sockets > 0 && node.domains_per_socket > 0 && node.caches_per_domain > 0 && node.cores_per_cache > 0,
          "a node without cores");
  for (const int domain : node.nic_domains)
    require(domain >= 0 && domain < node.sockets * node.domains_per_socket, "an adapter nowhere");
}

void read_selection_table(const Path& file) {
  const Table table = read_table(file.string());
  for (const Rule& rule : table.rules) require(rule.from_bytes <= rule.to_bytes, "a rule for no size");
  const std::string text = to_json_text(table);
  require(to_json_text(parse_table(text, "again")) == text, "a table that is read otherwise when it is written again");
}

void read_baseline(const Path& file) {
  parse_baseline(text_of(file), file.string());
  parse_library(text_of(file), file.string());
}

void read_edges(const Path& file) {
  constexpr int kRanks = 8;
  const auto neighborhood = cli::read_neighbors(file.string(), kRanks);
  require(neighborhood->ranks() == kRanks, "other ranks");
  for (Rank rank = 0; rank < kRanks; ++rank)
    for (const Neighbor& target : neighborhood->targets(rank)) {
      require(target.rank >= 0 && target.rank < kRanks, "a neighbour that is no rank");
      const Neighbor& back = neighborhood->sources(target.rank)[static_cast<std::size_t>(target.slot)];
      require(back.rank == rank, "a block that comes from another rank");
    }
}

void read_block_counts(bool of_pairs, const Path& file) {
  const auto counts = cli::read_counts(file.string(), 3, of_pairs);
  require(counts->ranks() == 3 && counts->of_pairs() == of_pairs && counts->total() >= 0, "counts of others");
  for (Rank from = 0; of_pairs && from < 3; ++from)
    for (Rank to = 0; to < 3; ++to) require(counts->from_to(from, to) >= 0, "a count that is none");
}

void read_neighbor_counts(const Path& file) {
  const Neighborhood neighborhood(3, {{0, 1}, {2, 2}, {0, 2}, {2, 0}});
  const auto counts = cli::read_counts_among(file.string(), neighborhood, true);
  require(counts->of_neighbors() && counts->total() >= 0, "counts of others");
  for (const Rank rank : {0, 2})
    for (int slot = 0; slot < 2; ++slot) require(counts->exchange(rank).sent.count(slot) >= 0, "a count that is none");
}

void read_bench_plan(const Path& file) {
  for (const cli::PlannedCell& cell : cli::read_plan(file.string(), 4))
    require(cell.bytes >= 0 && !cell.arms.empty(), "a cell that is none");
}

void read_mpi_plan(const Path& file) {
  for (const mpi::PlannedCell& cell : mpi::read_plan(file.string(), 64))
    require(cell.bytes >= 0 && cell.ranks >= 1 && !cell.arms.empty(), "a cell that is none");
}

const std::vector<Simulated>& kept_times() {
  static const std::vector<Simulated> times = [] {
    std::vector<Simulated> all;
    for (const Collective collective : {Collective::allreduce, Collective::bcast})
      for (int nodes = 2; nodes < 9; ++nodes)
        for (std::int64_t bytes = 8; bytes < 100'000; bytes *= 8)
          all.push_back({"fast",
                         {collective, nodes, 1},
                         bytes,
                         "ring",
                         1e-7 * nodes * static_cast<double>(bytes),
                         bytes % 3 == 0});
    return all;
  }();
  return times;
}

void remove_state(const Path& folder, const char* file = "sweep.sqlite") {
  for (const char* end : {"", "-wal", "-shm", "-journal"}) std::filesystem::remove(folder / (std::string(file) + end));
}

std::vector<std::string> make_state(const Path& folder) {
  remove_state(folder);
  SweepState(folder.string(), "identity").put(kept_times());
  return {text_of(folder / "sweep.sqlite")};
}

void read_state(const Path& file) {
  const auto answers = [](const Simulated& time) {
    for (const Simulated& kept : kept_times())
      if (kept.engine == time.engine && kept.place == time.place && kept.bytes == time.bytes &&
          kept.choice == time.choice && kept.seconds == time.seconds && kept.exceeded == time.exceeded)
        return true;
    return false;
  };
  for (const char* end : {"-wal", "-shm", "-journal"}) std::filesystem::remove(file.string() + end);
  SweepState state(file.parent_path().string(), "identity");
  for (const Simulated& time : state.all()) require(answers(time), "a time that was never put");
  state.put(kept_times());
  for (const Simulated& time : state.all()) require(answers(time), "a time that was never put, after the others");
}

Result kept_result(int i) {
  Result result;
  result.makespan_seconds = i % 5 ? 1e-6 * i : std::numeric_limits<double>::infinity();
  result.seconds_per_rank.assign(static_cast<std::size_t>(i), 0.1 * i);
  result.bytes_per_level["nic-out"] = 3.0 * i;
  result.trace.push_back({TraceEvent::Kind::copy,
                          i,
                          i,
                          7,
                          0,
                          1e-7,
                          2e-7,
                          TraceEvent::kNone,
                          TraceEvent::kNone,
                          -1,
                          {{Spent::On::link, i, 1e-7}}});
  result.critical_path = {0};
  result.path_parts.push_back({0, {Spent::On::gap, i, 2e-7}, 1e-7});
  return result;
}

std::vector<std::string> make_results(const Path& folder) {
  remove_state(folder, "results.sqlite");
  {
    KeptResults results(folder.string(), "identity");
    for (int i = 0; i < 40; ++i) results.keep("key " + std::to_string(i), kept_result(i));
  }
  return {text_of(folder / "results.sqlite")};
}

void read_results(const Path& file) {
  for (const char* end : {"-wal", "-shm", "-journal"}) std::filesystem::remove(file.string() + end);
  KeptResults results(file.parent_path().string(), "identity");
  for (int i = 0; i < 40; ++i) {
    const std::string key = "key " + std::to_string(i);
    const std::optional<Result> found = results.find(key);
    require(!found || bytes_of(*found) == bytes_of(kept_result(i)), "a result that was never kept");
    if (!found) results.keep(key, kept_result(i));
  }
  results.texts().flush();
}

/// A part of a sweep.
void read_part(const Path& file) {
  const PartFile part = parse_part(text_of(file), file.string());
  require(to_text(part) == text_of(file), "a part that is not what was written");
}

void read_sweep(const Path& file) {
  const SweepFile sweep = parse_sweep(text_of(file), file.string());
  require(!sweep.request.nodes.empty() && !sweep.request.ppn.empty(), "a sweep of nothing");
  for (const int nodes : sweep.request.nodes) require(nodes >= 1, "a number of nodes that is none");
}

/// A library's tuning file: what is wrong with it; then some calls are asked about.
void read_tuning_file(const Exporter& exporter, const Path& file) {
  for (const LintFinding& finding : lint(exporter, text_of(file), file.string()))
    require(finding.line >= 1 && !finding.what.empty() && !finding.matters.empty() && !finding.fix.empty(),
            "a finding that says nothing: " + finding.kind + " " + finding.what);
  const auto rules = exporter.read(text_of(file), file.string());
  for (int i = 0; i < kCollectives; ++i)
    for (const int ranks : {1, 2, 4, 9})
      for (const Count count : {0, 1, 9000}) {
        Case c{static_cast<Collective>(i), ranks, count, default_element_bytes(static_cast<Collective>(i))};
        if (const auto choice = rules->choice(c, evenly(ranks == 4 ? 2 : 1, ranks)))
          require(parse_choice(c.collective, choice->text()) == *choice, "a choice that is none: " + choice->text());
      }
}

std::vector<Reader> all_readers() {
  std::vector<Reader> all{
      {"osu", "osu.txt", true, [](const Path& file) { read_measurements(read_osu, file); }},
      {"imb", "imb.txt", true, [](const Path& file) { read_measurements(read_imb, file); }},
      {"csv", "p2p.csv", true, [](const Path& file) { read_measurements(read_csv, file); }},
      {"collectives", "collectives.csv", true, read_rows},
      {"machine", "machine.json", true, read_machine},
      {"cables", "cables.csv", true, read_cables},
      {"ibnetdiscover", "fabric.txt", true, read_fabric},
      {"forwarding_tables", "lfts.txt", true,
       [](const Path& file) { require(!read_forwarding_tables(file).tables.empty(), "no tables"); }},
      {"node_names", "names.map", true, [](const Path& file) { require(!read_node_names(file).empty(), "no names"); }},
      {"slurm_topology", "topology", true, read_tree},
      {"slurm_nodes", "nodes.txt", true, read_nodes},
      {"hosts", "hosts.txt", true, read_host_list},
      {"matrix", "pairs.txt", true, read_matrix},
      {"ibstat", "ibstat.txt", true, [](const Path& file) { read_ports(read_ibstat, file); }},
      {"ethtool", "ethtool.txt", true, [](const Path& file) { read_ports(read_ethtool, file); }},
      {"placement", "placement.csv", true, read_placement_file},
      {"detours", "detours.csv", true,
       [](const Path& file) {
         require(is_time(parse_noise("file=" + file.string()).share()), "no share of the time");
       }},
      {"lateness", "late.csv", true,
       [](const Path& file) {
         const Mode mode = parse_mode("skew:file=" + file.string());
         for (const double seconds : *mode.measured_seconds) require(is_time(seconds), "a time that is none");
       }},
      {"hwloc", "node.xml", true, read_hwloc},
      {"table", "table.json", true, read_selection_table},
      {"baseline", "baseline.json", true, read_baseline},
      {"residuals", "residuals.json", true, [](const Path& file) { read_residuals(file.string()); }},
      {"edges", "edges.txt", true, read_edges},
      {"counts", "counts.txt", true, [](const Path& file) { read_block_counts(false, file); }},
      {"pair_counts", "counts.txt", true, [](const Path& file) { read_block_counts(true, file); }},
      {"neighbor_counts", "counts.txt", true, read_neighbor_counts},
      {"bench_plan", "bench.plan", true, read_bench_plan},
      {"mpi_plan", "mpi.plan", true, read_mpi_plan},
      {"part", "a.part", true, read_part},
      {"sweep", "sweep.json", true, read_sweep},
      {"state", "sweep.sqlite", false, read_state, make_state},
      {"results", "results.sqlite", false, read_results, make_results},
  };
  for (const Exporter* exporter : exporters())
    all.push_back(
        {exporter->name(), "tuning.file", true, [exporter](const Path& file) { read_tuning_file(*exporter, file); }});
  return all;
}

}  // namespace

const std::vector<Reader>& readers() {
  static const std::vector<Reader> all = all_readers();
  return all;
}

}  // namespace tutti::fuzz
