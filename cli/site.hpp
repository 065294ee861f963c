#pragma once

#include <CLI/CLI.hpp>

namespace tutti::cli {

/// Options of `tutti machine --from …`.
struct SiteOptions {
  std::vector<std::string> from;
  std::string base, name, output, nic_rate, global_rate, switch_latency;
  int nics = 0, cores = 0;
};

void add_site_options(CLI::App& verb, SiteOptions& options);

/// Writes the machine file and its cable list; says on stdout what it is made of, or that as JSON.
int make_machine(const SiteOptions& options, bool json);

}  // namespace tutti::cli
