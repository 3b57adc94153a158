#include "naive_select/duel.h"

#include <array>
#include <iostream>
#include <map>
#include <memory>
#include <unordered_set>

#include "naive_select/tree_maker.h"
#include "select/parser.h"

namespace pactdb::naive {
namespace {

constexpr std::uint64_t kRequestsPerTree = 250;

// Every kind of token of the language, and what the trees have.
constexpr std::array<std::string_view, 38> kAlphabet = {
    "^seq",         "^sys",
    "[depth=1]",    ":nth(2)",
    "[data_n>5]",   " @unique",
    "[id~'1']",     "^ah",
    "^root",        " ",
    " > ",          ".block",
    ".seg",         ".cont",
    ":first",       ":last",
    ":depth(1)",    "[role=user]",
    "[key=k1]",     "*",
    "#k1",          ":pre",
    ":core",        ",",
    "@t0 ",         "+a",
    "{kind=text}",  "(d1, *)",
    "depth(0)",     "\?\? {tag=a}",
    " @limit=1",    "(d1, cont, *:block)",
    "(ttl<=2)",     "d1",
    "? {offset=0}", "@* ",
    " @order=bfs",  "within(d1, d0[key]) \?\? {data_n!=5}"};

Answer Refusal(const Error& error) {
  return {std::string(WireName(error.code())), {}};
}

std::string Text(std::string_view text) {
  return Json::String(text)->text();
}

std::string Text(const Answer& answer) {
  if (!answer.error.empty()) return Text(answer.error);
  std::string text = "[";
  for (const std::string& id : answer.ids) text += (text.size() > 1 ? "," : "") + Text(id);
  return text + "]";
}

std::string Describe(const Ground& ground, const Request& request, const Answer& engine,
                     const Answer& naive) {
  std::string text = "MISMATCH in dialect ";
  text += Name(request.dialect.value_or(ground.dialect()));
  text += ": " + request.selector + "\nengine " + Text(engine) + "\nnaive  " + Text(naive);
  text += "\nThe session, for `pactdb exec` and `test/oracle/compare.py --replay`:\n";
  for (const std::string& line : ground.lines()) text += line + "\n";
  return text + ground.LineOf(request) + "\n";
}

void Count(const Answer& answer, Tally& tally) {
  if (!answer.error.empty()) ++tally.refused;
  if (!answer.ids.empty()) ++tally.found;
}

std::uint64_t SeedOfTree(std::uint64_t seed, std::uint64_t tree) {
  return seed * 1'000'000 + tree;
}

bool IsParsed(const Ground& ground, std::string_view text, const std::optional<Dialect>& dialect) {
  return Selector::Parse(text, dialect.value_or(ground.dialect())).has_value();
}

}  // namespace

Ground::Ground(std::uint64_t seed) : lines_(MakeTree(seed)), context_(nullptr) {
  for (const std::string& line : lines_) exec_.Answer(line);
  context_ = exec_.Find("main");
  history_.emplace(*context_);
}

Answer Ground::AskEngine(const Request& request) const {
  const auto ids = context_->Select(request.selector, {.snapshot = request.snapshot,
                                                       .dialect = request.dialect,
                                                       .skip = request.skip,
                                                       .limit = request.limit,
                                                       .where = request.where});
  return ids ? Answer{{}, *ids} : Refusal(ids.error());
}

Answer Ground::AskNaive(const Request& request) const {
  const Dialect dialect = request.dialect.value_or(this->dialect());
  const auto ast = select::Parser(request.selector, dialect).ParseSelector();
  if (!ast) return Refusal(ast.error());
  Options options{request.snapshot, request.skip, request.limit, nullptr};
  if (!request.where) return naive::Select(*history_, *ast, options);
  const auto where = select::Parser(*request.where, dialect).ParseSelector();
  if (!where) return Refusal(where.error());
  options.where = &*where;
  return naive::Select(*history_, *ast, options);
}

std::string Ground::LineOf(const Request& request) const {
  std::string line = R"({"op":"select","selector":)" + Text(request.selector);
  line += R"(,"dialect":)" + Text(Name(request.dialect.value_or(dialect())));
  if (request.snapshot) line += R"(,"snapshot":)" + Text(*request.snapshot);
  if (request.skip != 0) line += R"(,"skip":)" + std::to_string(request.skip);
  if (request.limit) line += R"(,"limit":)" + std::to_string(*request.limit);
  if (request.where) line += R"(,"where":)" + Text(*request.where);
  return line + "}";
}

std::optional<std::string> DuelAtRandom(std::uint64_t count, std::uint64_t seed, Tally& tally) {
  for (std::uint64_t tree = 0; tally.pairs < count; ++tree) {
    const Ground ground(SeedOfTree(seed, tree));
    TextMaker texts(SeedOfTree(seed, tree), ground.history());
    for (std::uint64_t i = 0; i < kRequestsPerTree && tally.pairs < count; ++i) {
      const Request request = texts.Next();
      const Answer engine = ground.AskEngine(request);
      const Answer naive = ground.AskNaive(request);
      if (engine != naive) return Describe(ground, request, engine, naive);
      ++tally.pairs;
      if (!engine.error.empty() && !IsParsed(ground, request.selector, request.dialect)) continue;
      ++tally.parsed;
      Count(engine, tally);
    }
  }
  return std::nullopt;
}

namespace {

// One text on every tree.
class TextDuel {
 public:
  explicit TextDuel(const std::vector<std::unique_ptr<Ground>>& grounds, Tally& tally)
      : grounds_(grounds), tally_(tally) {}

