#include "sim/proof/verify.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>

#include "base/error.hpp"
#include "base/in_parallel.hpp"
#include "base/option_lists.hpp"
#include "python/bindings.hpp"
#include "python/user_algorithm.hpp"

namespace nb = nanobind;

namespace tutti::python {
namespace {

nb::dict row_of(const proof::Verdict& verdict) {
  if (!verdict.undecided.empty()) throw std::runtime_error(verdict.undecided);
  nb::dict row;
  row["collective"] = std::string(name_of(verdict.algorithm->collective()));
  row["algorithm"] = verdict.choice ? verdict.choice->text() : verdict.algorithm->name();
  row["proven"] = verdict.proven;
  row["fallen_back"] = verdict.fallen_back;
  row["excluded"] = verdict.excluded;
  row["left_out"] = verdict.left_out;
  row["refuted"] = nb::none();
  if (verdict.refutation) {
    nb::dict refuted;
    refuted["case"] = proof::text_of(verdict.refutation->choice, verdict.refutation->failing);
    refuted["kind"] = proof::name_of(verdict.refutation->fault.kind);
    refuted["message"] = verdict.refutation->fault.text;
    row["refuted"] = refuted;
  }
  return row;
}

std::vector<int> ranks_of(const std::string& text) {
  std::vector<int> ranks;
  for (const std::int64_t p : parse_list_of("ranks", text, 100'000)) {
    if (p < 1 || p > 100'000) throw InputError("ranks " + text + ": expected numbers of ranks from 1 to 100000");
    ranks.push_back(static_cast<int>(p));
  }
  return ranks;
}

/// "ring:segment=64K" of the collective, "allreduce/ring" also where none is given.
Choice choice_named(const std::string& collective, const std::string& text) {
  const std::size_t slash = text.substr(0, text.find_first_of(":(")).find('/');
  if (slash == std::string::npos) {
    if (collective.empty()) throw InputError("expected the collective of " + text);
    return parse_choice(any_collective_named(collective), text);
  }
  if (!collective.empty() && text.substr(0, slash) != collective)
    throw InputError("algorithm " + text + ": expected one of " + collective);
  return parse_choice(any_collective_named(text.substr(0, slash)), text.substr(slash + 1));
}

/// Of algorithms in Python the processes that prove keep the lock of this one, which therefore has to have it.
std::vector<proof::Verdict> prove(proof::VerifyRequest& request, bool in_python, const nb::object& progress) {
  request.progress = [&](std::size_t done, std::size_t total, const std::function<double()>&) {
    const nb::gil_scoped_acquire acquire;
    if (!progress.is_none()) progress(done, total);
  };
  request.look = [] {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  };
  if (in_python) return proof::verify(request);
  const nb::gil_scoped_release release;
  return proof::verify(request);
}

nb::tuple verify(const std::string& collective, const std::vector<std::string>& algorithms,
                 const std::vector<std::shared_ptr<UserAlgorithm>>& own, const std::string& ranks,
                 std::optional<Rank> root, std::optional<Count> count, std::optional<std::int32_t> element,
                 std::optional<double> limit, int jobs, const nb::object& progress) {
  proof::VerifyRequest request;
  request.ranks = ranks_of(ranks);
  for (const std::string& text : algorithms) {
    const Choice choice = choice_named(collective, text);
    if (text.find_first_of(":(") == std::string::npos)
      request.algorithms.push_back(choice.algorithm);
    else
      request.choices.push_back(choice);
  }
  for (const auto& algorithm : own) request.algorithms.push_back(&algorithm->algorithm());
  if (algorithms.empty() && own.empty() && !collective.empty())
    request.algorithms = algorithms_of(any_collective_named(collective));
  if (limit && !(*limit > 0 && *limit <= 1e9)) throw InputError("limit: expected seconds, above 0");
  request.only = {root, count, element};
  const std::vector<int> too_few = proof::expect_provable(request, "");
  request.seconds_per_case = limit;
  expect_thread_count(jobs, "jobs");
  request.processes = jobs;
  nb::list rows;
  for (const proof::Verdict& verdict : prove(request, !own.empty(), progress)) rows.append(row_of(verdict));
  return nb::make_tuple(rows, too_few);
}

}  // namespace

void add_verify(nb::module_& m) {
  m.def("verify", &verify, nb::kw_only(), nb::arg("collective"), nb::arg("algorithms"), nb::arg("own"),
        nb::arg("ranks"), nb::arg("root").none(), nb::arg("count").none(), nb::arg("element").none(),
        nb::arg("limit").none(), nb::arg("jobs"), nb::arg("progress").none());
}

}  // namespace tutti::python
