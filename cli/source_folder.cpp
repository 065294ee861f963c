#include "cli/python.hpp"

namespace tutti::cli {

// All that tells builds in two folders apart, so that the compiler's cache serves both with the rest.
const char* source_folder() { return TUTTI_SOURCE_DIR; }

}  // namespace tutti::cli
