// Goal 16: importing a document, beside what its JSON alone costs to parse.
#include <simdjson.h>

#include <algorithm>
#include <memory>

#include "check_result.h"
#include "goals.h"
#include "setup.h"

namespace pactdb::bench {
namespace {

// A warm parser, as whoever parses many documents has; ours starts from nothing each time.
class DomParser {
 public:
  explicit DomParser(const std::string& json) : text_(json) {}
  void Parse() {
    simdjson::dom::element root;
    Check(parser_.parse(text_).get(root) == simdjson::SUCCESS, "the document is JSON");
    Keep(root);
  }

 private:
  simdjson::padded_string text_;
  simdjson::dom::parser parser_;
};

}  // namespace

std::vector<Row> MeasureImport(Fixtures& fixtures) {
  const Plan& plan = fixtures.plan();
  const std::int64_t turns = std::min(plan.largest(), kW2Turns);
  const Workload workload({.turns = turns});
  const Document document = workload.MakeDocument();
  DomParser parser(document.json);
  Series ours;
  Series dom;
  Interleave(
      plan.rounds,
      {{&ours,
        [&](Series& series) {
          Context context = ValueOf(Context::Make(workload.ContextOptions()), "make a context");
          ImportResult result;
          series.Add(
              TimeNs([&] { result = ValueOf(context.ImportSnapshot(document.json), "import"); }));
          Check(result.nodes == document.nodes, "every node came in");
        }},
       {&dom, [&](Series& series) { series.Add(TimeNs([&] { parser.Parse(); })); }}});
  return {{.goal = "16",
           .what = "import of a document, " + SizeName(turns),
           .unit = Unit::kMs,
           .ours = ours.Summarize(),
           .reference_name = "simdjson DOM",
           .reference = dom.Summarize(),
           .bar = {.must = 9, .aim = 6}}};
}

}  // namespace pactdb::bench
