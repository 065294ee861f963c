#pragma once

namespace tutti {

/// The mirror permutation of 0 … size-1, `size` a power of two: the bits of i in reverse.
constexpr int mirror(int i, int size) {
  int mirrored = 0;
  for (int bit = 1; bit < size; bit <<= 1, i >>= 1) mirrored = 2 * mirrored + (i & 1);
  return mirrored;
}

}  // namespace tutti
