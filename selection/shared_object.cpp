#include "selection/shared_object.hpp"

#include <elf.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <type_traits>

#include "base/error.hpp"

namespace tutti {
namespace {

constexpr bool kHas64Bits = sizeof(void*) == 8;
constexpr unsigned char kOwnClass = kHas64Bits ? ELFCLASS64 : ELFCLASS32;
using ElfHeader = std::conditional_t<kHas64Bits, Elf64_Ehdr, Elf32_Ehdr>;
using ElfSegment = std::conditional_t<kHas64Bits, Elf64_Phdr, Elf32_Phdr>;

/// Where something of the file ends; headers may tell of anything.
std::uint64_t end_of(std::uint64_t offset, std::uint64_t bytes) {
  std::uint64_t end = 0;
  return __builtin_add_overflow(offset, bytes, &end) ? std::numeric_limits<std::uint64_t>::max() : end;
}

template <class T>
bool read_of_object(std::ifstream& in, std::uint64_t offset, T& what) {
  in.seekg(static_cast<std::streamoff>(offset));
  return static_cast<bool>(in.read(reinterpret_cast<char*>(&what), sizeof what));
}

/// How many bytes the headers tell of, as far as the file has them: more than `size` where it was cut short, 0 where it
/// is no such file.
std::uint64_t bytes_told(std::ifstream& in, std::uint64_t size) {
  unsigned char magic[EI_NIDENT] = {};
  if (!read_of_object(in, 0, magic) || std::memcmp(magic, ELFMAG, SELFMAG) != 0 || magic[EI_CLASS] != kOwnClass)
    return 0;
  ElfHeader header;
  if (size < sizeof header) return sizeof header;
  if (!read_of_object(in, 0, header)) return 0;
  const std::uint64_t segments = end_of(header.e_phoff, std::uint64_t{header.e_phnum} * header.e_phentsize);
  const std::uint64_t sections = end_of(header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize);
  std::uint64_t told = std::max(segments, sections);
  if (segments > size || header.e_phentsize != sizeof(ElfSegment)) return told;
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    ElfSegment segment;
    if (!read_of_object(in, header.e_phoff + i * sizeof segment, segment)) return told;
    told = std::max(told, end_of(segment.p_offset, segment.p_filesz));
  }
  return told;
}

}  // namespace

void expect_whole_shared_object(const std::string& path, const std::string& file) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(file, unknown)) return;
  const std::uint64_t size = std::filesystem::file_size(file, unknown);
  if (unknown) return;
  std::ifstream in(file, std::ios::binary);
  if (const std::uint64_t told = bytes_told(in, size); told > size)
    throw InputError(
        fmt::format("{}: {} bytes, cut short: expected a whole shared object, of at least {}", path, size, told));
}

}  // namespace tutti
