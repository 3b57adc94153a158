// In place of what libFuzzer does at every comparison of instrumented code: it remembers the two
// values and tries them as parts of inputs. Where an input is a list of decisions, and no text or
// number that is compared with anything, that is a quarter of the time for nothing.
//
// The linker sends the calls here (pactdb_fuzzer(NAME NO_COMPARES)). Branches are counted as ever.
#include <cstdint>

extern "C" {

// The names are the sanitizers', behind the linker's prefix.
// NOLINTBEGIN(bugprone-reserved-identifier)
void __wrap___sanitizer_cov_trace_cmp1(std::uint8_t, std::uint8_t) {}
void __wrap___sanitizer_cov_trace_cmp2(std::uint16_t, std::uint16_t) {}
void __wrap___sanitizer_cov_trace_cmp4(std::uint32_t, std::uint32_t) {}
void __wrap___sanitizer_cov_trace_cmp8(std::uint64_t, std::uint64_t) {}
void __wrap___sanitizer_cov_trace_const_cmp1(std::uint8_t, std::uint8_t) {}
void __wrap___sanitizer_cov_trace_const_cmp2(std::uint16_t, std::uint16_t) {}
void __wrap___sanitizer_cov_trace_const_cmp4(std::uint32_t, std::uint32_t) {}
void __wrap___sanitizer_cov_trace_const_cmp8(std::uint64_t, std::uint64_t) {}
void __wrap___sanitizer_cov_trace_switch(std::uint64_t, std::uint64_t*) {}
// NOLINTEND(bugprone-reserved-identifier)

}  // extern "C"
