# Fornax: the few commands there are. `make demo` and `make test` install what they need on Debian 12.

SHELL := /bin/bash
CARGO ?= cargo
export CARGO_TERM_COLOR ?= auto
PYTHON ?= python3

.PHONY: all check unbuilt demo demo-llm docs test lint build deploy install install-runtime install-c dist wheel package setup bless bless-fingerprints test-pages test-models test-targets test-programs test-rocm test-rocm-models test-opencl test-opencl-models test-processes test-launchers conformance conformance-rocm conformance-opencl fuzz fuzz-kernels fuzz-broken clean

all: build

setup: ## LLVM 22 and what the build needs (Debian packages; needs root only if something is missing)
	@tests/setup.sh

build: setup ## the compiler binary target/release/fornax
	$(CARGO) build --release -p fornax-cli

deploy: ## the deployment binary target/deploy/fornax: runtime only, no LLVM
	$(CARGO) build --profile deploy -p fornax-cli --no-default-features --features cuda,rocm,opencl,cpu

# Where `make install` puts things; DESTDIR is for packagers.
PREFIX ?= /usr/local

install: build ## the compiler, its man pages and completions under PREFIX (make install PREFIX=$$HOME/.local)
	tests/dist/stage.sh target/release/fornax "$(DESTDIR)$(PREFIX)"

install-runtime: deploy ## the same with the runtime-only binary
	tests/dist/stage.sh target/deploy/fornax "$(DESTDIR)$(PREFIX)"

install-c: ## the C interface under PREFIX: fornax.h, libfornax.so, libfornax.a, pkg-config
	$(CARGO) build --profile deploy -p fornax-c
	tests/dist/stage_c.sh target/deploy "$(DESTDIR)$(PREFIX)" "$(PREFIX)"

dist: build deploy ## archives of both binaries with sums in target/dist, tried in an empty root (docs/use/install.md)
	tests/dist/archives.sh
	tests/dist/check.sh target/dist/fornax-[0-9]*.tar.xz target/dist/fornax-runtime-*.tar.xz

wheel: build ## the wheels fornax-compiler and fornax-runtime in target/wheels, tried in bare virtual environments (docs/use/from-python.md)
	tests/dist/wheels.sh target/release/fornax

demo: build ## compile the trained digit classifier, run it on images it has not seen; MobileNetV2 if JAX is there
	@tests/demo.sh

demo-llm: build ## a small language model from PyPI answers PROMPT
	@tests/demo_llm.sh

# The book's maker; only `make docs` needs it.
MDBOOK_VERSION := 0.5.4
docs: ## docs/ as a book in target/book, with search, its links checked (installs mdBook to target/tools)
	@target/tools/bin/mdbook --version 2>/dev/null | grep -q "v$(MDBOOK_VERSION)$$" || $(CARGO) install --locked mdbook --version $(MDBOOK_VERSION) \
	    --no-default-features --features search --root target/tools --target-dir target/tools/build
	target/tools/bin/mdbook build docs
	$(PYTHON) tests/pages/book.py target/book

# The crates that a program in Rust depends on, the lowest first.
PUBLIC_CRATES := fornax-types fornax-checkpoint fornax-targets fornax-module fornax-runtime
package: ## the crates of the runtime as crates.io takes them, each built from its archive
	$(CARGO) package --allow-dirty $(PUBLIC_CRATES:%=-p %)

lint: check ## rustfmt, clippy and rustdoc as errors, cargo deny, cargo package, tidy tests
	$(CARGO) test -q -p fornax-tests --test tidy

# Lint without the tidy tests: the whole suite holds them, and apart they build their crates with other features again.
check: unbuilt
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc -q --workspace --no-deps --document-private-items

# Lint that builds nothing.
unbuilt: setup
	$(CARGO) fmt --all --check
	tests/deny.sh
	$(CARGO) package -q --no-verify --allow-dirty $(PUBLIC_CRATES:%=-p %)

test: unbuilt ## every test that CI runs; clippy as the tests are built
	tests/run.sh

test-pages: ## the commands of docs/use/from-*.md, serving-from-python.md and weights.md, with packages from PyPI (PAGES="from-jax …" for some)
	$(CARGO) build -p fornax-cli
	$(CARGO) build -p fornax-python -p fornax-pjrt
	$(PYTHON) tests/pages/run.py --fornax target/debug/fornax --strict $(PAGES)

bless: ## rewrite expected files and generated docs
	FORNAX_BLESS=1 tests/run.sh

bless-fingerprints: setup ## rewrite tests/fingerprints: the hashes of every kernel and program of the test models; git diff shows what changed
	FORNAX_BLESS=1 $(CARGO) test -p fornax-compiler --test fingerprints -- --nocapture

test-models: build ## MobileNetV2, ResNet50 and BERT against JAX (needs jax, keras, keras-hub)
	$(PYTHON) tests/model/check_models.py --fornax target/release/fornax

# ptxas that knows sm_75 to sm_100; where it lies, if it is not on the PATH.
FORNAX_PTXAS ?= $(shell command -v ptxas)
test-targets: build ## every golden for sm_75, sm_80, sm_90a, sm_100 (ptxas) and gfx900, 906, 908, 90a, 942 (linked); goes on where it was stopped
	$(PYTHON) tests/model/check_targets.py --fornax target/release/fornax --ptxas "$(FORNAX_PTXAS)" --goldens --log target/test-targets.log \
	    --targets sm_75,sm_80,sm_90a,sm_100,gfx900,gfx906,gfx908,gfx90a,gfx942

