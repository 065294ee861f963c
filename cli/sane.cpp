#include "cli/sane.hpp"

#include <fmt/core.h>

#include <thread>

#include "base/counted.hpp"
#include "base/sizes.hpp"
#include "calibration/jumps.hpp"
#include "cli/kept.hpp"
#include "cli/progress.hpp"
#include "cli/verbs.hpp"
#include "sim/point_to_point.hpp"

namespace tutti::cli {
namespace {

void print_jump(const Jump& jump) {
  const std::string what = fmt::format("{} {}", name_of(jump.collective), jump.algorithm);
  if (!jump.boundary.empty())
    fmt::print("  {} of {} on {} nodes, the last of them the last of its {}, {:.4g} us, in the next {} {:.4g} us\n",
               what, format_size(jump.to_bytes), jump.nodes, jump.boundary, jump.from_seconds * 1e6, jump.boundary,
               jump.to_seconds * 1e6);
  else if (jump.from_ranks != jump.to_ranks)
    fmt::print("  {} of {}, by the figures of jobs of up to {} ranks {:.4g} us, of larger ones {:.4g} us ({} ranks)\n",
               what, format_size(jump.to_bytes), jump.from_ranks, jump.from_seconds * 1e6, jump.to_seconds * 1e6,
               jump.to_ranks);
  else
    fmt::print("  {} on {} x {} ranks{}: {} bytes {:.4g} us, {} bytes {:.4g} us\n", what, jump.nodes, jump.ppn,
               jump.distance == Distance::self ? "" : fmt::format(" ({})", to_string(jump.distance)), jump.from_bytes,
               jump.from_seconds * 1e6, jump.to_bytes, jump.to_seconds * 1e6);
}

/// Those of one figure together.
void print_jumps(const std::vector<Jump>& jumps) {
  std::string before = "-";
  for (const Jump& jump : jumps) {
    const std::string head = fmt::format("{} {}\n    {}", jump.guessed ? "?" : " ",
                                         jump.figure.empty() ? "no single figure of the machine" : jump.figure,
                                         jump.figure.empty() ? "nothing explains it" : jump.source);
    if (head != before) fmt::print("\n{}\n", head);
    before = head;
    print_jump(jump);
  }
}

/// How many published figures the model misses without a reason.
int missed(const Machine& machine) {
  const auto engine = make_engine("fast");
  int count = 0;
  for (const Published& figure : machine.published) {
    const std::optional<double> model = simulated(*engine, machine, figure);
    const bool within = model && *model >= figure.least && *model <= figure.most;
    if (within || !figure.deviates.empty()) continue;
    ++count;
    fmt::print("? published, and missed without a reason: {}\n", figure.source);
  }
  return count;
}

}  // namespace

int report_sanity(const ReadMachine& read, const std::string& origin, bool quick, const std::string& state) {
  const Machine& machine = read.machine;
  Kept kept(state);
  kept.open_texts("jumps of " + origin + "\n" + model_identity(read));
  std::vector<Jump> jumps;
  {
    Progress progress("looking", "algorithms and layouts");
    JumpScan scan{!quick, static_cast<int>(std::max(1u, std::thread::hardware_concurrency())), kept.texts()};
    scan.progress = [&](std::size_t done, std::size_t total, const auto& part) { progress.update(done, total, part); };
    jumps = find_jumps(machine, read.text, origin, scan);
  }
  kept.close();
  const auto guesses = std::count_if(jumps.begin(), jumps.end(), [](const Jump& jump) { return jump.guessed; });
  fmt::print(
      "{}: predicted times that jump by {} times or more from one size, or one number of ranks, to the next, or from "
      "the last node of a leaf or group to the first of the next\n"
      "(? marks those that no cause with a source explains)\n",
      machine.name, kJump);
  print_jumps(jumps);
  const int beside = missed(machine);
  fmt::print("\n{} by figures with a source, {} by guesses or by none; {} missed without a reason\n",
             counted(jumps.size() - static_cast<std::size_t>(guesses), "jump"), guesses,
             counted(static_cast<std::uint64_t>(beside), "published figure"));
  return guesses > 0 || beside > 0 ? kFinding : kDone;
}

}  // namespace tutti::cli
