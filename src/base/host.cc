#include <pactdb/host.h>

#include <chrono>
#include <random>

namespace pactdb {
namespace {

class System final : public Host {
 public:
  std::int64_t NowNs() override {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  }
  std::uint32_t RandomBits() override {
    std::random_device device;
    return device();
  }
};

}  // namespace

std::shared_ptr<Host> SystemHost() {
  static const std::shared_ptr<Host> host = std::make_shared<System>();
  return host;
}

}  // namespace pactdb
