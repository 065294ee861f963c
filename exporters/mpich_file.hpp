#pragma once

#include "exporters/mpich_tree.hpp"
#include "json/document.hpp"
#include "selection/export.hpp"

namespace tutti {

/// A selection file that was read.
class MpichFile final : public TuningFile {
 public:
  /// `with_device`: where it has the default, the device's compositions come first. With `doubts` algorithms that are
  /// none of ours are told there.
  MpichFile(const std::string& text, const std::string& origin, bool with_device, Doubts* doubts = nullptr);

  void lint(Doubts& findings) const;
  std::optional<Choice> decide(const Case& c, const RanksOnNodes& on, Explanation* why) const override;

 private:
  /// Between ranks of one communicator, every algorithm is one of ours.
  void check_names(Collective collective, const MpichTree& tree, const std::string& pointer, Doubts* doubts);
  void explain(const std::vector<std::string>& path, const MpichTree& leaf, bool is_own, Explanation& why) const;

  MpichTree tree_;
  Document document_;
  const bool with_device_;
};

}  // namespace tutti
