# Thin front to CMake. `make` installs what is missing, configures and builds; `make help` lists the rest.
BUILD ?= build
JOBS ?= $(shell nproc)
# Many tests wait for clocks, other processes and machines.
TEST_JOBS ?= $(shell expr $(JOBS) + 4)
# DEPS=no leaves the system's packages alone.
DEPS ?= yes

GENERATOR = $(if $(shell command -v ninja),-G Ninja)
# GCC 12 takes std::regex for uninitialised under sanitizers.
THREAD_SANITIZER = -O1 -g -fno-omit-frame-pointer -fsanitize=thread -Wno-tsan
ON_THREADS = *OnThreads*:*OfThreads*:*OverTcp*:Calls*:Faults.A*:Faults.Two*:Tcp.AConnectionThatCannotBeWatched*
SANITIZERS = -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -Wno-maybe-uninitialized

.PHONY: all help deps configure test test-all test-sanitized test-thread-sanitized harmless agreement bench bench-peers demo live \
  live-runtime validate fidelity docs gallery site format tidy clean

all: configure
	@cmake --build $(BUILD) -j $(JOBS)

help:
	@echo "make                 install what is missing, build into $(BUILD)/"
	@echo "make deps            only install the missing Debian packages (DEPS=no: never)"
	@echo "make test            build, then the tests; test-all: the slow ones too"
	@echo "make test-sanitized  the tests under AddressSanitizer and UndefinedBehaviorSanitizer, in build-sanitized/"
	@echo "make test-thread-sanitized  the runtime's teams of threads under ThreadSanitizer"
	@echo "make harmless        tuning's shortcuts beside brute force, on all machines"
	@echo "make bench           engine speed, as ratios to a reference measured in the same run"
	@echo "make bench-peers     our collectives inside a node beside Open MPI and MPICH, in one run"
	@echo "make agreement       the fast engine beside SimGrid, into docs/agreement.md and .png"
	@echo "make demo            the main job on real input"
	@echo "make fidelity        predicted beside measured: writes docs/fidelity.md (needs the measured data)"
	@echo "make live            a real MPI on an emulated cluster, with and without our table (root; half an hour or more)"
	@echo "                     LIVE_PPN=2 LIVE_NODES=8,16: several ranks on each host; LIVE_MPI=PREFIX: another Open MPI (4.1, 5.0)"
	@echo "make live-runtime    our own runtime beside Open MPI on the same cluster, after make live (root; a quarter of an hour)"
	@echo "make validate        our own runtime on this machine: measure, calibrate, tune, run choices and rivals in turn"
	@echo "make docs            write docs/algorithms.md and docs/architecture.svg anew"
	@echo "make gallery         draw the pictures of docs/gallery anew, where they are no longer what the program draws"
	@echo "make site            the documents as a site, in $(BUILD)/site (needs mkdocs and its material theme)"
	@echo "make format          clang-format over all sources"
	@echo "make tidy            clang-tidy over the sources that have changed"

deps:
ifeq ($(DEPS),yes)
	@scripts/install_dependencies
endif

# A build folder keeps the generator it was made with.
configure: deps
	@cmake -S . -B $(BUILD) $(if $(wildcard $(BUILD)/CMakeCache.txt),,$(GENERATOR)) $(CMAKE_ARGUMENTS) --log-level=WARNING

test: all
	@scripts/run_tests $(BUILD) -j $(TEST_JOBS) -LE slow

test-all: all
	@scripts/run_tests $(BUILD) -j $(TEST_JOBS)

test-sanitized:
	@$(MAKE) --no-print-directory all BUILD=build-sanitized \
	  CMAKE_ARGUMENTS='-DCMAKE_BUILD_TYPE=None "-DCMAKE_CXX_FLAGS=$(SANITIZERS)"'
	@UBSAN_OPTIONS=print_stacktrace=1 LSAN_OPTIONS=suppressions=$(CURDIR)/tests/leaks_of_others.txt:print_suppressions=0 \
	  scripts/run_tests build-sanitized -j $(TEST_JOBS) -LE slow

# The runtime's teams of threads alone: the rest of the project shares nothing between threads but what tuning does.
test-thread-sanitized: deps
	@cmake -S . -B build-thread-sanitized $(GENERATOR) --log-level=WARNING -DCMAKE_BUILD_TYPE=None \
	  '-DCMAKE_CXX_FLAGS=$(THREAD_SANITIZER)'
	@cmake --build build-thread-sanitized -j $(JOBS) --target test_runtime
	@TSAN_OPTIONS=halt_on_error=1 build-thread-sanitized/tests/test_runtime --gtest_filter='$(ON_THREADS)'

harmless: all
	@checks/harmless.py --tutti $(BUILD)/tutti

agreement: all
	@python3 -B bench/agreement.py $(BUILD) docs

bench: all
	@cmake --build $(BUILD) --target bench

bench-peers: all
	@python3 -B bench/peers/peers.py $(BUILD) $(if $(DOCS),--report $(DOCS)/peers.md) $(PEERS_OPTIONS)

live: all
	@scripts/live $(BUILD)

live-runtime: all
	@scripts/live_runtime $(BUILD)

validate: all
	@scripts/validate $(BUILD)

# Only what the demo runs: most of a build is tests.
demo: configure
	@cmake --build $(BUILD) -j $(JOBS) --target tutti
	@scripts/demo $(BUILD)

fidelity: all
	@fidelity/run $(BUILD)

docs: all
	@$(BUILD)/tutti list --markdown > $(BUILD)/algorithms.md
	@mv $(BUILD)/algorithms.md docs/algorithms.md
	@plots/architecture.py > docs/architecture.dot
	@dot -Tsvg docs/architecture.dot > docs/architecture.svg

gallery: all
	@TUTTI_BUILD=$(CURDIR)/$(BUILD) TUTTI_REDRAW=1 python3 -B tests/house/how_to_test.py Pages.test_TheGalleryIsDrawnAsPrinted

# Fails on a broken link.
site:
	@scripts/site $(BUILD)

# clang-tidy over what has changed since origin/main, or, on it, in the last day (TIDY_BASE=REVISION: since then), TIDY_MOST files of it.
tidy: configure
	@scripts/tidy $(BUILD)

format: deps
	@git ls-files '*.cpp' '*.hpp' '*.c' '*.h' | xargs clang-format -i

clean:
	@rm -rf build build-sanitized build-thread-sanitized