test-programs: build ## 307 JAX programs against JAX (needs jax, flax, optax, keras)
	$(PYTHON) tests/programs/check.py --fornax target/release/fornax

test-rocm-models: build ## MobileNetV2 on 32x32 images on four AMD chips, executed by the emulator (needs jax, keras)
	$(CARGO) build --release -p fornax-fake-hip
	@folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; ln -s $(CURDIR)/target/release/libfornax_fake_hip.so $$folder/libamdhip64.so.7; \
	for chip in gfx906 gfx908 gfx90a gfx942; do \
	    LD_LIBRARY_PATH=$$folder FORNAX_FAKE_ARCH=$$chip $(PYTHON) tests/model/check_models.py --fornax target/release/fornax \
	        --device rocm --target rocm:$$chip --image-size 32 --once mobilenet_v2 || exit 1; \
	done

test-rocm: ## every golden on gfx906, gfx908, gfx90a and gfx942, kernels executed by the emulator (an hour or two)
	$(CARGO) build --release -p fornax-cli
	FORNAX_ROCM=all $(CARGO) test --release -p fornax-tests --test rocm -- --nocapture

conformance-rocm: build ## 420 StableHLO conformance cases on gfx908 and gfx942, executed by the emulator (FORNAX_SHARED as below)
	$(CARGO) build --release -p fornax-fake-hip
	$(PYTHON) tests/device_conformance.py --fornax target/release/fornax --double target/release/libfornax_fake_hip.so

test-opencl: ## every golden on an OpenCL device: Intel's runtime for processors, installed to target/opencl
	$(CARGO) build --release -p fornax-cli
	eval "$$(tests/opencl/setup.sh)"; FORNAX_OPENCL=all $(CARGO) test --release -p fornax-tests --test opencl -- --nocapture && \
	    $(CARGO) test --release -p fornax-runtime --lib conformance -- --nocapture

test-opencl-models: build ## MobileNetV2 on 32x32 images on an OpenCL device (needs jax, keras)
	eval "$$(tests/opencl/setup.sh)"; $(PYTHON) tests/model/check_models.py --fornax target/release/fornax \
	    --device opencl --target opencl --image-size 32 --once mobilenet_v2

test-processes: build ## processes as devices of one run: 50 of them are killed, and the others must end and say whose fault it is
	FORNAX_KILLS=50 $(CARGO) test --release -p fornax-tests --test cli -- launched --nocapture

test-launchers: build ## mpirun and Slurm start four processes as devices (installs them where it runs as root on Debian)
	tests/launchers.sh target/release/fornax

conformance-opencl: build ## 420 StableHLO conformance cases on an OpenCL device (FORNAX_SHARED as below)
	eval "$$(tests/opencl/setup.sh)"; $(PYTHON) tests/device_conformance.py --fornax target/release/fornax --opencl

conformance: build ## the StableHLO conformance cases on the CPU (FORNAX_SHARED names the folder that holds conformance/)
	$(PYTHON) tests/conformance.py --fornax target/release/fornax

fuzz: ## random programs against the reference evaluator: FORNAX_FUZZ_COUNT of them from FORNAX_FUZZ_SEED on (no LLVM needed)
	FORNAX_FUZZ_COUNT=$${FORNAX_FUZZ_COUNT:-100000} $(CARGO) test --profile fuzz -p fornax-passes --test differential -- --nocapture

fuzz-kernels: build ## random programs through compiled kernels: FORNAX_FUZZ_COUNT of them, and a third as many with sizes of run time; FORNAX_FUZZ_TARGET=opencl for SPIR-V
	rm -rf target/fuzz && mkdir -p target/fuzz
	FORNAX_FUZZ_WRITE=$(CURDIR)/target/fuzz/programs FORNAX_FUZZ_COUNT=$${FORNAX_FUZZ_COUNT:-3000} $(CARGO) test -p fornax-passes --test differential random_programs
	$(PYTHON) tests/gpu/random_programs.py pack --programs target/fuzz/programs --fornax target/release/fornax --target $${FORNAX_FUZZ_TARGET:-cpu} --out target/fuzz/packed
	@if [ "$${FORNAX_FUZZ_TARGET:-cpu}" = opencl ]; then eval "$$(tests/opencl/setup.sh)"; fi; \
	    $(PYTHON) tests/gpu/random_programs.py run --packed target/fuzz/packed --fornax target/release/fornax --device $${FORNAX_FUZZ_TARGET:-cpu}
	rm -rf target/fuzz

fuzz-broken: build ## programs and checkpoints broken at random: FORNAX_FUZZ_COUNT of each from FORNAX_FUZZ_SEED on, none may panic, abort or hang the compiler
	$(PYTHON) tests/broken/mutate.py --fornax target/release/fornax --count $${FORNAX_FUZZ_COUNT:-1000} --seed $${FORNAX_FUZZ_SEED:-1}
	$(PYTHON) tests/broken/mutate_checkpoints.py --fornax target/release/fornax --count $${FORNAX_FUZZ_COUNT:-1000} --seed $${FORNAX_FUZZ_SEED:-1}

clean:
	$(CARGO) clean
