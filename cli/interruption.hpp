#pragma once

namespace tutti::cli {

/// From now on Ctrl-C says, before it ends the program, whether what is done is kept: that the same command goes on
/// from there, or would with --state.
void say_when_interrupted(bool is_kept);

}  // namespace tutti::cli
