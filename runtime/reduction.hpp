#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "algos/call.hpp"

namespace tutti {

/// The operators that are built in. On all arithmetic types of 1 to 8 bytes, but the bitwise ones on integers alone.
/// Logical ones give 1 or 0. Sums of bool are what logical_or gives, products what logical_and gives.
enum class Predefined : std::uint8_t {
  sum,
  product,
  minimum,
  maximum,
  logical_and,
  logical_or,
  logical_xor,
  bit_and,
  bit_or,
  bit_xor
};
inline constexpr int kPredefined = 10;

/// to[i] = left[i] (operator) right[i] for all i; `to` may be left or right, or overlap neither.
using CombineFunction = void (*)(void* to, const void* left, const void* right, std::size_t elements,
                                 const void* context);

enum class NumberKind : std::uint8_t { signed_integer, unsigned_integer, floating };

/// An operator on elements of one type, as the executor calls it.
struct Reduction {
  CombineFunction combine = nullptr;
  const void* context = nullptr;
  Operator kind = Operator::sum;  // what algorithms may know of it
  bool is_built_in = false;
  Predefined built_in = Predefined::sum;  // where it is, this one, on such numbers
  NumberKind numbers = NumberKind::signed_integer;
};
/// "sum of signed integers", "of the caller, in any order"; the same on all ranks.
std::string text_of(const Reduction& reduction);

/// int8_t … int64_t, uint8_t … uint64_t, float, double, and the types equal to these in size and kind.
template <class T>
concept Arithmetic = (std::integral<T> || std::same_as<T, float> || std::same_as<T, double>)&&sizeof(T) <= 8;

CombineFunction predefined_function(Predefined op, NumberKind kind, std::size_t bytes);

template <Arithmetic T>
Reduction reduction_of(Predefined op) {
  constexpr NumberKind kind = std::floating_point<T> ? NumberKind::floating
                              : std::is_signed_v<T>  ? NumberKind::signed_integer
                                                     : NumberKind::unsigned_integer;
  constexpr Operator known[] = {Operator::sum, Operator::product, Operator::minimum, Operator::maximum};
  const auto index = static_cast<std::size_t>(op);
  if constexpr (std::same_as<std::remove_cv_t<T>, bool>) {  // which holds nothing but 0 and 1
    if (op == Predefined::sum) return reduction_of<bool>(Predefined::logical_or);
    if (op == Predefined::product) return reduction_of<bool>(Predefined::logical_and);
  }
  return {predefined_function(op, kind, sizeof(T)),
          nullptr,
          index < 4 ? known[index] : Operator::user_commutative,
          true,
          op,
          kind};
}

/// An operator of the caller: an associative T(const T& left, const T& right), on any trivially copyable T; a function
/// or an object. An object that holds something is referred to and must outlive the call.
template <class F>
struct UserOperator {
  const F& function;
  bool commutative;
};
/// Operands may be combined in any order.
template <class F>
UserOperator<F> commutative(const F& function) {
  return {function, true};
}
/// Operands are combined in the order of the ranks: left is what comes from lower ones.
template <class F>
UserOperator<F> ordered(const F& function) {
  return {function, false};
}

template <class T, class F>
Reduction reduction_of(const UserOperator<F>& op) {
  static_assert(std::is_trivially_copyable_v<T>);
  constexpr bool stateless = std::is_empty_v<F> && std::is_default_constructible_v<F>;
  constexpr bool plain = std::is_function_v<F>;
  const CombineFunction combine = [](void* to, const void* left, const void* right, std::size_t elements,
                                     const void* context) {
    T* const out = static_cast<T*>(to);
    const T *a = static_cast<const T*>(left), *b = static_cast<const T*>(right);
    if constexpr (stateless) {
      const F function{};
      for (std::size_t i = 0; i < elements; ++i) out[i] = function(a[i], b[i]);
    } else {
      const F& function = *[&] {
        if constexpr (plain)
          return reinterpret_cast<F*>(const_cast<void*>(context));
        else
          return static_cast<const F*>(context);
      }();
      for (std::size_t i = 0; i < elements; ++i) out[i] = function(a[i], b[i]);
    }
  };
  const Operator kind = op.commutative ? Operator::user_commutative : Operator::user;
  if constexpr (plain)
    return {combine, reinterpret_cast<const void*>(&op.function), kind};
  else
    return {combine, stateless ? nullptr : &op.function, kind};
}

}  // namespace tutti
