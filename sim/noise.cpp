#include "sim/noise.hpp"

#include <cmath>
#include <set>
#include <string>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "sim/measured_lines.hpp"

namespace tutti {
namespace {

constexpr double kLeastSeconds = 1e-9, kMostSeconds = 100;

double end_of(const Noise::Detour& detour) { return detour.begin_seconds + detour.duration_seconds; }

std::shared_ptr<const std::vector<Noise::Detour>> read_detours(const std::string& file) {
  auto detours = std::make_shared<std::vector<Noise::Detour>>();
  read_measured(file, "begin_us,duration_us", 2, [&](const MeasuredLine& line) {
    if (!(line[0] >= 0) || !(line[1] > 0) || !(line[0] + line[1] <= kMostSeconds * 1e6))
      line.refuse("begin_us,duration_us: 0 or later, longer than 0, over by 100 s");
    const Noise::Detour detour{line[0] * 1e-6, line[1] * 1e-6};
    if (!detours->empty() && detour.begin_seconds <= end_of(detours->back()))
      line.refuse("a detour that begins after the one before has ended");
    detours->push_back(detour);
  });
  return detours;
}

}  // namespace

std::string Noise::text() const {
  return (measured ? "file=" + file : "every=" + shortest(every_seconds) + ",for=" + shortest(for_seconds)) +
         (by_node ? ",by=node" : "");
}

double Noise::share() const {
  if (!measured) return for_seconds / (every_seconds + for_seconds);
  double busy = 0;
  for (const Detour& detour : *measured) busy += detour.duration_seconds;
  return busy / end_of(measured->back());
}

Noise parse_noise(const std::string& text) {
  const std::string where = "noise '" + text + "'";
  Noise noise;
  std::set<std::string> given;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t equals = part.find('=');
    const std::string key = part.substr(0, equals), value = equals == std::string::npos ? "" : part.substr(equals + 1);
    if (!given.insert(key).second) throw InputError(where + ": expected " + key + " once");
    const auto seconds = [&] {
      const double number = number_from<double>(value).value_or(-1);
      if (!(number >= kLeastSeconds && number <= kMostSeconds))
        throw InputError(where + ", " + key + ": expected seconds, 1e-9 to 100, got '" + value + "'");
      return number;
    };
    if (key == "every") {
      noise.every_seconds = seconds();
    } else if (key == "for") {
      noise.for_seconds = seconds();
    } else if (key == "file" && !value.empty()) {
      noise.file = value;
      noise.measured = read_detours(value);
    } else if (key == "by" && (value == "node" || value == "core")) {
      noise.by_node = value == "node";
    } else {
      throw InputError(where + ": expected every=SECONDS,for=SECONDS or file=FILE, and by=node or by=core, got '" +
                       part + "'");
    }
  }
  const bool drawn = noise.every_seconds > 0 && noise.for_seconds > 0;
  if (drawn == (noise.measured != nullptr) || (noise.measured && noise.every_seconds + noise.for_seconds > 0))
    throw InputError(where + ": expected either every=SECONDS,for=SECONDS or file=FILE");
  return noise;
}

Detours::Detours(const Noise& noise, std::uint64_t seed) : noise_(noise) {
  std::seed_seq mixed{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  random_.seed(mixed);
  if (noise.measured) {
    next_ = random_() % noise.measured->size();
    const Noise::Detour& first = (*noise.measured)[next_];
    const double since = next_ > 0 ? end_of((*noise.measured)[next_ - 1]) : 0;  // nothing has interrupted it
    offset_seconds_ =
        (first.begin_seconds - since) * std::generate_canonical<double, 32>(random_) - first.begin_seconds;
  }
  go_on();
}

void Detours::go_on() {
  if (!noise_.measured) {
    begin_seconds_ = end_seconds_ - noise_.every_seconds * std::log1p(-std::generate_canonical<double, 32>(random_));
    end_seconds_ = begin_seconds_ + noise_.for_seconds;
    return;
  }
  const std::vector<Noise::Detour>& all = *noise_.measured;
  if (next_ == all.size()) {  // where the last one has ended the file begins anew
    next_ = 0;
    offset_seconds_ = end_seconds_;
  }
  begin_seconds_ = offset_seconds_ + all[next_].begin_seconds;
  end_seconds_ = begin_seconds_ + all[next_].duration_seconds;
  ++next_;
}

double Detours::stretched(double begin_seconds, double seconds) {
  while (end_seconds_ <= begin_seconds) go_on();
  double now = begin_seconds, left = seconds;
  if (begin_seconds_ <= begin_seconds) {
    now = end_seconds_;
    go_on();
  }
  while (begin_seconds_ < now + left) {
    left -= begin_seconds_ - now;
    now = end_seconds_;
    go_on();
  }
  return now + left - begin_seconds;
}

}  // namespace tutti
