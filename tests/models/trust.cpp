#include "models/trust.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace tutti {
namespace {

using nlohmann::json;

struct Known {
  explicit Known(const std::string& name)
      : machine(load_machine(name)), provenance(provenance_of(machine_text(name), name)) {}
  std::string of(const std::string& collective, int nodes, int ppn, std::int64_t bytes) const {
    return to_string(trust_in(machine, provenance, collective, nodes, ppn, bytes));
  }
  Machine machine;
  Provenance provenance;
};

TEST(Trust, FallsWithTheDistanceFromWhatWasFitted) {
  const Known leonardo("leonardo-booster");  // allgather on 4 and 32 nodes, 256 bytes to 256 MiB
  EXPECT_EQ(leonardo.of("allgather", 32, 1, 1 << 20), "fitted near");
  EXPECT_EQ(leonardo.of("allgather", 64, 1, 1 << 20), "fitted near");
  EXPECT_EQ(leonardo.of("allgather", 16, 1, 64), "fitted near");
  EXPECT_EQ(leonardo.of("allgather", 15, 1, 1 << 20), "fitted far");
  EXPECT_EQ(leonardo.of("allgather", 66, 1, 1 << 20), "fitted far");
  EXPECT_EQ(leonardo.of("allgather", 32, 1, 63), "fitted far");
  EXPECT_EQ(leonardo.of("alltoall", 32, 1, 1 << 20), "fitted far");
}

TEST(Trust, WhereTransportInsideTheNodeIsAStandInPredictionsOfSeveralRanksPerNodeAreGuessed) {
  const Known leonardo("leonardo-booster");
  EXPECT_EQ(leonardo.of("allgather", 32, 4, 1 << 20), "guessed");
  EXPECT_EQ(leonardo.of("allgather", 1, 4, 1 << 20), "guessed");
}

TEST(Trust, MessagesThatWereMeasuredBetweenTwoRanksAreNearToCallsOnFewNodes) {
  const Known orfeo("orfeo-thin");
  EXPECT_EQ(orfeo.of("bcast", 2, 1, 1 << 10), "fitted near");
  EXPECT_EQ(orfeo.of("bcast", 4, 1, 1 << 10), "fitted near");
  EXPECT_EQ(orfeo.of("bcast", 1, 2, 1 << 10), "fitted near");
  EXPECT_EQ(orfeo.of("bcast", 9, 1, 1 << 10), "fitted far");
  EXPECT_EQ(orfeo.of("bcast", 2, 24, 1 << 10), "fitted far");
}

TEST(Trust, MessagesAloneAreNotNearToReductionsWhoseCostIsAGuess) {
  const Known orfeo("orfeo-thin");
  for (const char* collective : {"allreduce", "reduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan"})
    EXPECT_EQ(orfeo.of(collective, 2, 1, 1 << 10), "fitted far") << collective;
  json root = json::parse(machine_text("orfeo-thin"));
  root["compute"]["reduce"]["guess"] = {"overhead_seconds"};
  EXPECT_EQ(trust_in(orfeo.machine, provenance_of(root.dump(), "m.json"), "allreduce", 2, 1, 1 << 10),
            Trust::fitted_near)
      << "one of many figures";
}

TEST(Trust, AMachineOfStandInsIsGuessed) {
  EXPECT_EQ(Known("example-cluster").of("bcast", 2, 1, 8), "guessed");
  EXPECT_EQ(Known("oci-bm-hpc2-36").of("bcast", 2, 1, 8), "guessed");
}

TEST(Trust, LargerJobsAreGuessedWhereTheirTransportIs) {
  json root = json::parse(machine_text("leonardo-booster"));
  EXPECT_EQ(trust_in(parse_machine(root.dump(), "m.json"), provenance_of(root.dump(), "m.json"), "allgather", 512, 1,
                     1 << 20),
            Trust::fitted_far);
  json network = root["transport"]["network"];
  network["guess"] = true;
  root["larger_jobs"] = {{"more_ranks_than", 256}, {"transport", {{"network", network}}}, {"source", "here"}};
  const Machine machine = parse_machine(root.dump(), "m.json");
  const Provenance provenance = provenance_of(root.dump(), "m.json");
  EXPECT_EQ(trust_in(machine, provenance, "allgather", 512, 1, 1 << 20), Trust::guessed);
  EXPECT_EQ(trust_in(machine, provenance, "allgather", 32, 1, 1 << 20), Trust::fitted_near);
  root["larger_jobs"]["transport"]["network"] = {{"gap_seconds", 1e-6}, {"source", "there"}, {"guess", true}};
  EXPECT_EQ(trust_in(machine, provenance_of(root.dump(), "m.json"), "allgather", 512, 1, 1 << 20), Trust::fitted_far)
      << "one of many figures";
}

TEST(Trust, ARangeThatEndsBeforeItBeginsIsRefused) {
  json root = json::parse(machine_text("orfeo-thin"));
  root["fitted"][0]["most_bytes"] = 3;
  root["fitted"][0]["least_bytes"] = 4;
  try {
    provenance_of(root.dump(1), "m.json");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(": /fitted/0/most_bytes: expected no less than the least"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace tutti
