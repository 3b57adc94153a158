// Random selectors over the whole grammar: sound ones, ones aimed at a node that is there, and
// slightly broken ones.
//
// Thread safety: one maker, one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "naive_select/plain_tree.h"
#include "support/random.h"

namespace pactdb::naive {

// A whole `select` request.
struct Request {
  std::string selector;
  std::optional<Dialect> dialect;
  std::optional<std::string> snapshot;
  std::int64_t skip = 0;
  std::optional<std::int64_t> limit;
  std::optional<std::string> where;
};

class TextMaker {
 public:
  // Literals and aims come from the history's trees.
  TextMaker(std::uint64_t seed, const History& history);

  Request Next();

 private:
  using Pool = std::vector<std::string_view>;
  using Path = std::vector<const PlainNode*>;  // from the root down
  struct Aim {
    std::string_view time;
    Path path;
  };

  void ListPaths(std::string_view time, const PlainNode& node, Path path);
  bool Chance(unsigned percent) { return random_.Chance(percent); }
  std::string Pick(const Pool& pool) { return std::string(random_.Pick(pool)); }
  std::string OneOf(const Pool& good, const Pool& bad, unsigned percent = 3);
  std::string Quoted(std::string_view text);

  // text_maker.cc: selectors
  std::string Selector(bool with_time, bool with_controls);
  std::string Time();
  std::string GroupText();
  std::string Chain();
  std::string Hops();
  std::string Scopes();
  std::string Controls();
  std::string Broken(std::string text);
  std::string Aimed();
  std::string AimedStep(const PlainNode& node);
  std::string AimedTest(const PlainNode& node);
  std::string AimedPosition(const Path& path);
  std::string AimedHop(const PlainNode& node);

  // step_maker.cc: steps and filters
  std::string Step();
  std::string StepHead();
  std::string MaybePick();
  std::string Literal(std::string_view name);
  std::string Test();
  std::string Tests(std::size_t count, std::string_view separator);
  std::string Bracket();
  std::string Braces();
  std::string Args();
  std::string Pseudo();
  std::string Hash();
  std::string Tag();
  std::string Depths();

  support::Random random_;
  std::vector<std::string> ids_;
  std::vector<Aim> aims_;
  bool is_sound_ = false;  // nothing is wrong on purpose
};

}  // namespace pactdb::naive
