#include "calibration/fujitsu_labels.hpp"

#include <map>
#include <tuple>

namespace tutti {

bool is_fujitsu(const std::string& implementation) {
  return implementation == "fujitsu" || implementation == "bine_mpi" || implementation == "bine_utofu";
}

std::string fujitsu_algorithm(Collective collective, const std::string& implementation, const std::string& label) {
  using enum Collective;
  // Of Fujitsu MPI those of Open MPI, from which it descends. Left out are its own for the torus, and what calls
  // other collectives as the library likes: allgather "linear" (its time is that of gather and bcast by default),
  // allreduce "nonoverlapping" and "rdbc", reduce_scatter "non_overlapping", scatter "use_bcast"; and alltoall
  // "modified_bruck", of which only the name is published.
  static const std::map<std::tuple<Collective, std::string, std::string>, std::string> ours{
      {{allgather, "fujitsu", "bruck"}, "bruck"},
      {{allgather, "fujitsu", "neighbor"}, "neighbor_exchange"},
      {{allgather, "fujitsu", "recursive_doubling"}, "recursive_doubling"},
      {{allgather, "fujitsu", "ring"}, "ring"},
      {{allreduce, "fujitsu", "basic_linear"}, "linear"},
      {{allreduce, "fujitsu", "recursive_doubling"}, "recursive_doubling"},
      {{allreduce, "fujitsu", "ring"}, "ring"},
      {{allreduce, "fujitsu", "segmented_ring"}, "segmented_ring"},
      {{alltoall, "fujitsu", "linear"}, "linear"},
      {{alltoall, "fujitsu", "linear_sync"}, "linear_sync"},
      {{alltoall, "fujitsu", "pairwise"}, "pairwise"},
      {{bcast, "fujitsu", "binary_tree"}, "binary"},
      {{bcast, "fujitsu", "binomial"}, "binomial"},
      {{bcast, "fujitsu", "chain"}, "chain"},
      {{bcast, "fujitsu", "pipeline"}, "pipeline"},
      {{bcast, "fujitsu", "split_binary_tree"}, "split_binary"},
      {{gather, "fujitsu", "basic_linear"}, "linear"},
      {{gather, "fujitsu", "binomial"}, "binomial"},
      {{gather, "fujitsu", "linear_sync"}, "linear_sync"},
      {{reduce, "fujitsu", "binary"}, "binary"},
      {{reduce, "fujitsu", "binomial"}, "binomial"},
      {{reduce, "fujitsu", "chain"}, "chain"},
      {{reduce, "fujitsu", "in_order_binary"}, "in_order_binary"},
      {{reduce, "fujitsu", "linear"}, "linear"},
      {{reduce, "fujitsu", "pipeline"}, "pipeline"},
      {{reduce_scatter, "fujitsu", "recursive_halving"}, "recursive_halving"},
      {{reduce_scatter, "fujitsu", "ring"}, "ring"},
      {{scatter, "fujitsu", "basic_linear"}, "linear"},
      {{scatter, "fujitsu", "binomial"}, "binomial"},
      {{allgather, "bine_mpi", "bine_vec_doubling_cont_permute"}, "bine_permute_remap"},
      {{allgather, "bine_mpi", "bine_vec_doubling_cont_send"}, "bine_send_remap"},
      {{alltoall, "bine_mpi", "bine_log"}, "bine"},
      {{alltoall, "bine_mpi", "bruck_log"}, "bruck"},
      {{gather, "bine_mpi", "bine_binomial_tree_cont_permute"}, "bine"},
      {{reduce, "bine_mpi", "bine_binomial_tree"}, "bine_lat"},
      {{reduce, "bine_mpi", "bine_reduce_scatter_gather"}, "bine_bdw"},
      {{reduce_scatter, "bine_mpi", "bine_vec_halving_cont_permute"}, "bine_permute_remap"},
      {{scatter, "bine_mpi", "bine_binomial_tree_cont_permute"}, "bine"},
  };
  const auto found = ours.find({collective, implementation, label});
  return found == ours.end() ? std::string() : found->second;
}

}  // namespace tutti
