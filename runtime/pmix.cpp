#include "runtime/pmix.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "runtime/error.hpp"

namespace tutti {
namespace {

// What of PMIx's interface is needed, as its standard (4.0, chapter 3, and appendix of constants) and libpmix.so.2 have
// it: the library is not needed to build, nor to run without such a launcher.
struct PmixProcess {
  char name[256];
  std::uint32_t rank;
};
struct Value {
  enum : std::uint16_t { integer = 6, uint32 = 14, bytes = 27 };
  std::uint16_t type;
  union {
    int as_integer;
    std::uint32_t as_uint32;
    struct {
      char* first;
      std::size_t size;
    } as_bytes;
    void* widest[3];
  };
};
struct Info {
  char key[512];
  std::uint32_t flags;
  Value value;
};
constexpr std::uint32_t kEveryRank = UINT32_MAX - 1;
constexpr std::uint8_t kForAll = 3;
constexpr int kSuccess = 0;

}  // namespace

struct Pmix::Library {
  int (*init)(PmixProcess*, Info*, std::size_t) = nullptr;
  int (*finalize)(const Info*, std::size_t) = nullptr;
  int (*put)(std::uint8_t, const char*, Value*) = nullptr;
  int (*commit)() = nullptr;
  int (*get)(const PmixProcess*, const char*, const Info*, std::size_t, Value**) = nullptr;
  const char* (*text)(int) = nullptr;

  /// False where there is none. It stays loaded: it has threads.
  bool load() {
    void* const library = dlopen("libpmix.so.2", RTLD_NOW | RTLD_GLOBAL);
    if (!library) return false;
    const auto find = [&](auto& function, const char* name) {
      void* const found = dlsym(library, name);
      std::memcpy(&function, &found, sizeof found);
      return found != nullptr;
    };
    return find(init, "PMIx_Init") && find(finalize, "PMIx_Finalize") && find(put, "PMIx_Put") &&
           find(commit, "PMIx_Commit") && find(get, "PMIx_Get") && find(text, "PMIx_Error_string");
  }
};

struct Pmix::Session {
  Library library;
  PmixProcess self{};
  std::uint32_t size = 0, here = 0;  // ranks of the job, and of it on this host (0: unknown)
  std::string key;                   // of this meeting

  /// A number that the server knows of the job; 0 where it does not.
  std::uint32_t number(const char* name) const {
    PmixProcess all = self;
    all.rank = kEveryRank;
    Value* found = nullptr;
    if (library.get(&all, name, nullptr, 0, &found) != kSuccess) return 0;
    const std::uint32_t number = found->type == Value::uint32 ? found->as_uint32 : 0;
    std::free(found);
    return number;
  }
};

Pmix::Pmix(std::unique_ptr<Session> session) : session_(std::move(session)) {}
Pmix::~Pmix() { session_->library.finalize(nullptr, 0); }
Rank Pmix::rank() const { return static_cast<Rank>(session_->self.rank); }
int Pmix::size() const { return static_cast<int>(session_->size); }
bool Pmix::one_host() const { return session_->here == session_->size; }

std::shared_ptr<Pmix> Pmix::connect(std::string& why) {
  if (!std::getenv("PMIX_NAMESPACE") || !std::getenv("PMIX_RANK")) {
    why = "no PMIx server launched this process";
    return nullptr;
  }
  auto session = std::make_unique<Session>();
  if (!session->library.load()) {
    why = "libpmix.so.2 cannot be loaded";
    return nullptr;
  }
  if (const int status = session->library.init(&session->self, nullptr, 0); status != kSuccess) {
    why = std::string("the PMIx server cannot be reached: ") + session->library.text(status);
    return nullptr;
  }
  std::shared_ptr<Pmix> made(new Pmix(std::move(session)));
  Session& s = *made->session_;
  s.size = s.number("pmix.job.size");
  s.here = s.number("pmix.local.size");
  if (s.size == 0 || s.size > (1u << 24) || s.self.rank >= s.size) {
    why = "the PMIx server does not say how many ranks there are";
    return nullptr;
  }
  static int meetings = 0;  // all ranks meet as often
  s.key = "tutti.meeting." + std::to_string(meetings++);
  return made;
}

void Pmix::write(const std::string& text) {
  Session& s = *session_;
  std::string copy = text;
  Value value{};
  value.type = Value::bytes;
  value.as_bytes = {copy.data(), copy.size()};
  int status = s.library.put(kForAll, s.key.c_str(), &value);
  if (status == kSuccess) status = s.library.commit();
  if (status != kSuccess) throw TeamError(std::string("PMIx takes nothing: ") + s.library.text(status));
}

std::string Pmix::read(Limit most) {
  Session& s = *session_;
  PmixProcess root = s.self;
  root.rank = 0;
  Info wait{};
  std::strcpy(wait.key, "pmix.timeout");
  wait.value.type = Value::integer;
  wait.value.as_integer = std::max(1, static_cast<int>(std::ceil(std::min(most.count(), 1e6))));
  Value* found = nullptr;
  if (s.library.get(&root, s.key.c_str(), &wait, 1, &found) != kSuccess) return "";
  std::string text;
  if (found->type == Value::bytes) {
    text.assign(found->as_bytes.first, found->as_bytes.size);
    std::free(found->as_bytes.first);
  }
  std::free(found);
  return text;
}

}  // namespace tutti
