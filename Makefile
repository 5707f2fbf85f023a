# SPDX-License-Identifier: GPL-2.0-only
#
# futex-bench. `make help` lists the targets.
#
#   SAN=address|undefined|thread   build with a sanitizer (address includes undefined, thread has
#                                  only the unit tests that use threads)
#   CXX=clang++                    another compiler
#   WERROR=1                       warnings are errors
#   V=1                            show the commands
#   CPPFLAGS CXXFLAGS LDFLAGS      yours, added after ours
#   BASELINES="absl nsync"         mutexes of libraries to compare with; those not found are left out
#   PREFIX=/usr/local DESTDIR=     where `install` puts things
#
# Every combination of SAN and CXX has its own folder, build/<variant>/, so that changing between
# them compiles nothing twice. build/futex-bench is a link to the binary without a sanitizer that
# was asked for last.

VERSION := 0.1.0

MAKEFLAGS += --no-builtin-rules
# All processors, unless somebody said how many.
ifeq ($(filter -j% --jobs% --jobserver%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc)
endif
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

# --- variant ----------------------------------------------------------------------------------

# -O0: with optimisation the checks of the undefined sanitizer triple the time to compile.
# The library's assertions see an index past the end of an array that is still within its object.
SAN_FLAGS_address   := -O0 -D_GLIBCXX_ASSERTIONS -fsanitize=address,undefined -fno-sanitize-recover=all
SAN_FLAGS_undefined := -O0 -D_GLIBCXX_ASSERTIONS -fsanitize=undefined -fno-sanitize-recover=all
SAN_FLAGS_thread    := -O1 -fno-omit-frame-pointer -fsanitize=thread

ifneq ($(SAN),)
ifeq ($(SAN_FLAGS_$(SAN)),)
$(error SAN=$(SAN) is not known; use SAN=address, SAN=undefined or SAN=thread)
endif
endif

# The last word of CXX is the compiler also in "ccache g++".
COMPILER := $(notdir $(lastword $(CXX)))
BUILD    := $(or $(SAN),release)
VARIANT  := $(BUILD)$(if $(filter-out g++,$(COMPILER)),-$(COMPILER))
OUT      := build/$(VARIANT)

# --- flags ------------------------------------------------------------------------------------

# What shapes the machine code; recorded in every result. -g1 is enough for profilers and stack
# traces to name lines; full -g makes the build a third longer.
CODE_FLAGS := -std=c++20 $(if $(SAN),$(SAN_FLAGS_$(SAN)),-O2) -g1 -pthread
WARNINGS   := -Wall -Wextra -Wpedantic -Wshadow -Wconversion $(if $(filter 1,$(WERROR)),-Werror)

# -iquote: "common/..." is found from the top, and no file of ours can hide a system header.
COMPILE    = $(CXX) -iquote . $(CODE_FLAGS) $(OPTIMIZE) $(WARNINGS) $(CPPFLAGS) $(CXXFLAGS)
LINK       = $(CXX) $(CODE_FLAGS) $(CXXFLAGS) $(LDFLAGS)
LIBS       = -lfmt -lnuma $(ABSL_LIBS) $(NSYNC_LIBS) $(LDLIBS)
TEST_LIBS  = -lgmock -lgtest_main -lgtest

# --- files, found by wildcard -----------------------------------------------------------------

find_cpp = $(sort $(shell find $(1) -name '*.cpp' 2>/dev/null))
objects  = $(patsubst %.cpp,$(OUT)/obj/%.o,$(1))

MAIN_SRC   := futex-bench/main.cpp
COMMON_SRC := $(call find_cpp,common)
TOOL_SRC   := $(filter-out $(MAIN_SRC),$(call find_cpp,futex-bench))
UNIT_SRC   := $(call find_cpp,tests/unit)
ifeq ($(SAN),thread)
# It can find nothing where no thread is.
UNIT_SRC   := $(shell grep -lE '<thread>|/thread_team\.h|pthread_create' $(UNIT_SRC) /dev/null)
endif
MODEL_SRC  := $(call find_cpp,tests/model)
BENCH_SRC  := $(call find_cpp,tests/bench)
ALL_SRC    := $(COMMON_SRC) $(TOOL_SRC) $(MAIN_SRC) $(UNIT_SRC) $(MODEL_SRC) $(BENCH_SRC)

BINARY      := $(OUT)/futex-bench
UNIT_TESTS  := $(if $(UNIT_SRC),$(OUT)/unit-tests)
MODEL_TESTS := $(if $(MODEL_SRC),$(OUT)/model-tests)
BENCH       := $(if $(BENCH_SRC),$(OUT)/bench)
COMMON_LIB  := $(OUT)/libcommon.a
TOOL_LIB    := $(OUT)/libfutex-bench.a

ifeq ($(V),1)
Q   :=
say  = @:
else
Q   := @
say  = @printf '  %-5s %s\n' $(1) $(2)
endif

# --- mutexes of libraries, where they are -------------------------------------------------------

# Whoever passes a binary on: both are under the Apache license 2.0, which does not go together with
# GPL-2.0-only. BASELINES= builds without.
BASELINES ?= absl nsync
# ThreadSanitizer does not see into libraries and would call what they order a race.
WANTED := $(if $(filter thread,$(SAN)),,$(filter absl nsync,$(BASELINES)))
ifneq ($(filter absl,$(WANTED)),)
ABSL_LIBS := $(shell pkg-config --libs absl_synchronization 2>/dev/null)
endif
# It has no .pc file.
ifneq ($(filter nsync,$(WANTED)),)
NSYNC_LIBS := $(shell printf '\043include <nsync_mu.h>\nint main() {}' | $(CXX) $(CPPFLAGS) $(LDFLAGS) \
  -x c++ - -lnsync_cpp -o /dev/null >/dev/null 2>&1 && echo -lnsync_cpp)
endif
BASELINE_DEFINES := $(if $(ABSL_LIBS),-DFUTEX_BENCH_HAS_ABSL) $(if $(NSYNC_LIBS),-DFUTEX_BENCH_HAS_NSYNC)

# --- building ---------------------------------------------------------------------------------

.PHONY: all build-tests
all: $(BINARY) ## Build the tool: build/futex-bench (the default)
# Not a file rule: after a change of compiler the link may be newer than the binary it should name.
ifeq ($(SAN),)
	@[ "$$(readlink build/futex-bench)" = $(VARIANT)/futex-bench ] || \
	  ln -sfn $(VARIANT)/futex-bench build/futex-bench
endif

build-tests: all $(UNIT_TESTS) $(MODEL_TESTS) $(BENCH) ## Build all, tests too; run nothing

# A stamp holds a text and is touched only when the text changes: what depends on it is then made
# again. So other flags, a removed source or a new commit rebuild what they must and no more. The
# text travels through the environment: no quoting can break it.
.PHONY: FORCE
$(OUT)/flags.stamp:    private export STAMP = $(COMPILE) / $(LINK)
$(OUT)/link.stamp:     private export STAMP = $(LIBS) $(TEST_LIBS) / $(ALL_SRC)
$(OUT)/version.stamp:  private export STAMP = $(VERSION)
$(OUT)/identity.stamp: private export STAMP = $(COMMIT)
$(OUT)/%.stamp: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' "$$STAMP" | cmp -s - $@ || printf '%s\n' "$$STAMP" >$@

# Only a .git of our own counts: a release unpacked inside another repository has no commit.
COMMIT := $(or $(if $(wildcard .git),$(shell git describe --always --dirty 2>/dev/null)),unknown)

# A C string literal as one shell word; quotes and backslashes inside are dropped.
define single_quote
'
endef
c_string = '"$(subst $(strip $(single_quote)),,$(subst ",,$(subst \,,$(strip $(1)))))"'

$(OUT)/obj/futex-bench/main.o: $(OUT)/version.stamp
$(OUT)/obj/futex-bench/main.o: private DEFINES = -DFUTEX_BENCH_VERSION=$(call c_string,$(VERSION))
$(OUT)/obj/common/system/environment.o: $(OUT)/identity.stamp
$(OUT)/obj/common/system/environment.o: private DEFINES = \
  -DFUTEX_BENCH_BUILD=$(call c_string,$(BUILD)) \
  -DFUTEX_BENCH_COMMIT=$(call c_string,$(COMMIT)) \
  -DFUTEX_BENCH_CXXFLAGS=$(call c_string,$(CODE_FLAGS) $(CPPFLAGS) $(CXXFLAGS))

# Every file that includes libraries.h must see the same, so they are found, not listed.
BASELINE_OBJECTS := $(call objects,$(shell grep -l '^\#include "common/locks/libraries.h"' $(ALL_SRC)))
$(OUT)/baselines.stamp: private export STAMP = $(BASELINE_DEFINES)
$(BASELINE_OBJECTS): $(OUT)/baselines.stamp
$(BASELINE_OBJECTS): private DEFINES = $(BASELINE_DEFINES)

# -MP: a header that is gone does not stop the next build.
$(OUT)/obj/%.o: %.cpp $(OUT)/flags.stamp
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(COMPILE) $(DEFINES) -MMD -MP -c $< -o $@

# Nothing in these is ever measured, and the libraries they use take longest to compile.
ifeq ($(SAN),)
$(call objects,$(filter futex-bench/cli/% futex-bench/report/% tests/unit/%,$(ALL_SRC))): \
  private OPTIMIZE = -O1
endif

# Made anew each time: `ar` would keep the member of a source that is gone.
$(COMMON_LIB): $(call objects,$(COMMON_SRC))
$(TOOL_LIB): $(call objects,$(TOOL_SRC))
$(COMMON_LIB) $(TOOL_LIB): $(OUT)/flags.stamp $(OUT)/link.stamp
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

$(BINARY): $(call objects,$(MAIN_SRC)) $(TOOL_LIB) $(COMMON_LIB)
# Under ThreadSanitizer only what has threads, and that is neither reports nor the command line, whose
# libraries take longest to compile.
$(OUT)/unit-tests: $(call objects,$(UNIT_SRC)) $(if $(filter thread,$(SAN)),$(call \
  objects,$(filter futex-bench/bench/% futex-bench/run/%,$(TOOL_SRC))),$(TOOL_LIB)) $(COMMON_LIB)
$(OUT)/unit-tests: private EXTRA_LIBS = $(TEST_LIBS)
$(OUT)/model-tests: $(call objects,$(MODEL_SRC)) $(COMMON_LIB)
$(OUT)/model-tests: private EXTRA_LIBS = $(TEST_LIBS)
$(OUT)/bench: $(call objects,$(BENCH_SRC)) $(TOOL_LIB) $(COMMON_LIB)
$(BINARY) $(OUT)/unit-tests $(OUT)/model-tests $(OUT)/bench: $(OUT)/flags.stamp $(OUT)/link.stamp
	$(call say,LINK,$@)
	$(Q)$(LINK) $(filter %.o %.a,$^) $(EXTRA_LIBS) $(LIBS) -o $@

-include $(patsubst %.o,%.d,$(call objects,$(ALL_SRC)))

# --- testing ----------------------------------------------------------------------------------

# The address space layout of some kernels is too random for ThreadSanitizer; containers may forbid
# to change it, so try.
ifeq ($(SAN),thread)
RUN := $(shell setarch -R true 2>/dev/null && echo setarch -R)
endif

# run_tests PROGRAM,ARGUMENTS: a GoogleTest program, which may be empty. GTEST_BRIEF=1 in the
# environment would hide the lines that scripts/check counts.
run_tests = $(if $(1),$(Q)$(RUN) $(1) --gtest_brief=0 $(2),@echo 'no tests here')

CODEGEN_TESTS := $(sort $(wildcard tests/codegen/*.sh))
CLI_TESTS     := $(sort $(wildcard tests/cli/*.bats))
SUITES        ?= unit model codegen cli

needs_unit    := $(UNIT_TESTS)
needs_model   := $(MODEL_TESTS)
needs_codegen := $(if $(CODEGEN_TESTS),$(BINARY))
needs_cli     := $(if $(CLI_TESTS),$(BINARY))

.PHONY: check check-unit check-model check-long check-codegen check-cli bench lint lint-quick smoke
# One after the other, also with -j: tests with deadlines want the processors for themselves. All
# suites run, also after one has failed.
check: $(foreach suite,$(SUITES),$(needs_$(suite))) ## Run all tests; SUITES="unit cli" selects
	@failed=; for suite in $(SUITES); do \
	  $(MAKE) --no-print-directory check-$$suite || failed="$$failed $$suite"; done; \
	[ -z "$$failed" ] || { echo "check: failed:$$failed" >&2; exit 1; }

check-unit: $(needs_unit) ## Run the unit tests; UNIT_ARGS=--gtest_filter=... selects
	$(call run_tests,$(UNIT_TESTS),$(UNIT_ARGS))

check-model: $(needs_model) ## Run the locks through all schedules within small bounds
	$(call run_tests,$(MODEL_TESTS),$(MODEL_ARGS))

# Seconds per lock and preemptions per run; yours count where you have set them.
check-long: private export FUTEX_BENCH_MODEL_SECONDS := $(or $(FUTEX_BENCH_MODEL_SECONDS),600)
check-long: private export FUTEX_BENCH_MODEL_PREEMPTIONS := $(or $(FUTEX_BENCH_MODEL_PREEMPTIONS),4)
check-long: $(needs_model) ## The same with larger bounds: minutes to hours
	$(call run_tests,$(MODEL_TESTS),$(MODEL_ARGS))

# Each script gets the binary as its argument. The output is TAP, as that of bats is.
check-codegen: $(needs_codegen) ## Check the machine code of the measured loops
	@n=0; failed=0; echo '1..$(words $(CODEGEN_TESTS))'; \
	for test in $(CODEGEN_TESTS); do n=$$((n + 1)); \
	  if "$$test" $(abspath $(BINARY)); then echo "ok $$n $$test"; \
	  else echo "not ok $$n $$test"; failed=1; fi; done; exit $$failed

check-cli: private export FUTEX_BENCH = $(abspath $(BINARY))
check-cli: $(needs_cli) ## Drive the binary as a user does; BATS_ARGS=-f REGEX selects
	$(if $(CLI_TESTS),$(Q)bats $(BATS_ARGS) $(CLI_TESTS) </dev/null,@echo 'no tests here')

bench: $(BINARY) $(BENCH) ## Measure the tool itself: harness cost and the speed of its locks
	$(if $(BENCH),$(Q)$(BENCH) $(BENCH_ARGS))
	$(if $(wildcard scripts/bench),$(Q)FUTEX_BENCH=$(abspath $(BINARY)) scripts/bench $(BENCH_ARGS))

lint: ## Check format, code, scripts and the include directions
	$(Q)scripts/lint

lint-quick: ## The same without clang-tidy, which takes minutes
	$(Q)scripts/lint --quick

# 3 = some modes cannot run on this kernel; they were named and skipped.
smoke: all ## Run the tool for a moment
	$(Q)$(BINARY) list
	$(Q)$(BINARY) lock --threads 1,2 --mode all --runtime 0.01 --repeat 1 || [ $$? -eq 3 ]

# --- installing -------------------------------------------------------------------------------

PREFIX ?= /usr/local
bindir ?= $(PREFIX)/bin
docdir ?= $(PREFIX)/share/doc/futex-bench
mandir ?= $(PREFIX)/share/man

.PHONY: install uninstall clean help
install: $(BINARY) ## Install under DESTDIR and PREFIX (/usr/local)
	$(call say,INST,'$(DESTDIR)$(PREFIX)')
	$(Q)install -d '$(DESTDIR)$(bindir)' '$(DESTDIR)$(docdir)'
	$(Q)install -m 755 $(BINARY) '$(DESTDIR)$(bindir)/futex-bench'
	$(Q)install -m 644 README.md COPYING '$(DESTDIR)$(docdir)'
	$(Q)for page in man/futex-bench.1 build/futex-bench.1; do \
	  [ -e $$page ] || continue; \
	  install -d '$(DESTDIR)$(mandir)/man1' && \
	  install -m 644 $$page '$(DESTDIR)$(mandir)/man1/futex-bench.1' || exit; done

uninstall: ## Remove what install put there
	$(call say,RM,'$(DESTDIR)$(PREFIX)')
	$(Q)rm -f '$(DESTDIR)$(bindir)/futex-bench' '$(DESTDIR)$(mandir)/man1/futex-bench.1'
	$(Q)rm -f '$(DESTDIR)$(docdir)/README.md' '$(DESTDIR)$(docdir)/COPYING'
	$(Q)[ ! -d '$(DESTDIR)$(docdir)' ] || rmdir --ignore-fail-on-non-empty '$(DESTDIR)$(docdir)'

clean: ## Remove build/
	$(Q)rm -rf build

help: ## Show this list
	@sed -n '/^#   /s/^#   /  /p' Makefile
	@echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | \
	  while IFS="$$(printf '\t')" read -r name text; do printf '  %-14s %s\n' "$$name" "$$text"; done
