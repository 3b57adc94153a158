# The front door. Each target sets up what it needs (tools/packages.txt) and hands over to a CMake preset or a
# script in tools/. `make help` lists them.
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60
SOAK_SCALE ?= 2000
BENCH_ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help build demo test bench fuzz lint format soak requirements clean

# $(call compile,PRESET,EXTRA BUILD ARGUMENTS)
compile = cmake --log-level=NOTICE --preset $(1) && cmake --build --preset $(1) -j $(JOBS) $(2)

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## the optimised command, at build/pactdb
	@tools/setup.sh build
	@$(call compile,release)
	@ln -sfn release/bin/pactdb build/pactdb

demo: build ## a short session with the command, every step shown
	@tools/demo.sh

test: ## all tests: plain, then ASan with UBSan, then TSan over the threaded ones; the shipped command's hashes
	@tools/setup.sh build test
	@tools/provider_types.sh
	@$(call compile,test)
	@ctest --preset test -j $(JOBS)
	@$(call compile,asan)
	@ctest --preset asan -j $(JOBS)
	@$(call compile,tsan,--target pactdb_thread_tests)
	@ctest --preset tsan -j $(JOBS) -L threads
	@$(call compile,release,--target pactdb)
	@python3 -B test/determinism/determinism.py build/release/bin/pactdb

bench: ## the benchmark table: each goal, its number, its verdict (BENCH_ARGS=...)
	@tools/setup.sh build bench
	@$(call compile,bench)
	@build/bench/bench/pactdb_bench $(BENCH_ARGS)

fuzz: ## every fuzz target for FUZZ_SECONDS (60)
	@tools/setup.sh build fuzz
	@$(call compile,fuzz)
	@FUZZ_SECONDS=$(FUZZ_SECONDS) tools/fuzz.sh

lint: ## formatting, a Clang build with clang-tidy, the house rules, the shell scripts
	@tools/setup.sh build lint
	@JOBS=$(JOBS) tools/lint.sh

format: ## clang-format over all C++ files, in place
	@tools/setup.sh lint
	@tools/lint.sh --fix

soak: ## the random tests at SOAK_SCALE (2000) percent, one set of hashes from every compiler, long fuzzing
	@tools/setup.sh build test fuzz soak
	@SOAK_SCALE=$(SOAK_SCALE) JOBS=$(JOBS) tools/soak.sh

requirements: ## each requirement with the cases that hold it
	@tools/setup.sh test
	@python3 tools/requirements.py

clean: ## remove build/
	@rm -rf build
