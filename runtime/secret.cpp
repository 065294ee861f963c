#include "runtime/secret.hpp"

#include <sys/random.h>

#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "runtime/error.hpp"

namespace tutti {
namespace {

/// Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012), with the output of 128 bits of its reference code.
struct Sip {
  std::uint64_t v0, v1, v2, v3;

  Sip(std::uint64_t k0, std::uint64_t k1)
      : v0(k0 ^ 0x736f6d6570736575),
        v1(k1 ^ 0x646f72616e646f6d ^ 0xee),
        v2(k0 ^ 0x6c7967656e657261),
        v3(k1 ^ 0x7465646279746573) {}

  void rounds(int count) {
    for (; count > 0; --count) {
      v0 += v1, v1 = std::rotl(v1, 13) ^ v0, v0 = std::rotl(v0, 32);
      v2 += v3, v3 = std::rotl(v3, 16) ^ v2;
      v0 += v3, v3 = std::rotl(v3, 21) ^ v0;
      v2 += v1, v1 = std::rotl(v1, 17) ^ v2, v2 = std::rotl(v2, 32);
    }
  }
  void take(std::uint64_t word) {
    v3 ^= word;
    rounds(2);
    v0 ^= word;
  }
  std::uint64_t finish(std::uint64_t& mixed, std::uint64_t by) {
    mixed ^= by;
    rounds(4);
    return v0 ^ v1 ^ v2 ^ v3;
  }
};

/// Up to eight bytes as a little-endian number.
std::uint64_t word_of(const void* bytes, std::size_t count = 8) {
  std::array<std::uint8_t, 8> each{};
  std::memcpy(each.data(), bytes, count);
  std::uint64_t word = 0;
  for (std::size_t i = each.size(); i-- > 0;) word = word << 8 | each[i];
  return word;
}

}  // namespace

Secret::Bytes random_bytes() {
  Secret::Bytes bytes{};
  for (std::size_t have = 0; have < bytes.size();) {
    const ssize_t got = getrandom(bytes.data() + have, bytes.size() - have, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw TeamError(std::string("the system gives no random numbers: ") + std::strerror(errno));
    have += static_cast<std::size_t>(got);
  }
  return bytes;
}

Secret Secret::make() { return Secret(random_bytes()); }

std::optional<Secret> Secret::parse(std::string_view text) {
  Bytes bytes{};
  if (text.size() != 2 * bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char* const first = text.data() + 2 * i;
    const auto [end, error] = std::from_chars(first, first + 2, bytes[i], 16);
    if (error != std::errc() || end != first + 2) return std::nullopt;
  }
  return Secret(bytes);
}

std::string Secret::text() const {
  std::string text;
  for (const std::uint8_t byte : bytes_)
    for (const int half : {byte >> 4, byte & 15}) text += "0123456789abcdef"[half];
  return text;
}

Secret::Bytes Secret::proof_of(std::string_view what) const {
  Sip state(word_of(bytes_.data()), word_of(bytes_.data() + 8));
  const std::uint64_t length = what.size();
  for (; what.size() >= 8; what.remove_prefix(8)) state.take(word_of(what.data()));
  state.take(length << 56 | word_of(what.data(), what.size()));
  const std::uint64_t words[2] = {state.finish(state.v2, 0xee), state.finish(state.v1, 0xdd)};
  Bytes proof{};
  for (std::size_t i = 0; i < proof.size(); ++i) proof[i] = static_cast<std::uint8_t>(words[i / 8] >> 8 * (i % 8));
  return proof;
}

bool Secret::proves(const Bytes& proof, std::string_view what) const {
  const Bytes right = proof_of(what);
  unsigned different = 0;
  for (std::size_t i = 0; i < right.size(); ++i) different |= static_cast<unsigned>(right[i] ^ proof[i]);
  return different == 0;
}

}  // namespace tutti
