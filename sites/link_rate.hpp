#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tutti {

/// Bytes of data a second in each direction of an InfiniBand link, from what the tools print: "4xEDR", "2x HDR",
/// "4xFDR10". Encoding is taken off (8b/10b up to QDR, 64b/66b from FDR on); that of packets is not. Nothing where the
/// text names no speed ("4x???"). Source of the rates: InfiniBand Architecture Specification, volume 1, 14.2.5.6.
std::optional<double> link_rate(std::string_view text);

/// A rate as people write it: "400g", "400Gb/s", "100Gbit" are bits, "50GB/s", "50GB" bytes; K, M, G, T are powers of
/// 1000. Bytes per second. Throws InputError, naming `option` where it is not empty, on anything else: a number alone
/// may be either.
double parse_rate(const std::string& option, std::string_view text);

/// "4xNDR" or, of no such rate, "12.5 GB/s".
std::string rate_text(double bytes_per_second);

}  // namespace tutti
