#pragma once

#include <algorithm>
#include <sstream>

#include "algos/registry.hpp"
#include "runtime/team.hpp"
#include "tests/runtime/expected.hpp"

/// Every algorithm on a team, its results compared with what they must be. Throws std::runtime_error where one is
/// wrong.
namespace tutti {

/// The call on these buffers; what the test gives as `in` where the call is in place is the one buffer.
template <class T>
CollectiveCall call_on(Buffers<T>& buffers, const Case& c, Rank rank, const Reduction& reduction) {
  CollectiveCall call;
  call.collective = c.collective;
  call.element_bytes = c.element_bytes;
  call.root = c.root;
  call.in_place = c.in_place;
  call.in = buffers.in.data();
  call.out = buffers.out.data();
  call.in_elements = static_cast<Count>(buffers.in.size());
  call.out_elements = static_cast<Count>(buffers.out.size());
  if (c.in_place || c.collective == Collective::bcast) {
    auto& only = buffers.in.empty() ? buffers.out : buffers.in;
    call.in = call.out = only.data();
    call.in_elements = call.out_elements = static_cast<Count>(only.size());
  }
  (void)rank;
  call.counts = c.counts;
  call.neighborhood = c.neighborhood;
  if (is_reduction(c.collective)) call.reduction = reduction;
  return call;
}

/// The same call on memory of Team::alloc, for as long as this lives; then the results are in the buffers again.
template <class T>
class Shared {
 public:
  Shared(Team& team, Buffers<T>& buffers, CollectiveCall& call)
      : buffers_(buffers), in_(team.alloc<T>(buffers.in.size())), out_(team.alloc<T>(buffers.out.size())) {
    std::copy(buffers.in.begin(), buffers.in.end(), in_.data());
    std::copy(buffers.out.begin(), buffers.out.end(), out_.data());
    const auto place = [&](const void* given) -> T* {
      return given == buffers.in.data() ? in_.data() : given == buffers.out.data() ? out_.data() : nullptr;
    };
    call.in = place(call.in);
    call.out = place(call.out);
  }
  ~Shared() {
    std::copy(in_.begin(), in_.end(), buffers_.in.begin());
    std::copy(out_.begin(), out_.end(), buffers_.out.begin());
  }
  Shared(const Shared&) = delete;

 private:
  Buffers<T>& buffers_;
  SharedArray<T> in_, out_;
};

/// False: the algorithm is not for this case.
template <class T, class Op>
bool check(Team& team, const Choice& choice, const Case& c, const Reduction& reduction, const Op& op, const T& filler,
           bool in_shared_memory = false) {
  const Algorithm& algorithm = *choice.algorithm;
  if (!why_not(resolve(choice, c), c).empty()) return false;
  Buffers<T> buffers(c, team.rank(), filler);
  const std::vector<T> before = buffers.in;
  const std::string text = choice.text();
  CollectiveCall call = call_on(buffers, c, team.rank(), reduction).with(text);
  if (in_shared_memory) {
    const Shared<T> shared(team, buffers, call);
    team.run(call);
  } else {
    team.run(call);
  }
  const auto fail = [&](const std::string& what) {
    std::ostringstream trouble;
    trouble << algorithm.full_name() << ": " << c.ranks << " ranks, count " << c.count << ", root " << c.root
            << (c.in_place ? ", in place" : "") << ", elements of " << sizeof(T) << " bytes, rank " << team.rank()
            << ": " << what;
    throw std::runtime_error(trouble.str());
  };
  if (const auto wrong = first_wrong(c, team.rank(), buffers.result, buffers.results, op))
    fail("element " + std::to_string(*wrong) + " is wrong");
  if (!c.in_place && buffers.in != before) fail("the input was overwritten");
  return true;
}

/// With its parameters as they are unless told.
template <class T, class Op>
bool check(Team& team, const Algorithm& algorithm, const Case& c, const Reduction& reduction, const Op& op,
           const T& filler, bool in_shared_memory = false) {
  return check<T>(team, default_choice(algorithm), c, reduction, op, filler, in_shared_memory);
}

/// What is tried of each algorithm, beside int and a user's operator that does not commute.
struct Extent {
  std::vector<Count> counts;
  bool all_roots = true;  // else the last rank alone
  bool in_place = true, doubles = true, in_shared_memory = false;
};

/// Where neighbours meet twice, are beyond a border, or are none.
inline int check_among_neighbors(Team& team, const Algorithm& algorithm, Count count, const Extent& extent) {
  const auto sum = [](auto a, auto b) { return a + b; };
  const std::string ranks = std::to_string(team.size()), half = std::to_string(team.size() / 2) + "x2";
  int calls = 0;
  for (const std::string& text : {ranks, ranks + ":open", ranks + ":box=2", half, half + ":box", half + ":box:open",
                                  "random:" + std::to_string(team.size() / 2)}) {
    if (text.starts_with(half) && team.size() % 2 != 0) continue;
    const Case c =
        with_neighborhood({algorithm.collective(), team.size(), count, 4}, Neighborhood::from(text, team.size()));
    calls += check<int>(team, algorithm, c, {}, sum, -1, extent.in_shared_memory);
    for (const char* skew : {"random:7", "one:0", "zipf:2"})
      if (is_irregular(c.collective))
        calls += check<int>(team, algorithm, with_counts(c, skew, count), {}, sum, -1, extent.in_shared_memory);
  }
  return calls;
}

/// Returns the number of calls that were made.
inline int check_algorithm(Team& team, const Algorithm& algorithm, const Extent& extent) {
  const auto sum = [](auto a, auto b) { return a + b; };
  const Collective collective = algorithm.collective();
  const Rank last = is_rooted(collective) ? team.size() - 1 : 0;
  int calls = 0;
  for (Rank root = extent.all_roots ? 0 : last; root <= last; ++root)
    for (const Count count : extent.counts)
      for (const bool in_place : {false, true}) {
        if (in_place && !extent.in_place) continue;
        if (in_place && (collective == Collective::barrier || collective == Collective::bcast)) continue;
        if (is_of_neighbors(collective)) {
          if (!in_place) calls += check_among_neighbors(team, algorithm, count, extent);
          continue;
        }
        Case c{collective, team.size(),  collective == Collective::barrier ? 0 : count, 4, root,
               in_place,   Operator::sum};
        calls += check<int>(team, algorithm, c, reduction_of<int>(Predefined::sum), sum, -1, extent.in_shared_memory);
        for (const char* skew : {"random:7", "one:0", "zipf:2"}) {
          if (!is_irregular(collective) || (in_place && collective == Collective::alltoallv)) continue;
          const Count each = collective == Collective::reduce_scatter ? 1 : c.ranks;
          const Count blocks = each * (collective == Collective::alltoallv ? c.ranks : 1);
          calls += check<int>(team, algorithm, with_counts(c, skew, count * blocks), reduction_of<int>(Predefined::sum),
                              sum, -1, extent.in_shared_memory);
        }
        c.element_bytes = 8;
        if (extent.doubles)
          calls += check<double>(team, algorithm, c, reduction_of<double>(Predefined::sum), sum, -1.0,
                                 extent.in_shared_memory);
        c.op = Operator::user;
        calls += check<Affine>(team, algorithm, c, reduction_of<Affine>(ordered(Compose{})), Compose{}, Affine{7, 7},
                               extent.in_shared_memory);
      }
  return calls;
}

inline int check_all(Team& team, const Extent& extent) {
  int calls = 0;
  for (const Algorithm& algorithm : registry()) calls += check_algorithm(team, algorithm, extent);
  return calls;
}

}  // namespace tutti
