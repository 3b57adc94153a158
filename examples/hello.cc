// The smallest useful program: two turns, a retrieved document that leaves when its time is over,
// and the state before it left. README.md quotes what stands between the marks.
#include <pactdb/context.h>

#include <iostream>
#include <string>

int main() {
  using namespace pactdb;
  // README: begin
  Context context = Context::Make({}).value();
  context.Add(NodeSpec().Role("system").Text("Answer briefly."), {.parent = "^sys"}).value();
  context.Add(NodeSpec().Kind("document").Offset(-1).Ttl(1).Text("Elbe: 1094 km")).value();
  context.Add(NodeSpec().Role("user").Text("How long is the Elbe?")).value();
  context.Commit().value();  // the snapshot @c1

  context.Add(NodeSpec().Role("assistant").Text("1094 km.")).value();
  const std::string gone = context.Commit().value().expired.at(0);  // @c2: the ttl is over
  const Snapshot before = context.At("@c1").value();
  std::cout << gone << " said " << *before.Find(gone)->content() << "\n";
  std::cout << context.Render({.at = "@t0"}).value().body << "\n";
  // README: end
}
