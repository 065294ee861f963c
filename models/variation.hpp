#pragma once
// A machine's text with some of its figures changed: what if the machine were another one?

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tutti {

/// One figure that was changed.
struct Edit {
  std::string path;           ///< "network.fat_tree.layers.0.parents"
  std::string before, after;  ///< as JSON; before is empty where the file left it to its default
};

/// All members throw InputError that says what was expected; it names neither file nor option. A value is checked
/// against the schema when the text is parsed.
class Variation {
 public:
  /// The text must be a machine's.
  explicit Variation(const std::string& machine_text);

  /// `path`: keys joined by dots, numbers of elements (from 0) or * for all of them: "transport.network.segments.*.
  /// latency_seconds". Figures of the model and what the schema lets a file leave out, nothing else. `value`: a number
  /// (64K where it is whole bytes), true, false or a word, or a part more or less of what there is: +50%, -20%.
  void set(const std::string& path, const std::string& value);
  /// Of a level (levels()): cables, channels or messages at a distance. `value` as above.
  void set_latency(const std::string& level, const std::string& value);
  void set_bandwidth(const std::string& level, const std::string& value);
  /// What leads up from the switches of a level is to carry 1/ratio of what leads down: cables are taken away or added,
  /// or, where routing joins them to trunks, all are made slower or faster.
  void set_taper(const std::string& level, double ratio);
  /// A node has so many adapters of so many bytes per second each, spread evenly over its NUMA domains where the number
  /// is another one. A lone message's rate goes with that of the adapters, as one of the stages that it passes in turn,
  /// or the only one where it is as fast as they are.
  void set_adapters(int count, double bytes_per_second);

  /// What set_latency and set_bandwidth know, by the JSON's keys: "leaf", "global", "nic", "memory", "network" …
  std::vector<std::string> levels() const;
  /// The paths of all figures that can be set, those included that the file leaves out.
  std::vector<std::string> paths() const;

  /// The cables that `path` or a level's name is about and that flows do not share, as "network.dragonfly.global":
  /// changing how many there are changes no time. Empty where flows share them.
  std::string unshared_cables(const std::string& level) const;

  /// Routing joins all cables that lead the same way to one link.
  bool has_trunks() const;

  std::string text() const { return root_.dump(1); }
  const nlohmann::json& root() const { return root_; }
  const std::vector<Edit>& edits() const { return edits_; }
  /// What was assumed beside what was asked for, a line each.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void set_at(const std::string& pointer, const nlohmann::json& value);
  void set_figures(const std::vector<std::string>& paths, const std::string& value);
  void follow_adapters(double before, double after);
  bool set_listed_cables(const std::string& level, const std::string& what, const std::string& unit,
                         const std::string& value);

  nlohmann::json root_;
  std::vector<Edit> edits_;
  std::vector<std::string> notes_;
};

/// A fabric's levels in a machine's file: the name that link levels begin with, and the pointer of the object that has
/// the cables' figures.
struct CableLevel {
  std::string name, pointer;
};
std::vector<CableLevel> cable_levels_of(const nlohmann::json& machine);

}  // namespace tutti
