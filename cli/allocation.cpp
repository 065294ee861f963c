// mimalloc is C: its operator new ends the program without a word where memory runs out. These ask it for the same
// memory and throw, as the language says, so that the program ends with a message and its status for that.

#ifdef TUTTI_MIMALLOC
#include <mimalloc.h>

#include <new>

namespace {

void* or_throw(void* memory) {
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return or_throw(mi_malloc(bytes)); }
void* operator new[](std::size_t bytes) { return or_throw(mi_malloc(bytes)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return or_throw(mi_malloc_aligned(bytes, static_cast<std::size_t>(alignment)));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return or_throw(mi_malloc_aligned(bytes, static_cast<std::size_t>(alignment)));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return mi_malloc(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return mi_malloc(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return mi_malloc_aligned(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return mi_malloc_aligned(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { mi_free(memory); }
void operator delete[](void* memory) noexcept { mi_free(memory); }
void operator delete(void* memory, std::size_t) noexcept { mi_free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { mi_free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { mi_free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { mi_free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { mi_free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { mi_free(memory); }
#endif
