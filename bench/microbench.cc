// Google Benchmark over the parts: hashing, adding, committing, finding.
#include <benchmark/benchmark.h>

BENCHMARK_MAIN();
