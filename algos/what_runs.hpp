#pragma once

#include <string>
#include <vector>

#include "algos/registry.hpp"
#include "base/error.hpp"

namespace tutti {

/// The choices that really run, mostly one: fall-backs followed to the end (resolve()), and of what is put together
/// from others those of its parts, as its metadata counts them. Levels that it does not divide by are "none" there;
/// where it divides by none, what runs on all ranks. Several where a part runs one thing here and another there: on
/// nodes of different sizes, or for a last segment.
std::vector<Choice> what_runs(const Choice& choice, const Case& c, const Places& places);

/// "ring", "hier(global=recursive_doubling)"; of several: "hier|hier(node=linear)".
std::string text_of_what_runs(const Choice& choice, const Case& c, const Places& places);

/// A part of what is put together from others cannot run the case of its ranks.
class PartCannotRun : public InputError {
 public:
  PartCannotRun(const Choice& part, int ranks, const std::string& why);
  /// As why_not() says it of the whole: "runs alltoall/two_proc on 3 ranks, which needs exactly two ranks".
  const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};
/// Throws it.
void expect_part_runs(const Choice& part, const Case& c);

/// As why_not() without places, which knows nothing of parts: nor can the choice run where one of its parts cannot, on
/// as many ranks as it has there.
std::string why_not(const Choice& choice, const Case& c, const Places& places);

/// "ring, which runs recursive_doubling" where text_of_what_runs(), `runs`, is another than the choice; else the
/// choice.
std::string with_what_runs(const std::string& choice, const std::string& runs);

}  // namespace tutti
