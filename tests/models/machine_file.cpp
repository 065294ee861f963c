// Machine files that are refused, and the fabrics that they can describe.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "models/machine.hpp"

namespace tutti {
namespace {

using nlohmann::json;

std::string machine_refusal(const std::string& text) {
  try {
    parse_machine(text, "m.json");
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  return "accepted";
}

// The example with one value replaced, or taken out where `value` is not given.
std::string refusal_with(const std::string& pointer, std::optional<json> value) {
  json root = json::parse(machine_text("example-cluster"));
  const json::json_pointer at(pointer);
  if (value)
    root[at] = *value;
  else if (root[at.parent_pointer()].is_array())
    root[at.parent_pointer()].erase(std::stoul(at.back()));
  else
    root[at.parent_pointer()].erase(at.back());
  return machine_refusal(root.dump(1));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(MachineFile, FaultsAreNamedByLinePointerAndExpectation) {
  const std::string text = machine_text("example-cluster");
  const auto line_of = [&](const std::string& part) {
    return std::to_string(std::count(text.begin(), text.begin() + static_cast<long>(text.find(part)), '\n') + 1);
  };
  EXPECT_EQ(machine_refusal(replaced(text, "\"sockets\": 2", "\"sockets\": \"two\"")),
            "m.json:" + line_of("\"sockets\"") +
                ": /node/sockets: expected integer of at least 1 and at most 16777216 (sockets)");
  EXPECT_EQ(
      machine_refusal(replaced(text, "\"gap_seconds\": 80e-9", "\"gap_seconds\": -80e-9")).substr(0, 60),
      ("m.json:" + line_of("\"gap_seconds\": 80e-9") + ": /transport/node/gap_seconds: expected number of at least 0 (")
          .substr(0, 60));
  EXPECT_TRUE(machine_refusal(replaced(text, "\"latency_seconds\": 140e-9", "\"latencyseconds\": 140e-9"))
                  .starts_with("m.json:" + line_of("\"latency_seconds\": 140e-9") +
                               ": /transport/node/segments/0/latencyseconds: unknown key, expected one of"));
}

TEST(MachineFile, LargerJobsNeedARankCountAndWhatDiffers) {
  const json network = json::parse(machine_text("example-cluster"))["transport"]["network"];
  const auto larger = [&](json value) { return refusal_with("/larger_jobs", std::move(value)); };
  EXPECT_EQ(larger({{"more_ranks_than", 9}, {"transport", {{"network", network}}}, {"source", "here"}}), "accepted");
  EXPECT_NE(larger({{"transport", {{"network", network}}}, {"source", "here"}}).find("more_ranks_than"),
            std::string::npos);
  EXPECT_NE(larger({{"more_ranks_than", 9}, {"transport", json::object()}, {"source", "here"}}), "accepted");
  EXPECT_EQ(larger({{"more_ranks_than", 9},
                    {"transport", {{"network", {{"gap_seconds", 1e-6}, {"source", "there"}}}}},
                    {"source", "here"}}),
            "accepted");
  EXPECT_NE(larger({{"more_ranks_than", 9},
                    {"transport", {{"socket", {{"gap_seconds", 1e-6}, {"source", "there"}}}}},
                    {"source", "here"}})
                .find("/larger_jobs/transport/socket: expected a class that /transport has"),
            std::string::npos);
  json faulty = network;
  faulty["segments"].back()["up_to_bytes"] = 99;
  EXPECT_NE(larger({{"more_ranks_than", 9}, {"transport", {{"network", faulty}}}, {"source", "here"}})
                .find("/larger_jobs/transport/network/segments/"),
            std::string::npos);
}

TEST(MachineFile, WhatIsNotJsonIsRefusedAtItsLine) {
  EXPECT_TRUE(machine_refusal("").starts_with("m.json:1: expected JSON"));
  EXPECT_TRUE(machine_refusal("{\n\"name\": 1,\n}").starts_with("m.json:3: expected JSON"));
  EXPECT_TRUE(machine_refusal("{\n\"name\": \"a").starts_with("m.json:2: expected JSON"));
  EXPECT_TRUE(machine_refusal("{\"a\": NaN}").starts_with("m.json:1: expected JSON"));
  EXPECT_TRUE(machine_refusal("{\"a\":\n\n1e999}").starts_with("m.json:3: expected JSON"));
  EXPECT_TRUE(machine_refusal(std::string("{\"a\"\0: 1}", 9)).starts_with("m.json:1: expected JSON"));
  EXPECT_TRUE(machine_refusal("{}{}").starts_with("m.json:1: expected JSON"));
  EXPECT_TRUE(machine_refusal("[1, 2]").starts_with("m.json:1: expected object"));
  EXPECT_TRUE(machine_refusal(std::string(100000, '[')).starts_with("m.json:1: expected at most 64 levels"));
  const std::string text = machine_text("example-cluster");
  for (std::size_t length = 0; length < text.size() - 2; length += 97)
    EXPECT_TRUE(machine_refusal(text.substr(0, length)).find(": expected JSON") != std::string::npos) << length;
}

TEST(MachineFile, AKeyGivenTwiceIsRefused) {
  EXPECT_EQ(machine_refusal("{\n\"name\": \"a\",\n\"name\": \"b\"}"),
            "m.json:3: /name: expected this key only once in its object");
}

TEST(MachineFile, AFigureWithoutSourceIsRefused) {
  for (const std::string object :
       {"/network/fat_tree", "/network/fat_tree/layers/0", "/node", "/node/core", "/node/memory", "/node/socket_link",
        "/node/nics/0", "/transport/cache", "/transport/network", "/compute/reduce", "/compute/copy"}) {
    const std::string message = refusal_with(object + "/source", std::nullopt);
    EXPECT_NE(message.find(object + ": Missing required property 'source'"), std::string::npos) << message;
    EXPECT_NE(refusal_with(object + "/source", "").find(object + "/source"), std::string::npos);
  }
}

TEST(MachineFile, MissingAndUnknownKeysAreRefused) {
  for (const std::string key : {"name", "description", "network", "node", "transport", "compute"})
    EXPECT_NE(refusal_with("/" + key, std::nullopt).find("Missing required property '" + key), std::string::npos);
  EXPECT_NE(refusal_with("/colour", "red").find("/colour: unknown key"), std::string::npos);
  EXPECT_NE(refusal_with("/node/memory_byte", 1).find("/node/memory_byte: unknown key"), std::string::npos);
  EXPECT_NE(refusal_with("/network/hypercube", json::object()).find("/network/hypercube: unknown key"),
            std::string::npos);
  EXPECT_NE(refusal_with("/network/crossbar", json{{"nodes", 2}, {"source", "s"}}).find("/network: "),
            std::string::npos);
}

TEST(MachineFile, FiguresOutOfRangeAreRefused) {
  const std::vector<std::pair<std::string, std::vector<json>>> bad{
      {"/node/sockets", {0, -1, 1.5, "2", nullptr, 100000000, 1e30}},
      {"/node/cores_per_cache", {0, 16777216}},
      {"/node/memory_bytes", {-1, 1e30, "64G"}},
      {"/node/nics/0/domain", {-1, 2, 99, 1e12}},
      {"/node/nics/0/bandwidth_bytes_per_second", {0, -1, "fast"}},
      {"/node/nics", {json::array()}},
      {"/node/core/latency_seconds", {-1e-9}},
      {"/network/fat_tree/nodes_per_leaf", {0, -4, 16777216}},
      {"/network/fat_tree/nodes", {17, 0}},
      {"/network/fat_tree/layers/0/parents", {0, 16777216}},
      {"/network/fat_tree/routing", {"up-down", "minimal"}},
      {"/transport/network/segments", {json::array(), 3}},
      {"/transport/network/segments/0/up_to_bytes", {-1, 1e30}},
      {"/transport/network/segments/1/up_to_bytes", {32768}},
      {"/transport/network/eager_limit_bytes", {-1, 0.5}},
      {"/transport/network/send_overhead_seconds", {-1, false}},
      {"/compute/reduce/seconds_per_byte", {0, -1}},
      {"/compute/copy/guess", {json::array({"speed"}), "yes", 1}},
      {"/name", {"", "a b", "../x", 3}},
  };
  for (const auto& [pointer, values] : bad)
    for (const json& value : values) {
      const std::string message = refusal_with(pointer, value);
      EXPECT_TRUE(message.starts_with("m.json:")) << pointer << " " << value << ": " << message;
    }
}

TEST(MachineFile, SegmentsMustAscendAndEndWithoutLimit) {
  EXPECT_NE(refusal_with("/transport/network/segments/0/up_to_bytes", std::nullopt)
                .find("/transport/network/segments/0: expected up_to_bytes"),
            std::string::npos);
  json segments = json::parse(machine_text("example-cluster"))["transport"]["network"]["segments"];
  segments.insert(segments.begin(), segments[0]);
  EXPECT_NE(refusal_with("/transport/network/segments", segments)
                .find("/transport/network/segments/1/up_to_bytes: expected more"),
            std::string::npos);
}

TEST(MachineFile, ASegmentThatEndsAtTheLargestNumberIsRefusedWhereItStands) {
  for (const json& limit : {json(INT64_MAX), json(UINT64_MAX), json((std::int64_t{1} << 62) + 1024)}) {
    const std::string message = refusal_with("/transport/network/segments/0/up_to_bytes", limit);
    EXPECT_NE(message.find("/transport/network/segments/0/up_to_bytes: expected integer of at least 0 and at most "
                           "4611686018427387904"),
              std::string::npos)
        << message;
  }
}

TEST(MachineFile, FiguresThatNoMachineHasAreRefusedWithTheRange) {
  for (const std::string where :
       {"/node/core", "/node/nics/0", "/network/fat_tree/layers/0", "/transport/network/segments/1"}) {
    for (const double bandwidth : {3.0, 1e-300, 1e16, 1e308}) {
      const std::string message = refusal_with(where + "/bandwidth_bytes_per_second", bandwidth);
      EXPECT_NE(message.find(where + "/bandwidth_bytes_per_second: expected number of at least 1000 and at most "
                                     "1000000000000000"),
                std::string::npos)
          << message;
    }
    for (const double latency : {1.8e19, 200.0, 1.01}) {
      const std::string message = refusal_with(where + "/latency_seconds", latency);
      EXPECT_NE(message.find(where + "/latency_seconds: expected number of at least 0 and at most 1"),
                std::string::npos)
          << message;
    }
  }
  for (const std::string seconds : {"/transport/network/send_overhead_seconds", "/transport/network/gap_seconds",
                                    "/transport/network/rendezvous_seconds", "/compute/copy/overhead_seconds"})
    EXPECT_NE(refusal_with(seconds, 60).find(seconds + ": expected number of at least 0 and at most 1"),
              std::string::npos);
  for (const double rate : {1.0, 1e-300})
    EXPECT_NE(refusal_with("/compute/copy/seconds_per_byte", rate).find("at least 1e-15 and at most 0.001"),
              std::string::npos);
}

TEST(MachineFile, ANameOfAnyLengthIsRefusedAndNotCrashedOn) {
  for (const std::size_t length : {201, 50'000, 1'000'000})
    EXPECT_NE(refusal_with("/name", std::string(length, 'a')).find("/name: "), std::string::npos);
}

TEST(MachineFile, ADistanceThatTheMachineHasNeedsAClass) {
  EXPECT_NE(refusal_with("/transport/network", std::nullopt).find("/transport: expected the class network"),
            std::string::npos);
  EXPECT_EQ(refusal_with("/transport/node", std::nullopt), "accepted");
}

TEST(MachineFile, CacheSizeAndRateBeyondComeTogether) {
  EXPECT_NE(refusal_with("/compute/copy/cache_bytes", std::nullopt).find("/compute/copy: expected cache_bytes"),
            std::string::npos);
}

TEST(MachineFile, UnreadableFilesAreRefusedWithTheKnownNames) {
  for (const std::string path : {"no-such-machine", "/", "/dev/null"}) {
    try {
      load_machine(path);
      FAIL() << path;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("example-cluster"), std::string::npos);
      EXPECT_TRUE(std::string(error.what()).starts_with(path + ":1: "));
    }
  }
}

json cable_json() { return {{"bandwidth_bytes_per_second", 1e9}, {"latency_seconds", 1e-7}, {"source", "test"}}; }

Machine with_network(const json& network, const std::string& origin = "m.json") {
  json root = json::parse(machine_text("example-cluster"));
  root["network"] = network;
  return parse_machine(root.dump(), origin);
}

TEST(MachineFile, EveryKindOfNetworkCanBeDescribed) {
  const json dragonfly{{"groups", 9},           {"chassis_per_group", 2},  {"routers_per_chassis", 2},
                       {"nodes_per_router", 2}, {"global_cables", 3},      {"nodes", 70},
                       {"local", cable_json()}, {"chassis", cable_json()}, {"global", cable_json()},
                       {"routing", "minimal"},  {"source", "test"}};
  EXPECT_EQ(with_network({{"dragonfly", dragonfly}}).network->nodes(), 70);
  json local = cable_json();
  local["cables"] = 2;
  local["shared"] = false;
  const json plus{{"groups", 3},        {"leaves_per_group", 2}, {"spines_per_group", 2},  {"nodes_per_leaf", 3},
                  {"global_cables", 1}, {"local", local},        {"global", cable_json()}, {"source", "test"}};
  const Machine with_plus = with_network({{"dragonfly_plus", plus}});
  EXPECT_EQ(with_plus.network->groups(), 3);
  EXPECT_FALSE(with_plus.network->links().front().shared);
  EXPECT_TRUE(with_plus.network->links().back().shared);
  const json torus{{"dimensions", {2, 3, 4}}, {"nodes_per_router", 1}, {"cable", cable_json()}, {"source", "test"}};
  EXPECT_EQ(with_network({{"torus", torus}}).network->nodes(), 24);
  EXPECT_EQ(with_network({{"crossbar", {{"nodes", 5}, {"source", "test"}}}}).network->nodes(), 5);
}

TEST(MachineFile, ADragonflyWithoutItsCablesIsRefused) {
  const json dragonfly{{"groups", 2},           {"chassis_per_group", 1}, {"routers_per_chassis", 1},
                       {"nodes_per_router", 2}, {"global_cables", 3},     {"source", "test"}};
  EXPECT_THROW(with_network({{"dragonfly", dragonfly}}), InputError);
}

TEST(MachineFile, AGraphIsReadBesideTheMachineFile) {
  const std::filesystem::path folder = testing::TempDir() + "tutti-graph-" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "cables.csv") << "node,a,s\nnode,b,t\ncable,s,t\n";
  const json graph{{"graph", {{"file", "cables.csv"}, {"cable", cable_json()}, {"source", "test"}}}};
  EXPECT_EQ(with_network(graph, (folder / "m.json").string()).network->nodes(), 2);
  std::ofstream(folder / "cables.csv") << "node,a,s\nnode,b,t\n";
  EXPECT_THROW(with_network(graph, (folder / "m.json").string()), InputError);
  std::filesystem::remove_all(folder);
  EXPECT_THROW(with_network(graph, (folder / "m.json").string()), InputError);
}

}  // namespace
}  // namespace tutti
