#include "cli/large_pages.hpp"

#ifdef TUTTI_MIMALLOC
#include <mimalloc.h>
#endif

namespace tutti::cli {

void prefer_large_pages() {
#ifdef TUTTI_MIMALLOC
  mi_option_enable(mi_option_large_os_pages);
#endif
}

}  // namespace tutti::cli
