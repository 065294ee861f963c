#include "sim/proof/contributions.hpp"

#include <algorithm>

#include "sim/proof/executor.hpp"

namespace tutti::proof {

void Contributions::begin(Rank rank, const Case& c) {
  State& state = state_of(rank);
  state.c = c;
  state.buffers.fill(terms_, c, rank);
  state.heard_of.assign(c.collective == Collective::barrier ? ranks_.size() : 0, false);
  if (!state.heard_of.empty()) state.heard_of[rank] = true;
}

void Contributions::end(Rank rank) {
  if (fault_) return;
  const State& state = state_of(rank);
  fault_ = check_buffers(terms_, state.c, rank, state.buffers);
  const auto missing = std::find(state.heard_of.begin(), state.heard_of.end(), false);
  if (missing != state.heard_of.end())
    found(FaultKind::missing_contribution, rank,
          "leaves the barrier and has not heard of rank " + std::to_string(missing - state.heard_of.begin()));
}

void Contributions::found(FaultKind kind, Rank rank, const std::string& text) {
  if (!fault_) fault_ = Fault{kind, "rank " + std::to_string(rank) + " " + text};
}

bool Contributions::may_touch(Rank rank, const View& view, Count elements) {
  if (const auto text = state_of(rank).buffers.outside(view)) {
    found(FaultKind::out_of_bounds, rank, *text);
    return false;
  }
  if (view.elements() == elements) return true;
  found(FaultKind::size_mismatch, rank,
        "moves " + std::to_string(elements) + " elements to where there are " + std::to_string(view.elements()));
  return false;
}

Payload::Parcel Contributions::pack(Rank rank, const View& what) {
  if (free_.empty()) {
    free_.push_back(static_cast<Parcel>(parcels_.size()));
    parcels_.emplace_back();
  }
  const Parcel parcel = free_.back();
  free_.pop_back();
  Content& content = parcels_[parcel];
  content.pieces.clear();
  content.heard_of = state_of(rank).heard_of;
  if (may_touch(rank, what, what.elements())) state_of(rank).buffers.gather(what, content.pieces);
  return parcel;
}

bool Contributions::open(Parcel parcel, Rank rank, const View& to, Pieces& into) {
  Content& content = parcels_[parcel];
  free_.push_back(parcel);
  into.swap(content.pieces);
  Ranks& heard_of = state_of(rank).heard_of;
  for (std::size_t other = 0; other < std::min(heard_of.size(), content.heard_of.size()); ++other)
    if (content.heard_of[other]) heard_of[other] = true;
  return may_touch(rank, to, elements_of(into));
}

void Contributions::write(Rank rank, const View& to) {
  if (const auto text = state_of(rank).buffers.constant(to)) found(FaultKind::input_overwritten, rank, *text);
  state_of(rank).buffers.scatter(to, left_);
}

void Contributions::unpack(Parcel parcel, Rank rank, const View& to) {
  if (open(parcel, rank, to, left_)) write(rank, to);
}

void Contributions::unpack_combined(Parcel parcel, Rank rank, const View& to, const View& own, Incoming side) {
  const bool is_left = side == Incoming::left;
  if (!open(parcel, rank, to, is_left ? left_ : right_) || !may_touch(rank, own, to.elements())) return;
  state_of(rank).buffers.gather(own, is_left ? right_ : left_);
  combine_into(left_, right_, terms_);
  write(rank, to);
}

void Contributions::copy(Rank rank, const View& to, const View& from) {
  if (!may_touch(rank, from, from.elements()) || !may_touch(rank, to, from.elements())) return;
  if (to == from) return;  // nothing is written
  state_of(rank).buffers.gather(from, left_);
  write(rank, to);
}

void Contributions::combine(Rank rank, const View& to, const View& left, const View& right) {
  for (const View& view : {to, left, right})
    if (!may_touch(rank, view, to.elements())) return;
  state_of(rank).buffers.gather(left, left_);
  state_of(rank).buffers.gather(right, right_);
  combine_into(left_, right_, terms_);
  write(rank, to);
}

std::string Contributions::fault() const {
  return fault_ ? std::string(name_of(fault_->kind)) + ": " + fault_->text : "";
}

std::unique_ptr<Payload> make_contributions(int ranks) { return std::make_unique<Contributions>(ranks); }

}  // namespace tutti::proof
