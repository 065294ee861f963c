#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tutti {

/// 128 bits that the ranks of one job know and nobody else. Who connects proves that it knows them, without saying
/// them, before anything else that it says is believed. What this does not do: nothing is encrypted, and who can change
/// what is on its way between two ranks is not kept out (docs/trust.md).
class Secret {
 public:
  using Bytes = std::array<std::uint8_t, 16>;

  explicit Secret(const Bytes& bytes) : bytes_(bytes) {}
  /// A new one. Throws TeamError where the system gives no random numbers.
  static Secret make();
  /// From 32 hexadecimal digits; nullopt where it is something else.
  static std::optional<Secret> parse(std::string_view text);
  /// Those digits.
  std::string text() const;

  /// That the maker knows the secret and means `what`; of no use for anything else. SipHash-2-4 of 128 bits.
  Bytes proof_of(std::string_view what) const;
  /// Takes as long wherever two proofs differ.
  bool proves(const Bytes& proof, std::string_view what) const;

 private:
  Bytes bytes_;
};

/// As from a secret: nobody has seen it before. Throws TeamError.
Secret::Bytes random_bytes();

}  // namespace tutti
