// Comm, Call, View and operations as an algorithm in Python sees them.

#include <nanobind/operators.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "algos/operator.hpp"
#include "base/error.hpp"
#include "python/bindings.hpp"
#include "python/handles.hpp"
#include "python/user_algorithm.hpp"

namespace nb = nanobind;

namespace tutti::python {
namespace {

/// An operation of the backend. What it throws is kept, so that a proof is told of its own faults.
template <class Post>
auto post(const CommHandle& handle, const Post& operation) {
  handle.state->expect_alive();
  try {
    return operation(handle.comm);
  } catch (const std::exception&) {
    handle.state->refused = std::current_exception();
    throw;
  }
}

Incoming side_named(const std::string& name) {
  if (name == "left") return Incoming::left;
  if (name == "right") return Incoming::right;
  throw InputError("incoming '" + name + "': expected left or right");
}

CommHandle group_of(const CommHandle& handle, const std::string& level, Comm (Comm::*make)(Level) const) {
  return post(handle, [&](const Comm& comm) { return CommHandle{(comm.*make)(level_of(level)), handle.state}; });
}

InnerHandle inner_call(const CommHandle& handle, const nb::object& algorithm, const CallHandle& call,
                       const std::map<std::string, std::int64_t>& parameters) {
  handle.state->expect_alive();
  call.state->expect_alive();
  Choice choice;
  const nb::object own =
      nb::hasattr(algorithm, "_own") ? algorithm.attr("_own") : algorithm;  // tutti.Algorithm, Choice
  if (nb::isinstance<UserAlgorithm>(own)) {
    choice = nb::cast<const UserAlgorithm&>(own).choice(parameters);
  } else if (nb::isinstance<UserChoice>(own)) {
    const auto& chosen = nb::cast<const UserChoice&>(own);
    std::map<std::string, std::int64_t> all = chosen.parameters;
    for (const auto& [name, value] : parameters) all[name] = value;
    choice = chosen.algorithm->choice(all);
  } else if (!nb::isinstance<nb::str>(own)) {
    throw nb::type_error("expected an algorithm's name, such as 'bcast/binomial', or a tutti.Algorithm");
  } else {
    const auto name = nb::cast<std::string>(algorithm);  // "bcast/binomial"
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos)
      throw InputError("algorithm '" + name + "': expected COLLECTIVE/NAME, such as bcast/binomial");
    std::string text = name.substr(slash + 1);
    for (const auto& [parameter, value] : parameters) text += ":" + parameter + "=" + std::to_string(value);
    choice = parse_choice(collective_named(name.substr(0, slash)), text);
  }
  auto inner =
      std::make_shared<InnerCall>(InnerCall{std::make_shared<Choice>(std::move(choice)), handle.comm, call.call});
  inner->call.parameters = Parameters(inner->choice->parameters);
  return {std::move(inner), handle.state};
}

/// `await x` yields x itself to whoever runs the body.
template <class Class>
void make_awaitable(nb::class_<Class>& type) {
  type.def("__await__", [](const nb::object& self) { return nb::make_tuple(self).attr("__iter__")(); });
}

void add_views(nb::module_& m) {
  nb::class_<View>(m, "View", "Elements of one of a call's buffers: a name, no data.")
      .def_prop_ro(
          "elements", [](const View& v) { return v.elements(); }, "How many elements it names.")
      .def_prop_ro(
          "is_contiguous", [](const View& v) { return v.is_contiguous(); },
          "Whether it names one run of elements, as slice, every and excluding need it.")
      .def("slice", &View::slice, nb::arg("offset"), nb::arg("count"), "count elements from offset on.")
      .def("run", &View::run, nb::arg("i"), "The i-th run.")
      .def("every", &View::every, nb::arg("offset"), nb::arg("count"), nb::arg("step"),
           "count elements at offset, again every step elements, the last run clipped.")
      .def("excluding", &View::except, nb::arg("offset"), nb::arg("count"), "All but count elements from offset on.")
      .def(
          "__len__", [](const View& v) { return v.elements(); }, "Elements.")
      .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"))
      .def("__repr__", [](const View& v) {
        return "<View of buffer " + std::to_string(v.buffer) + ", " + std::to_string(v.elements()) + " elements from " +
               std::to_string(v.first) + ">";
      });
}

void add_call(nb::module_& m) {
  nb::class_<CallHandle>(m, "Call", "One collective call as one rank sees it; sizes in elements.")
      .def_prop_ro(
          "input", [](const CallHandle& c) { return c.call.in; },
          "What this rank reads; where it means nothing (a scatter away from the root), empty. Of a bcast the same as "
          "output.")
      .def_prop_ro(
          "output", [](const CallHandle& c) { return c.call.out; },
          "What this rank writes; where it means nothing (a reduce away from the root), empty.")
      .def_prop_ro(
          "root", [](const CallHandle& c) { return c.call.root; }, "The root of a rooted collective.")
      .def_prop_ro(
          "in_place", [](const CallHandle& c) { return c.call.in_place; },
          "Whether input names the same elements as output.")
      .def_prop_ro(
          "commutative", [](const CallHandle& c) { return c.call.commutative(); },
          "Whether operands may be combined in any order.")
      .def_prop_ro(
          "element_bytes", [](const CallHandle& c) { return c.call.element_bytes; }, "Bytes of an element.")
      .def(
          "block",
          [](const CallHandle& c, int i, int n) {
            if (i < 0 || n < 0 || n > c.call.blocks.parts - i) throw nb::index_error("no such block");
            return c.call.block(i, n);
          },
          nb::arg("i"), nb::arg("n") = 1, "Block i of the buffer that is divided among ranks, or n blocks from i on.")
      .def(
          "with_buffers",
          [](const CallHandle& c, const View& in, const View& out, int root) {
            CallHandle changed = c;
            changed.call.in = in;
            changed.call.out = out;
            changed.call.root = root;
            return changed;
          },
          nb::arg("input"), nb::arg("output"), nb::arg("root") = 0,
          "The same call of other elements, for an inner call.")
      .def(
          "parameter",
          [](const CallHandle& c, const std::string& name) {
            c.state->expect_alive();
            if (const std::int64_t* const value = c.call.parameters.find(name)) return *value;
            throw nb::key_error(("the algorithm declares no parameter '" + name + "'").c_str());
          },
          nb::arg("name"), "The value of a parameter that the algorithm declares; sizes (segment) in bytes.")
      .def(
          "segment_elements",
          [](const CallHandle& c, Count all) {
            c.state->expect_alive();
            return c.call.segment_elements(all);
          },
          nb::arg("all"),
          "Elements in a segment: the parameter segment in whole elements, at least one; 0 bytes: all.");
}

void add_comm(nb::module_& m) {
  nb::class_<OpHandle> op(m, "Op", "A posted operation: yield it, or await it.");
  make_awaitable(op);
  nb::class_<WaitHandle> wait(m, "Wait");
  make_awaitable(wait);
  nb::class_<BlockingHandle> blocking(m, "BlockingSend");
  make_awaitable(blocking);
  nb::class_<InnerHandle> inner(m, "InnerCall");
  make_awaitable(inner);
  nb::class_<CommHandle>(
      m, "Comm",
      "A rank's handle on its communicator. Operations post and return at once; nothing is ordered but by waiting.")
      .def_prop_ro(
          "rank", [](const CommHandle& c) { return c.comm.rank(); }, "This rank's number, from 0.")
      .def_prop_ro(
          "size", [](const CommHandle& c) { return c.comm.size(); }, "How many ranks there are.")
      .def_prop_ro(
          "is_member", [](const CommHandle& c) { return c.comm.is_member(); }, "Whether this rank belongs to it.")
      .def(
          "send",
          [](const CommHandle& h, Rank to, const View& what, int lane) {
            return post(h, [&](const Comm& c) { return OpHandle{c.send(to, what, lane)}; });
          },
          nb::arg("to"), nb::arg("what"), nb::arg("lane") = 0,
          "Posts a send to a rank. Messages match in order per lane, 0 to 255.")
      .def(
          "recv",
          [](const CommHandle& h, Rank from, const View& into, int lane) {
            return post(h, [&](const Comm& c) { return OpHandle{c.recv(from, into, lane)}; });
          },
          nb::arg("source"), nb::arg("into"), nb::arg("lane") = 0, "Posts a receive from a rank.")
      .def(
          "blocking_send",
          [](const CommHandle& h, Rank to, const View& what, int lane) {
            return BlockingHandle{{h.comm, to, what, 0, {}, lane}, h.state};
          },
          nb::arg("to"), nb::arg("what"), nb::arg("lane") = 0,
          "To yield, or to await: sends and waits for it, as MPI_Send does. Libraries may send so in another way.")
      .def(
          "exchange",
          [](const CommHandle& h, Rank to, const View& what, Rank from, const View& into, int lane) {
            return BlockingHandle{{h.comm, to, what, from, into, lane}, h.state};
          },
          nb::arg("to"), nb::arg("what"), nb::arg("source"), nb::arg("into"), nb::arg("lane") = 0,
          "To yield, or to await: receives and sends, and waits for both, as MPI_Sendrecv does.")
      .def(
          "make_requests",
          [](const CommHandle& h, int count) {
            post(h, [&](const Comm& c) {
              c.make_requests(count);
              return 0;
            });
          },
          nb::arg("count"), "Says that so many of the sends and receives that follow are persistent requests.")
      .def(
          "recv_combine",
          [](const CommHandle& h, Rank from, const View& to, const View& own, const std::string& side, int lane) {
            return post(h,
                        [&](const Comm& c) { return OpHandle{c.recv_combine(from, to, own, side_named(side), lane)}; });
          },
          nb::arg("source"), nb::arg("to"), nb::arg("own"), nb::arg("incoming") = "right", nb::arg("lane") = 0,
          "Posts a receive that combines: to = own (op) message, or message (op) own where incoming is 'left'.")
      .def(
          "copy",
          [](const CommHandle& h, const View& to, const View& from) {
            return post(h, [&](const Comm& c) { return OpHandle{c.copy(to, from)}; });
          },
          nb::arg("to"), nb::arg("source"), "Posts a copy of as many elements; the views are identical or disjoint.")
      .def(
          "combine",
          [](const CommHandle& h, const View& to, const View& left, const View& right) {
            return post(h, [&](const Comm& c) { return OpHandle{c.combine(to, left, right)}; });
          },
          nb::arg("to"), nb::arg("left"), nb::arg("right"), "Posts to = left (op) right, element by element.")
      .def(
          "scratch",
          [](const CommHandle& h, Count elements) {
            return post(h, [&](const Comm& c) { return c.scratch(elements); });
          },
          nb::arg("elements"), "Memory for so many elements, which lives as long as the call.")
      .def(
          "wait",
          [](const CommHandle&, const nb::args& ops) {
            WaitHandle handle;
            for (const nb::handle one : ops) {
              if (!nb::isinstance<OpHandle>(one)) throw nb::type_error("wait: expected operations");
              handle.ops.push_back(nb::cast<const OpHandle&>(one).op);
            }
            return handle;
          },
          "What to yield, or to await: all these operations.")
      .def("call", &inner_call, nb::arg("algorithm"), nb::arg("call"),
           nb::arg("parameters") = std::map<std::string, std::int64_t>{},
           "A call of another algorithm, 'bcast/binomial' or one in Python, on this communicator: yield it, or await "
           "it.")
      .def(
          "group", [](const CommHandle& h, const std::string& level) { return group_of(h, level, &Comm::group); },
          nb::arg("level") = "node",
          "The ranks here that share this one's cache, numa domain, socket, node, leaf or group (of switches).")
      .def(
          "leaders", [](const CommHandle& h, const std::string& level) { return group_of(h, level, &Comm::leaders); },
          nb::arg("level") = "node", "The first rank of each of those; no member where is_member is false.")
      .def(
          "peers", [](const CommHandle& h, const std::string& level) { return group_of(h, level, &Comm::peers); },
          nb::arg("level") = "node", "Of each node the rank with this rank's number there.")
      .def(
          "leader_of",
          [](const CommHandle& h, Rank rank, const std::string& level) {
            return post(h, [&](const Comm& c) { return c.leader_of(rank, level_of(level)); });
          },
          nb::arg("rank"), nb::arg("level") = "node", "The first rank on the node of a rank.")
      .def(
          "rank_of", [](const CommHandle& h, Rank world_rank) { return h.comm.rank_of(world_rank); },
          nb::arg("world_rank"), "The number that one of all ranks has here; -1: none.");
}

}  // namespace

void add_calls(nb::module_& m) {
  add_views(m);
  add_call(m);
  add_comm(m);
}

}  // namespace tutti::python
