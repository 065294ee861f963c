#pragma once

namespace tutti::cli {

/// For what works on more memory than the processor's caches hold: from now on memory comes in pages of 2 MiB where the
/// system has them. Does nothing where the program was built without mimalloc.
void prefer_large_pages();

}  // namespace tutti::cli
