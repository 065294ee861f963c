#include "exporters/mpich_tree.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "json/document.hpp"

namespace tutti {
namespace embedded {
const std::map<std::string, std::string>& mpich_defaults();
}

namespace {

constexpr std::string_view kFigures[] = {"comm_size", "comm_avg_ppn", "count", "avg_msg_size", "total_msg_size"};

}  // namespace

std::optional<MpichComparison> mpich_comparison(std::string_view key) {
  const std::size_t sign = key.find('<');
  if (sign == std::string_view::npos) return std::nullopt;
  MpichComparison found{key.substr(0, sign)};
  if (std::find(std::begin(kFigures), std::end(kFigures), found.figure) == std::end(kFigures)) return std::nullopt;
  key.remove_prefix(sign + 1);
  found.inclusive = key.starts_with('=');
  key.remove_prefix(found.inclusive);
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), found.limit);
  if (key.empty() || error != std::errc{} || end != key.data() + key.size() || found.limit < 0 ||
      found.limit > std::numeric_limits<int>::max())
    return std::nullopt;
  return found;
}

namespace {

/// Of which every rank has all: the library's total is that of all ranks' vectors.
bool is_vector(Collective c) { return c == Collective::bcast || c == Collective::allreduce || c == Collective::reduce; }

/// What a call is asked by name.
class Questions {
 public:
  Questions(const Case& c, int nodes) : c_(c), nodes_(nodes) {}

  bool holds(std::string_view key) {
    is_late_ = is_late_ || !is_of_communicator(key);
    if (const auto compared = mpich_comparison(key)) {
      // The average is no whole number, of which the two comparisons see different sides. And what of a communicator
      // is looked at when it is made, not in the call, is compared rightly there alone.
      if (compared->figure == "comm_avg_ppn" && !compared->inclusive) return c_.ranks < compared->limit * nodes_;
      const bool is_inclusive = compared->inclusive || (is_late_ && compared->figure == "comm_size");
      return figure(compared->figure) < compared->limit + (is_inclusive ? 1 : 0);
    }
    const std::string_view value = key.substr(key.find('=') + 1);
    if (value == "any") return true;
    const auto ranks = static_cast<unsigned>(c_.ranks);
    if (key == "count<pow2") return c_.count < static_cast<Count>(std::bit_floor(ranks));
    if (key == "comm_size=pow2") return std::has_single_bit(ranks);
    if (key == "comm_size=node_comm_size") return nodes_ == 1;
    if (key.starts_with("collective=")) return value == name_of(c_.collective);
    if (key.starts_with("comm_type=")) return value == "intra";
    // All of a communicator's ranks on one node are a hierarchy, too; what is none is not told apart.
    if (key.starts_with("comm_hierarchy=")) return (value == "parent") == (nodes_ < c_.ranks);
    const bool wanted = value == "yes";
    if (key.starts_with("is_commutative=")) return wanted == is_commutative(c_.op);
    if (key.starts_with("is_op_built_in="))
      return wanted == (c_.op != Operator::user && c_.op != Operator::user_commutative);
    if (key.starts_with("is_sendbuf_inplace=")) return wanted == c_.in_place;
    if (key.starts_with("is_block_regular=")) return wanted == (c_.count % c_.ranks == 0);
    // MPICH looks at the order of ranks only where nodes make a difference.
    if (key.starts_with("is_node_consecutive=")) return wanted == (nodes_ > 1 && nodes_ < c_.ranks);
    if (key.starts_with("is_multi_threaded=")) return !wanted;
    throw std::logic_error("a condition that was not refused: " + std::string(key));
  }

  /// MPICH answers these for a communicator once, as far as they come before all others.
  static bool is_of_communicator(std::string_view key) {
    return key.starts_with("comm_") || key.starts_with("is_node_consecutive=") || key.ends_with("=any");
  }

 private:
  std::int64_t figure(std::string_view name) const {
    if (name == "comm_size") return c_.ranks;
    if (name == "comm_avg_ppn") return (c_.ranks + nodes_ - 1) / nodes_;
    if (name == "count") return c_.count;
    if (name == "avg_msg_size" && c_.collective == Collective::alltoall) return c_.count * c_.element_bytes;
    if (name == "total_msg_size" && is_vector(c_.collective)) return total_bytes(c_) * c_.ranks;
    if (name == "total_msg_size" && (c_.collective == Collective::gather || c_.collective == Collective::scatter))
      return c_.count * c_.ranks;  // elements
    return total_bytes(c_);
  }

