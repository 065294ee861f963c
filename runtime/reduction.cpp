#include "runtime/reduction.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <tuple>

namespace tutti {
namespace {

// Sums of signed integers wrap around, as those of unsigned ones do.
template <class T>
using Wrapping = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;

template <Predefined op, class T>
[[gnu::always_inline]] inline T apply(T a, T b) {
  using W = Wrapping<T>;
  if constexpr (op == Predefined::sum)
    return static_cast<T>(static_cast<W>(a) + static_cast<W>(b));
  else if constexpr (op == Predefined::product && std::is_integral_v<T>)
    // Two 16-bit factors would be promoted to int, which can overflow.
    return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  else if constexpr (op == Predefined::product)
    return a * b;
  else if constexpr (op == Predefined::minimum)
    return b < a ? b : a;
  else if constexpr (op == Predefined::maximum)
    return a < b ? b : a;
  else if constexpr (op == Predefined::logical_and)
    return static_cast<T>(a != 0 && b != 0);
  else if constexpr (op == Predefined::logical_or)
    return static_cast<T>(a != 0 || b != 0);
  else if constexpr (op == Predefined::logical_xor)
    return static_cast<T>((a != 0) != (b != 0));
  else if constexpr (op == Predefined::bit_and)
    return static_cast<T>(a & b);
  else if constexpr (op == Predefined::bit_or)
    return static_cast<T>(a | b);
  else
    return static_cast<T>(a ^ b);
}

template <Predefined op, class T>
[[gnu::always_inline]] inline void loop(void* to, const void* left, const void* right, std::size_t elements) {
  T* const out = static_cast<T*>(to);
  const T *a = static_cast<const T*>(left), *b = static_cast<const T*>(right);
  // `to` may be left or right itself, but never starts inside of them.
#ifndef __clang__  // which warns of it
#pragma GCC ivdep
#endif
  for (std::size_t i = 0; i < elements; ++i) out[i] = apply<op, T>(a[i], b[i]);
}

template <Predefined op, class T>
void plain(void* to, const void* left, const void* right, std::size_t elements, const void*) {
  loop<op, T>(to, left, right, elements);
}
#ifdef __x86_64__
template <Predefined op, class T>
[[gnu::target("avx2")]] void with_avx2(void* to, const void* left, const void* right, std::size_t elements,
                                       const void*) {
  // Stores that cross lines cost as much as the rest.
  constexpr std::size_t kVector = 32;
  const std::size_t astray = reinterpret_cast<std::uintptr_t>(to) % kVector;
  const std::size_t head = astray % sizeof(T) == 0 ? std::min((kVector - astray) % kVector / sizeof(T), elements) : 0;
  loop<op, T>(to, left, right, head);
  loop<op, T>(static_cast<T*>(to) + head, static_cast<const T*>(left) + head, static_cast<const T*>(right) + head,
              elements - head);
}
bool has_avx2() {
  static const bool has = __builtin_cpu_supports("avx2");
  return has;
}
#endif

template <Predefined op, class T>
constexpr bool exists() {
  return std::is_integral_v<T> || op < Predefined::bit_and;
}

template <Predefined op, class T>
CombineFunction pick() {
  if constexpr (!exists<op, T>()) {
    return nullptr;
  } else {
#ifdef __x86_64__
    if (has_avx2()) return with_avx2<op, T>;
#endif
    return plain<op, T>;
  }
}

template <class T, std::size_t... op>
CombineFunction of_type(Predefined wanted, std::index_sequence<op...>) {
  using Pick = CombineFunction (*)();
  constexpr std::array<Pick, sizeof...(op)> all{pick<static_cast<Predefined>(op), T>...};
  return all.at(static_cast<std::size_t>(wanted))();
}

template <class... T>
CombineFunction of_size(Predefined op, std::size_t bytes) {
  CombineFunction found = nullptr;
  ((sizeof(T) == bytes ? void(found = of_type<T>(op, std::make_index_sequence<kPredefined>{})) : void()), ...);
  return found;
}

}  // namespace

std::string text_of(const Reduction& reduction) {
  if (!reduction.is_built_in)
    return std::string("of the caller, ") + (is_commutative(reduction.kind) ? "in any order" : "in the ranks' order");
  constexpr const char* kOperators[kPredefined] = {"sum",        "product",     "minimum", "maximum", "logical_and",
                                                   "logical_or", "logical_xor", "bit_and", "bit_or",  "bit_xor"};
  constexpr const char* kNumbers[] = {"signed integers", "unsigned integers", "floating-point numbers"};
  return std::string(kOperators[static_cast<std::size_t>(reduction.built_in)]) + " of " +
         kNumbers[static_cast<std::size_t>(reduction.numbers)];
}

CombineFunction predefined_function(Predefined op, NumberKind kind, std::size_t bytes) {
  CombineFunction found = nullptr;
  switch (kind) {
    case NumberKind::signed_integer:
      found = of_size<std::int8_t, std::int16_t, std::int32_t, std::int64_t>(op, bytes);
      break;
    case NumberKind::unsigned_integer:
      found = of_size<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(op, bytes);
      break;
    case NumberKind::floating:
      found = of_size<float, double>(op, bytes);
      break;
  }
  if (!found) throw std::invalid_argument("bitwise operators are for integers alone");
  return found;
}

}  // namespace tutti