  std::optional<std::string> Run(const std::string& text) {
    for (const Dialect dialect : {Dialect::kClassic, Dialect::kDepth, Dialect::kCanonical}) {
      const auto selector = Selector::Parse(text, dialect);
      const auto ast = select::Parser(text, dialect).ParseSelector();
      if (auto mismatch = Run(text, dialect, selector, ast)) return mismatch;
    }
    return std::nullopt;
  }

 private:
  std::optional<std::string> Run(const std::string& text, Dialect dialect,
                                 const Result<Selector>& selector, const Result<select::Ast>& ast) {
    for (const auto& ground : grounds_) {
      if (ground->dialect() != dialect) continue;
      ++tally_.pairs;
      if (!selector || !ast) {
        const Answer engine = selector ? Answer() : Refusal(selector.error());
        const Answer naive = ast ? Answer() : Refusal(ast.error());
        if (engine != naive) return Describe(*ground, {.selector = text}, engine, naive);
        continue;
      }
      ++tally_.parsed;
      const auto ids = ground->context().Select(*selector);
      const Answer engine = ids ? Answer{{}, *ids} : Refusal(ids.error());
      const Answer naive = naive::Select(ground->history(), *ast, {});
      if (engine != naive) return Describe(*ground, {.selector = text}, engine, naive);
      Count(engine, tally_);
    }
    return std::nullopt;
  }

  const std::vector<std::unique_ptr<Ground>>& grounds_;
  Tally& tally_;
};

// FNV-1a: the same part for the same text everywhere.
std::uint64_t HashOf(std::string_view text) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash ^ hash >> 32;
}

}  // namespace

std::optional<std::string> DuelExhaustively(const Exhaustive& what, std::uint64_t& texts,
                                            Tally& tally) {
  std::vector<std::unique_ptr<Ground>> grounds;
  grounds.reserve(what.trees);
  for (std::size_t tree = 0; tree < what.trees; ++tree)
    grounds.push_back(std::make_unique<Ground>(tree));
  TextDuel duel(grounds, tally);
  std::unordered_set<std::string> known;  // different tokens can make one text
  std::vector<std::size_t> tokens = {0};
  while (tokens.size() <= what.tokens) {
    std::string text;
    for (const std::size_t token : tokens) text += kAlphabet[token];
    if (HashOf(text) % what.parts == what.part && known.insert(text).second) {
      ++texts;
      if (auto mismatch = duel.Run(text)) return mismatch;
    }
    // Counts on, the last token first.
    std::size_t at = tokens.size();
    while (at > 0 && ++tokens[at - 1] == kAlphabet.size()) tokens[--at] = 0;
    if (at == 0) tokens.push_back(0);
  }
  return std::nullopt;
}

void PrintAnswers(std::uint64_t count, std::uint64_t seed) {
  constexpr std::uint64_t kPerTree = 50;
  for (std::uint64_t tree = 0; tree * kPerTree < count; ++tree) {
    const Ground ground(SeedOfTree(seed, tree));
    TextMaker texts(SeedOfTree(seed, tree), ground.history());
    std::string script;
    for (const std::string& line : ground.lines()) script += (script.empty() ? "" : ",") + line;
    std::cout << R"({"script":[)" << script << "]}\n";
    for (std::uint64_t i = 0; i < kPerTree; ++i) {
      const Request request = texts.Next();
      const Dialect dialect = request.dialect.value_or(ground.dialect());
      const auto ast = select::Parser(request.selector, dialect).ParseSelector();
      // The oracle answers ranges with differences.
      if (ast && ast->time.kind == select::Time::Kind::kRange) continue;
      std::cout << R"({"request":)" << ground.LineOf(request) << R"(,"answer":)"
                << Text(ground.AskNaive(request)) << "}\n";
    }
  }
}

}  // namespace pactdb::naive
