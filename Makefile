# The front door. Each target sets up what it needs (tools/packages.txt) and hands over to a CMake preset or a
# script in tools/. `make help` lists them.
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60
SOAK_SCALE ?= 2000
BENCH_ARGS ?=
COMPARE_ARGS ?=
SWEEP_ARGS ?=
COVERAGE_ARGS ?=
MUTANTS ?= 100
MUTANTS_ARGS ?=
SWEEP_DIR := build/test/test/crash
SWEEP_TOOL := $(SWEEP_DIR)/pactdb_crash_tool
SWEEP_SHIM := $(CURDIR)/$(SWEEP_DIR)/libpactdb_fault_shim.so

.DEFAULT_GOAL := help
.PHONY: help build demo test test-builds bench compare cache-report fuzz fuzz-r1 lint docs format coverage mutants soak requirements clean
.PHONY: sweep-build sweep-kill sweep-io sweep-power sweep-disk sweep-bits sweep-readers

# $(call compile,PRESET,EXTRA BUILD ARGUMENTS)
compile = cmake --log-level=NOTICE --preset $(1) && cmake --build --preset $(1) -j $(JOBS) $(2)

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## the optimised command, at build/pactdb
	@tools/setup.sh build
	@$(call compile,release)
	@ln -sfn release/bin/pactdb build/pactdb

demo: build ## a short session with the command, every step shown
	@tools/demo.sh

test: ## all tests
	@tools/setup.sh build test
	@tools/provider_types.sh
	@tools/token_references.sh
	@$(call compile,test)
	@ctest --preset test -j $(JOBS)

test-builds: ## the tests again in other builds: ASan with UBSan, TSan over the threaded ones; the release build's hashes
	@tools/setup.sh build test
	@tools/provider_types.sh
	@tools/token_references.sh
	@$(call compile,asan)
	@ctest --preset asan -j $(JOBS)
	@$(call compile,tsan,--target pactdb_thread_tests)
	@ctest --preset tsan -j $(JOBS) -L threads
	@$(call compile,release,--target pactdb)
	@python3 -B test/determinism/determinism.py build/release/bin/pactdb

bench: ## the benchmark table: each goal, its number, its verdict (BENCH_ARGS=...); bench/results.json, plots
	@tools/setup.sh build bench
	@command -v npm >/dev/null || tools/setup.sh types
	@tools/token_references.sh
	@$(call compile,bench)
	@mkdir -p build/bench/files
	@TMPDIR=$(CURDIR)/build/bench/files build/bench/bench/pactdb_bench --json bench/results.json $(BENCH_ARGS)
	@python3 -B tools/plots.py bench/results.json build/bench

compare: ## the same work done by the alternatives, in one table (COMPARE_ARGS=...); minutes
	@tools/setup.sh build bench compare
	@command -v npm >/dev/null || tools/setup.sh types
	@$(call compile,bench,--target pactdb_compare)
	@python3 -B tools/compare/compare.py $(COMPARE_ARGS)

fuzz: ## every fuzz target for FUZZ_SECONDS (60)
	@tools/setup.sh build fuzz
	@$(call compile,fuzz)
	@FUZZ_SECONDS=$(FUZZ_SECONDS) tools/fuzz.sh

fuzz-r1: ## selector, import, file, tree: as many inputs each as a release is tried with; hours
	@tools/setup.sh build fuzz
	@$(call compile,fuzz)
	@tools/fuzz.sh --r1

lint: ## formatting, a Clang build with clang-tidy, the house rules, the shell scripts, the API reference
	@tools/setup.sh build lint docs
	@JOBS=$(JOBS) tools/lint.sh

docs: ## the API reference from the public headers, at build/docs/html/index.html
	@tools/setup.sh docs
	@tools/docs.sh

format: ## clang-format over all C++ files, in place
	@tools/setup.sh lint
	@tools/lint.sh --fix

cache-report: ## how well `cache` predicts what a provider counted, on recorded sessions (PACTDB_RECORDINGS)
	@tools/setup.sh build test
	@$(call compile,test,--target pactdb)
	@python3 -B tools/cache_report.py --pactdb "build/test/bin/pactdb exec"

coverage: ## branch coverage of src/ by layer; fails under 90 % for the core
	@tools/setup.sh build test fuzz
	@$(call compile,coverage)
	@python3 -B tools/coverage.py $(COVERAGE_ARGS)

mutants: ## plants MUTANTS (100) faults in the core, one at a time, and lists those that no test finds
	@tools/setup.sh build test
	@python3 -B tools/mutants.py --jobs $(JOBS) --count $(MUTANTS) $(MUTANTS_ARGS)

soak: ## the random tests at SOAK_SCALE (2000) percent, one set of hashes from every compiler, long fuzzing
	@tools/setup.sh build test fuzz soak
	@tools/token_references.sh
	@SOAK_SCALE=$(SOAK_SCALE) JOBS=$(JOBS) tools/soak.sh

sweep-kill: sweep-build ## kills a writer at 10,000 points; what it acknowledged must be there
	@echo "the store:" && python3 -B test/crash/sweep_kill.py $(SWEEP_TOOL) $(SWEEP_SHIM) $(SWEEP_ARGS)
	@echo "the engine on it:" && python3 -B test/crash/sweep_kill.py $(SWEEP_DIR)/pactdb_engine_crash_tool $(SWEEP_SHIM) \
	  --points 2000 --strace 100 --steps 60 $(SWEEP_ARGS)

sweep-io: sweep-build ## makes 6,000 calls fail; errors are typed, files whole
	@python3 -B test/crash/sweep_io.py $(SWEEP_TOOL) $(SWEEP_SHIM) $(SWEEP_ARGS)

sweep-power: sweep-build ## 100,000 states that a power cut can leave
	@python3 -B test/crash/sweep_power.py $(SWEEP_TOOL) $(SWEEP_SHIM) $(SWEEP_DIR)/pactdb_power_replay $(SWEEP_ARGS)

sweep-disk: sweep-build ## fills disks of several kinds, then makes room
	@python3 -B test/crash/sweep_disk.py $(SWEEP_TOOL) $(SWEEP_ARGS)

sweep-bits: sweep-build ## flips 10,000 bits of files; none is served
	@python3 -B test/crash/sweep_bits.py $(SWEEP_DIR)/pactdb_bit_flips --pactdb build/test/bin/pactdb $(SWEEP_ARGS)

sweep-readers: sweep-build ## three processes read beside a writer of 100,000 commits
	@python3 -B test/crash/sweep_readers.py $(SWEEP_DIR)/pactdb_readers_tool $(SWEEP_ARGS)

sweep-build:
	@tools/setup.sh build test
	@$(call compile,test,--target pactdb_sweeps)

requirements: ## each requirement with the cases that hold it; they are built and run, and must pass
	@tools/setup.sh build test
	@$(call compile,test)
	@python3 -B tools/requirements.py --run

clean: ## remove build/
	@rm -rf build
