# make demo    install what is needed, build, train on Fashion-MNIST, print the comparison table
# make test    install what is needed, build, run every test; one closing line with the counts
# make build   Release build in build/release, with the Python package (PYTHON=0: without)
# make wheel   the Python package as a wheel in build/dist
# make asan / make tsan   the tests in C++ under the sanitizers
# make fuzz    each libFuzzer target for FUZZ_SECONDS (120), with address and undefined-behaviour sanitizers
# make bench   the benchmarks of `headrace bench`
# make deps    Debian packages only;  SKIP_DEPS=1 leaves that step out

SHELL := /bin/bash
BUILD := build/release
JOBS  ?= $(shell nproc)
TARGETS ?= all
PYTHON  ?= 1
VENV := build/venv
FUZZ_SECONDS ?= 120
PYTHON_FLAGS = -DHEADRACE_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/$(VENV)/bin/python
.PHONY: demo test build wheel deps configure asan tsan fuzz sanitizer_deps bench install clean

deps:
	@if [ -z "$(SKIP_DEPS)" ]; then scripts/install_deps.sh; fi

configure: deps
	@if [ "$(PYTHON)" = 1 ]; then scripts/python_env.sh $(VENV); fi
	@cmake --preset release $(if $(filter 1,$(PYTHON)),$(PYTHON_FLAGS)) > build-configure.log 2>&1 || { cat build-configure.log; exit 1; }; rm -f build-configure.log

build: configure
	@cmake --build $(BUILD) -j $(JOBS) --target $(TARGETS)

demo: TARGETS = train_mnist headrace_tool
demo: PYTHON = 0
demo: build
	@scripts/demo.sh $(BUILD)

test: build
	@scripts/run_tests.sh $(BUILD)

wheel: deps
	@scripts/python_env.sh $(VENV)
	@scripts/wheel.sh $(VENV) build/dist

sanitizer_deps:
	@if [ -z "$(SKIP_DEPS)" ]; then scripts/install_deps.sh clang llvm libclang-rt-dev; fi

asan tsan: sanitizer_deps
	@cmake --preset $@ >/dev/null && cmake --build build/$@ -j $(JOBS) --target sanitizer_tests && \
	  scripts/run_tests.sh build/$@ . sanitized

fuzz: sanitizer_deps
	@cmake --preset asan >/dev/null && cmake --build build/asan -j $(JOBS) --target fuzzers && \
	  scripts/fuzz.py build/asan $(FUZZ_SECONDS)

bench: TARGETS = headrace_tool
bench: PYTHON = 0
bench: build
	@for w in B1 B2 B3 B10 B13; do $(BUILD)/bin/headrace bench $$w --json; done

install: build
	@cmake --install $(BUILD)

clean:
	rm -rf build
