#include <gtest/gtest.h>

#include "calibration/collective_rows.hpp"

namespace tutti::test {
namespace {

/// What a row with PICO's label is predicted by; empty: by nothing.
std::string predicted_by(Collective collective, const std::string& label, int ranks = 8,
                         const std::string& implementation = "picolib", const std::string& library = "") {
  CollectiveRow row;
  row.implementation = implementation;
  row.library = library;
  row.collective = collective;
  row.algorithm = label;
  row.ranks = ranks;
  row.ppn = 1;
  row.bytes = 1 << 20;
  Choice choice;
  return choice_of(row, choice) ? choice.text() : "";
}

TEST(MeasuredLabels, ThatSendTheSameMessagesArePredictedByOneAlgorithm) {
  EXPECT_EQ(predicted_by(Collective::allgather, "bine_block_by_block_any_even"), "bine_block_by_block");
  EXPECT_EQ(predicted_by(Collective::allgather, "bine_send_static"), "bine_send_remap");
  EXPECT_EQ(predicted_by(Collective::bcast, "bine_lat_reversed"), "bine_lat_i_new");
  EXPECT_EQ(predicted_by(Collective::allgather, "k_bruck", 8, "picolib"), "bruck");
  EXPECT_EQ(predicted_by(Collective::allgather, "k_bruck", 8, "library"), "k_bruck");
  EXPECT_EQ(predicted_by(Collective::allreduce, "bine_bdw_static"), "bine_bdw_remap");
  EXPECT_EQ(predicted_by(Collective::reduce_scatter, "recursive_distance_doubling"), "recursive_distance_doubling");
}

TEST(MeasuredLabels, ASegmentIsTheParameter) {
  EXPECT_EQ(predicted_by(Collective::allreduce, "bine_bdw_remap_segmented_16384"), "bine_bdw_remap:segment=16384");
}

TEST(MeasuredLabels, ThatNobodyKnowsArePredictedByNothing) {
  for (const char* label :
       {"bine_bdw_remap_segmented", "bine_bdw_remap_segmented_", "bine_bdw_remap_segmented_x", "bines"})
    EXPECT_EQ(predicted_by(Collective::allreduce, label), "") << label;
}

TEST(MeasuredLabels, OfALibraryAreWhatThatLibraryRunsUnderThem) {
  EXPECT_EQ(predicted_by(Collective::allgather, "bruck", 8, "library", "CRAY_MPICH 8.1.29"), "k_bruck");
  EXPECT_EQ(predicted_by(Collective::allgather, "bruck", 8, "library", "OMPI 4.1.6"), "bruck");
  EXPECT_EQ(predicted_by(Collective::allreduce, "allgather_reduce", 8, "library", "OMPI 5.0.7"), "allgather_reduce");
  EXPECT_EQ(predicted_by(Collective::allreduce, "allgather_reduce", 8, "library", "customOMPI 5.0.7"), "");
}

TEST(MeasuredLabels, OfFujitsuMpiAreThoseOfOpenMpiAndNothingElse) {
  EXPECT_EQ(predicted_by(Collective::bcast, "binary_tree", 8, "fujitsu"), "binary");
  EXPECT_EQ(predicted_by(Collective::allgather, "bine_vec_doubling_cont_send", 8, "bine_mpi"), "bine_send_remap");
  EXPECT_EQ(predicted_by(Collective::allgather, "linear", 8, "fujitsu"), "") << "calls what the library likes";
  EXPECT_EQ(predicted_by(Collective::alltoall, "bine_log", 8, "bine_utofu"), "") << "another library";
}

}  // namespace
}  // namespace tutti::test
