// The workload is one thing, whichever way a context comes to hold it.
#pragma once

namespace pactdb::bench {

// Builds W1 turn by turn, imports W1 as a document, and ends the program unless both are the same
// tree with the same serialization, of the size the workload says. With it the figures for a loaded
// tree are figures for a grown one.
void CheckAgreement();

}  // namespace pactdb::bench
