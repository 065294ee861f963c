#include "runtime/meeting_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "runtime/error.hpp"
#include "runtime/secret.hpp"

namespace tutti {
namespace {

constexpr std::size_t kMostBytes = 64 << 10;

struct Opened {
  explicit Opened(int number) : number(number) {}
  Opened(const Opened&) = delete;
  ~Opened() {
    if (number >= 0) close(number);
  }
  const int number;
};

[[noreturn]] void refused(const std::string& path, const std::string& why) {
  throw TeamError("the ranks' meeting place " + path + ": " + why);
}
[[noreturn]] void refused(const std::string& path) { refused(path, std::strerror(errno)); }

std::string whose(const struct stat& seen) { return "it belongs to user " + std::to_string(seen.st_uid); }

class FileBoard final : public Board {
 public:
  explicit FileBoard(std::string path) : path_(std::move(path)) {
    const std::size_t slash = path_.rfind('/');
    folder_ = slash == std::string::npos ? "." : slash == 0 ? "/" : path_.substr(0, slash);
    name_ = slash == std::string::npos ? path_ : path_.substr(slash + 1);
  }

  void write(const std::string& text) override {
    const Opened folder(open_folder());
    // Nobody foresees its name, and it is made here.
    const std::string beside = "." + name_ + "." + Secret(random_bytes()).text();
    {
      const Opened file(
          openat(folder.number, beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
      if (file.number < 0) refused(folder_ + "/" + beside);
      // What is created takes the folder's access list, if it has one.
      if (fchmod(file.number, 0600) == 0 && ::write(file.number, text.data(), text.size()) == written(text) &&
          renameat(folder.number, beside.c_str(), folder.number, name_.c_str()) == 0)
        return;
    }
    const int error = errno;
    unlinkat(folder.number, beside.c_str(), 0);
    refused(path_, std::strerror(error));
  }

  std::string read(Limit) override {
    const Opened folder(open_folder());
    // A pipe that lies there must not keep this rank.
    const Opened file(openat(folder.number, name_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (file.number < 0 && errno == ENOENT) return "";
    if (file.number < 0 && errno == ELOOP) refused(path_, "it is a link: expected a file that rank 0 has written");
    if (file.number < 0) refused(path_);
    struct stat seen {};
    if (fstat(file.number, &seen) != 0) refused(path_);
    if (!S_ISREG(seen.st_mode)) refused(path_, "it is no file: expected one that rank 0 has written");
    if (seen.st_uid != geteuid())
      refused(path_, whose(seen) + ": expected a file of user " + std::to_string(geteuid()) + ", whose job this is");
    if (seen.st_mode & 077) refused(path_, "others may read or write it: expected a file that rank 0 has written");
    std::string text(kMostBytes, '\0');
    const ssize_t got = ::read(file.number, text.data(), text.size());
    if (got < 0) refused(path_);
    text.resize(static_cast<std::size_t>(got));
    return text;
  }

  void clear() override { unlink(path_.c_str()); }
  std::string place() const override { return path_; }

 private:
  static ssize_t written(const std::string& text) { return static_cast<ssize_t>(text.size()); }

  int open_folder() const {
    const int folder = open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat seen {};
    if (folder < 0 || fstat(folder, &seen) != 0) refused(folder_);
    const char* const expected = ": expected a folder that nobody but this user may write to";
    std::string why;
    if (seen.st_uid != geteuid() && seen.st_uid != 0) why = whose(seen) + expected;
    if ((seen.st_mode & 022) && !(seen.st_mode & S_ISVTX)) why = std::string("others may write to it") + expected;
    if (why.empty()) return folder;
    close(folder);
    refused(folder_, why);
  }

  std::string path_, folder_, name_;
};

}  // namespace

std::shared_ptr<Board> board_in_file(const std::string& path) { return std::make_shared<FileBoard>(path); }

std::string own_folder() {
  const std::string path = "/tmp/tutti-" + std::to_string(geteuid());
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) refused(path);
  const char* const else_where =
      ": expected this user's own folder, closed to others; TUTTI_MEETING_FOLDER may name another";
  const Opened folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat seen {};
  if (folder.number < 0)
    refused(path,
            (errno == ENOTDIR || errno == ELOOP ? "it is no folder" : std::strerror(errno)) + std::string(else_where));
  if (fstat(folder.number, &seen) != 0) refused(path);
  if (seen.st_uid != geteuid()) refused(path, whose(seen) + else_where);
  if (seen.st_mode & 077) refused(path, std::string("others may look into it") + else_where);
  return path;
}

}  // namespace tutti
