#include "calibration/limits.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "models/transport_class.hpp"

namespace tutti {
namespace {

using nlohmann::json;
constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

using Visit = std::function<void(const std::string& pointer, std::int64_t& bytes)>;

using PlaceOfKey = std::function<std::string(const std::string& key)>;

void visit_transport(Transport& transport, const PlaceOfKey& at, const Visit& visit) {
  visit(at("/eager_limit_bytes"), transport.eager_limit_bytes);
  visit(at("/blocking_eager_limit_bytes"), transport.blocking_eager_limit_bytes);
  visit(at("/acknowledged_above_bytes"), transport.acknowledged_above_bytes);
  visit(at("/half_duplex_above_bytes"), transport.half_duplex_above_bytes);
  for (std::size_t i = 0; i + 1 < transport.segments.size(); ++i)
    visit(at("/segments") + "/" + std::to_string(i) + "/up_to_bytes", transport.segments[i].up_to_bytes);
}

/// Of copies to oneself, whose segments follow from the rate of copies, the rate's limit is shown alone.
void visit_all(Machine& job, const json& document, bool larger_job, const Visit& visit) {
  for (int i = 1; i < distance_count; ++i)
    if (auto& transport = job.transports[i]) {
      const auto at = [&](const std::string& key) {
        return place_in_class(document, static_cast<Distance>(i), larger_job, key);
      };
      visit_transport(*transport, at, visit);
    }
  visit("/compute/reduce/cache_bytes", job.compute.reduce.cache_bytes);
  visit("/compute/copy/cache_bytes", job.compute.copy.cache_bytes);
  visit("/compute/temporary/mapped_from_bytes", job.compute.temporary.mapped_from_bytes);
  visit("/compute/temporary/trimmed_from_bytes", job.compute.temporary.trimmed_from_bytes);
}

}  // namespace

std::vector<ProtocolLimit> limits_of(const Machine& machine, const json& document, int ranks) {
  std::vector<ProtocolLimit> limits;
  Machine job = machine.for_job(ranks);
  visit_all(job, document, machine.is_larger_job(ranks), [&](const std::string& pointer, std::int64_t& bytes) {
    if (bytes == kNone || bytes == 0 || !document.contains(json::json_pointer(pointer))) return;
    if (limits.empty() || limits.back().pointer != pointer) limits.push_back({pointer, bytes});
  });
  return limits;
}

Machine with_limits(const Machine& machine, const json& document, int ranks, const std::vector<std::string>& wanted,
                    std::int64_t new_bytes) {
  Machine job = machine.for_job(ranks);
  job.larger_jobs = nullptr;
  visit_all(job, document, machine.is_larger_job(ranks), [&](const std::string& pointer, std::int64_t& bytes) {
    if (std::find(wanted.begin(), wanted.end(), pointer) != wanted.end()) bytes = new_bytes;
  });
  return job;
}

}  // namespace tutti
