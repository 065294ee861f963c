#pragma once

#include <memory>

#include "runtime/bootstrap.hpp"

namespace tutti {

/// The PMIx server that launched this process (of Open MPI's mpirun, PRRTE, or srun --mpi=pmix), by the library
/// libpmix.so.2 if there is one. The process counts as a client as long as this lives.
class Pmix final : public Board {
 public:
  /// nullptr, and why, where there is no such server or it cannot be used.
  static std::shared_ptr<Pmix> connect(std::string& why);
  ~Pmix() override;
  Rank rank() const;
  int size() const;
  void write(const std::string& text) override;
  std::string read(Limit most) override;
  std::string place() const override { return "the place that the launcher's PMIx server should know"; }
  /// Whether it has started all ranks on this host.
  bool one_host() const;

 private:
  struct Library;
  struct Session;
  explicit Pmix(std::unique_ptr<Session> session);
  std::unique_ptr<Session> session_;
};

}  // namespace tutti
