# Fornax: the few commands there are. `make demo` and `make test` install what they need on Debian 12.

SHELL := /bin/bash
CARGO ?= cargo
export CARGO_TERM_COLOR ?= auto
PYTHON ?= python3

.PHONY: all demo test lint build deploy setup bless test-models test-programs conformance fuzz clean

all: build

setup: ## LLVM 22 and what the build needs (Debian packages; needs root only if something is missing)
	@tests/setup.sh

build: setup ## the compiler binary target/release/fornax
	$(CARGO) build --release -p fornax-cli

deploy: ## the deployment binary target/deploy/fornax: runtime only, no LLVM
	$(CARGO) build --profile deploy -p fornax-cli --no-default-features --features cuda,rocm,cpu

demo: build ## compile the trained digit classifier, run it on images it has not seen; MobileNetV2 if JAX is there
	@tests/demo.sh

lint: setup ## rustfmt, clippy as errors, tidy tests
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) test -q -p fornax-tests --test tidy

test: lint ## every test that CI runs
	tests/run.sh

bless: ## rewrite expected files and generated docs
	FORNAX_BLESS=1 tests/run.sh

test-models: build ## MobileNetV2, ResNet50 and BERT against JAX (needs jax, keras, keras-hub)
	$(PYTHON) tests/model/check_models.py --fornax target/release/fornax

test-programs: build ## 302 JAX programs against JAX (needs jax, flax, optax, keras)
	$(PYTHON) tests/programs/check.py --fornax target/release/fornax

conformance: build ## the StableHLO conformance cases on the CPU (FORNAX_SHARED names the folder that holds conformance/)
	$(PYTHON) tests/conformance.py --fornax target/release/fornax

fuzz: ## random programs against the reference evaluator: FORNAX_FUZZ_COUNT of them from FORNAX_FUZZ_SEED on (no LLVM needed)
	FORNAX_FUZZ_COUNT=$${FORNAX_FUZZ_COUNT:-100000} $(CARGO) test -p fornax-passes --test differential -- --nocapture

clean:
	$(CARGO) clean