  const Case& c_;
  const int nodes_;
  bool is_late_ = false;
};

constexpr std::string_view kWords[] = {"count<pow2",
                                       "comm_size=pow2",
                                       "comm_size=node_comm_size",
                                       "comm_type=intra",
                                       "comm_type=inter",
                                       "comm_hierarchy=parent",
                                       "comm_hierarchy=node_roots",
                                       "comm_hierarchy=node",
                                       "comm_hierarchy=flat",
                                       "comm_hierarchy=any",
                                       "comm_size=any",
                                       "comm_avg_ppn=any",
                                       "count=any",
                                       "avg_msg_size=any",
                                       "total_msg_size=any"};
constexpr std::string_view kQuestions[] = {"is_commutative",   "is_op_built_in",      "is_sendbuf_inplace",
                                           "is_block_regular", "is_node_consecutive", "is_multi_threaded"};

bool is_condition(std::string_view key) {
  if (mpich_comparison(key) || std::find(std::begin(kWords), std::end(kWords), key) != std::end(kWords)) return true;
  const std::string_view question = key.substr(0, key.find('=')),
                         answer = key.substr(std::min(key.size(), question.size() + 1));
  return std::find(std::begin(kQuestions), std::end(kQuestions), question) != std::end(kQuestions) &&
         (answer == "yes" || answer == "no");
}

bool is_leaf(const MpichTree& tree) { return tree.size() == 1 && tree.begin().key().starts_with("algorithm="); }

/// Whether one of the conditions holds in any call.
bool covers_all(const MpichTree& tree) {
  const auto has = [&](const std::string& key) { return tree.contains(key); };
  for (const auto& [key, below] : tree.items())
    if (key.ends_with("=any")) return true;
  if (has("comm_type=intra") && has("comm_type=inter")) return true;
  return std::any_of(std::begin(kQuestions), std::end(kQuestions), [&](std::string_view question) {
    return has(std::string(question) + "=yes") && has(std::string(question) + "=no");
  });
}

void check(const Document& document, const MpichTree& tree, const std::string& pointer) {
  if (!tree.is_object() || tree.empty()) document.fail(pointer, "expected an object with conditions or an algorithm");
  if (is_leaf(tree)) {
    if (!tree.begin()->is_object()) document.fail(pointer, "expected an object with the algorithm's parameters");
    return;
  }
  for (const auto& [key, below] : tree.items()) {
    if (!is_condition(key))
      document.fail(pointer + "/" + key, "expected a condition that MPICH knows, such as comm_size<=8");
    check(document, below, pointer + "/" + key);
  }
  if (!covers_all(tree)) document.fail(pointer, "expected a last condition that always holds, such as comm_size=any");
}

std::string condition_of(const std::string& word) {
  static const std::map<std::string, std::string> whole{{"intra", "comm_type=intra"},
                                                        {"inter", "comm_type=inter"},
                                                        {"parent", "comm_hierarchy=parent"},
                                                        {"any", "comm_hierarchy=any"}};
  if (const auto known = whole.find(word); known != whole.end()) return known->second;
  for (const auto& [begin, said] :
       {std::pair("size", "comm_size"), {"avg", "avg_msg_size"}, {"total", "total_msg_size"}})
    if (word.starts_with(begin)) return said + word.substr(std::string_view(begin).size());
  return word;
}

MpichTree read_default() {
  MpichTree root;
  std::istringstream lines(embedded::mpich_defaults().at("mpich_default"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string word;
    words >> word;
    MpichTree* here = &root["collective=" + word];
    bool is_late = false;  // as in Questions: what is written means the same wherever it stands in a file
    while (words >> word && word != ">") {
      std::string key = condition_of(word);
      is_late = is_late || !Questions::is_of_communicator(key);
      if (const auto compared = mpich_comparison(key);
          compared && compared->figure == "comm_size" && !compared->inclusive)
        key = "comm_size<=" + std::to_string(compared->limit - (is_late ? 0 : 1));
      here = &(*here)[key];
    }
    words >> word;
    MpichTree& parameters = (*here)["algorithm=MPIR_" + word] = MpichTree::object();
    while (words >> word) parameters[word] = MpichTree::object();
  }
  return root;
}

}  // namespace

const MpichTree& mpich_default() {
  static const MpichTree tree = read_default();
  return tree;
}

MpichTree parse_mpich_tree(const std::string& text, const std::string& origin) {
  if (text.starts_with("\xEF\xBB\xBF"))  // which our parser passes over; seen with 5.0.2
    throw InputError(origin + ":1: expected { at its beginning: MPICH stops at a byte order mark");
  const Document document(text, origin);
  MpichTree root = MpichTree::parse(text);
  if (!root.is_object()) document.fail("", "expected an object with collectives");
  for (const auto& [key, tree] : root.items()) {
    if (!key.starts_with("collective=")) document.fail("/" + key, "expected collective=NAME");
    check(document, tree, "/" + key);
  }
  for (const auto& [key, tree] : mpich_default().items())
    if (!root.contains(key)) document.fail("", "expected " + key + ": MPICH stops where a collective is missing");
  return root;
}

const MpichTree& leaf_of(const MpichTree& tree, const Case& c, int nodes, std::vector<std::string>* path) {
  Questions call(c, nodes);
  const MpichTree* here = &tree;
  while (!is_leaf(*here)) {
    const MpichTree* next = nullptr;
    for (const auto& [key, below] : here->items()) {
      if (next || !call.holds(key)) continue;
      next = &below;
      if (path) path->push_back(key);
    }
    if (!next) throw std::logic_error("leaf_of: no condition holds");
    here = next;
  }
  return *here;
}

}  // namespace tutti
