#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "algos/registry.hpp"

namespace tutti {

/// What a real library calls our algorithms, in one version: its statement in selection/baselines/*.json, which also
/// has its own choices (baselines.hpp). Immutable.
struct Library {
  struct Name {
    Choice ours;         // what it does at least in this: parameters that it cannot be told have these values
    std::string theirs;  // "MPIR_Bcast_intra_binomial", "6"
    std::vector<std::string> told;  // the parameters that it can be told
    std::vector<std::string> with;  // what it has to be told beside them to do what ours does

    bool is_told(std::string_view parameter) const;
  };

  std::string name;              // "open-mpi-4.1", as in --for
  std::string product, version;  // "Open MPI", "4.1"; the version is empty where one statement serves all
  std::string without;           // what of it is switched off: "coll/han"; empty: nothing
  std::map<Collective, std::vector<Name>> algorithms;
};

/// All libraries, by name. Thread-safe after main() has begun; lives as long as the program.
const std::vector<Library>& libraries();
/// Throws InputError on an unknown name, listing the known ones.
const Library& find_library(std::string_view name);

/// What the library runs for the choice; nullptr where it has no such algorithm or cannot be told these parameters.
const Library::Name* name_of(const Library& library, const Choice& choice);
/// nullptr where none of our algorithms has the name.
const Library::Name* find_name(const Library& library, Collective collective, std::string_view theirs);
/// What a product's versions call the algorithm with its default parameters, by version.
std::map<std::string, std::string> names_in(std::string_view product, const Algorithm& algorithm);

/// Reads the form of selection/baselines/*.json but for `algorithms_as` and `same_as`. Throws InputError
/// "ORIGIN:LINE: /json/pointer: what was expected".
Library parse_library(const std::string& text, const std::string& origin);

}  // namespace tutti
