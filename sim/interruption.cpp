#include "sim/interruption.hpp"

namespace tutti {
namespace {

thread_local const std::atomic<bool>* stop_of_thread = nullptr;

}  // namespace

Interruptible::Interruptible(const std::atomic<bool>& stop) : before_(stop_of_thread) { stop_of_thread = &stop; }
Interruptible::~Interruptible() { stop_of_thread = before_; }

bool interrupted() { return stop_of_thread != nullptr && stop_of_thread->load(std::memory_order_relaxed); }

}  // namespace tutti
