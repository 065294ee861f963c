#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tutti {

/// What is left to do of long work, by what its parts have taken so far: those of one kind take so long as a power of
/// their size, which is fitted to those that are done. Used by one thread at a time.
class Forecast {
 public:
  struct Item {
    std::vector<std::string> kinds;  // from the narrowest, which tells the more, the more of it is done
    double size = 1;                 // it takes longer by a power of that
    double times = 1;                // and in proportion to that
    /// Until something of its kinds is done, it takes `ratio` times as long as what is of these.
    std::vector<std::string> like = {};
    double ratio = 1;
  };
  /// Returns its number.
  std::size_t add(Item item);
  /// More is known of one that is not done.
  void change(std::size_t number, Item item) { items_[number] = std::move(item); }
  /// `tells`: it took what such as it take, not less, as where an earlier sweep had done its work.
  void done(std::size_t item, double seconds, bool tells = true);
  std::size_t items() const { return items_.size(); }
  std::size_t items_done() const { return done_; }
  /// Of all the work, what is done: from 0 to 1; 0 while nothing tells what is left.
  double part_done() const;

 private:
  struct Fit {
    double weight = 0, x = 0, y = 0, xx = 0, xy = 0;  // weighted sums of logarithms: of sizes, of seconds
    /// `usual`: the slope of what it is like.
    double slope(double usual) const;
    double log_seconds(double log_size, double usual_slope) const;
  };
  double seconds_of(const Item& item) const;

  std::vector<Item> items_;
  std::vector<bool> is_done_;
  std::map<std::string, Fit> fits_;
  std::size_t done_ = 0;
  double seconds_ = 0;                     // that what is done took
  double telling_seconds_ = 0, work_ = 0;  // of what of it tells: how long it took; sizes
};

}  // namespace tutti
