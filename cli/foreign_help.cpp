#include "cli/foreign_help.hpp"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "cli/tried_command.hpp"

namespace tutti::cli {
namespace {

using Words = std::vector<std::string>;

constexpr double kMostSeconds = 60;  // for Python to begin, on a machine that is busy

/// What a verb has helps of its own for.
std::vector<Words> ways_to_call(const std::string& verb) {
  static const std::map<std::string, std::vector<Words>> more{{"validate", {{}, {"--mpi"}}},
                                                              {"lab", {{}, {"up"}, {"run"}, {"status"}, {"down"}}}};
  const auto found = more.find(verb);
  return found == more.end() ? std::vector<Words>{{}} : found->second;
}

/// "  -o FOLDER, --output FOLDER  where it goes" -> what stands before the description, and that.
std::pair<std::string, std::string> parted(const std::string& line) {
  const std::size_t begin = line.find('-'), gap = line.find("  ", begin);
  if (gap == std::string::npos) return {line.substr(begin), ""};
  return {line.substr(begin, gap - begin), line.substr(line.find_first_not_of(' ', gap))};
}

DescribedOption option_called(const std::string& names) {
  DescribedOption option;
  std::istringstream words(names);
  for (std::string word; words >> word;) {
    const bool goes_on = word.back() == ',';
    if (goes_on) word.pop_back();
    option.takes_value = !goes_on && word[0] != '-';
    if (word.starts_with("--") && word.size() > 2) option.long_names.push_back(word);
  }
  return option;
}

}  // namespace

std::vector<ForeignHelp> foreign_help(const CLI::App& verb, int columns) {
  std::vector<ForeignHelp> all;
  if (!verb.get_prefix_command()) return all;
  setenv("COLUMNS", std::to_string(columns).c_str(), 1);  // argparse goes by it
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  for (const Words& way : ways_to_call(verb.get_name())) {
    Words words{program, verb.get_name()};
    ForeignHelp help{"tutti " + verb.get_name(), "", ""};
    for (const std::string& word : way) words.push_back(word), help.command += " " + word;
    words.push_back("--help");
    const TriedCommand tried = try_command(words, kMostSeconds);
    (tried.succeeded() ? help.text : help.trouble) = tried.succeeded() ? tried.output : tried.trouble();
    all.push_back(std::move(help));
  }
  return all;
}

std::vector<DescribedOption> options_in(const std::string& help) {
  std::vector<DescribedOption> options;
  std::istringstream lines(help);
  bool in_option = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  -")) {
      const auto [names, description] = parted(line);
      options.push_back(option_called(names));
      options.back().description = description;
      in_option = true;
    } else if (const std::size_t begin = line.find_first_not_of(' '); in_option && begin > 4 && begin < line.size()) {
      std::string& description = options.back().description;
      description += (description.empty() ? "" : " ") + line.substr(begin);
    } else {
      in_option = false;
    }
  }
  std::erase_if(options, [](const DescribedOption& option) { return option.long_names.empty(); });
  return options;
}

}  // namespace tutti::cli
