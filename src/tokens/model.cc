#include "tokens/model.h"

#include <array>

namespace pactdb::tokens {
namespace {

struct Family {
  std::string_view name;  // what a model is called, or what stands before "-", ":" or "@" in that
  std::string_view encoding;
  bool has_versions = false;  // a point and more may follow: gpt-5.1
};

constexpr std::string_view kO200k = "o200k_base";
constexpr std::string_view kCl100k = "cl100k_base";

// The first that fits counts. gpt-oss has an encoding of its own name, o200k_harmony, which differs
// in special tokens alone.
constexpr std::array kFamilies = {
    Family{"gpt-4o", kO200k},
    Family{"chatgpt-4o", kO200k},
    Family{"gpt-4.1", kO200k},
    Family{"gpt-4.5", kO200k},
    Family{"gpt-5", kO200k, true},
    Family{"gpt-oss", kO200k},
    Family{"codex-mini", kO200k},
    Family{"o1", kO200k},
    Family{"o3", kO200k},
    Family{"o4", kO200k},
    Family{"gpt-4", kCl100k},
    Family{"gpt-3.5", kCl100k},
    Family{"gpt-35", kCl100k},
    Family{"text-embedding-3", kCl100k},
    Family{"text-embedding-ada-002", kCl100k},
    Family{"davinci-002", kCl100k},
    Family{"babbage-002", kCl100k},
};

bool IsOf(const Family& family, std::string_view model) {
  if (!model.starts_with(family.name)) return false;
  if (model.size() == family.name.size()) return true;
  const char next = model[family.name.size()];
  return next == '-' || next == ':' || next == '@' || (next == '.' && family.has_versions);
}

}  // namespace

std::string_view EncodingOfModel(std::string_view model) {
  model.remove_prefix(model.rfind('/') + 1);  // none found: npos + 1 is 0
  if (model.starts_with("ft:")) model.remove_prefix(3);
  for (const Family& family : kFamilies) {
    if (IsOf(family, model)) return family.encoding;
  }
  return kEstimate;
}

}  // namespace pactdb::tokens
