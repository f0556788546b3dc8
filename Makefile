# `make help` lists the targets; docs/ci.md says how long each takes and what it needs.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory
export CAPRIG_WARNINGS_AS_ERRORS := 1

SWIFT ?= swift
PYTHON ?= python3
DESTDIR ?=
PREFIX ?= /usr/local
LIBRARY ?= ./caprig-demo
# STATIC=1: programs that run on machines without a Swift toolchain; for `release` and `install`.
STATIC ?=
release_options = -c release $(if $(STATIC),--static-swift-stdlib --scratch-path .build-static)

debug_bin = $(CURDIR)/.build/debug
release_bin = $(CURDIR)/$(if $(STATIC),.build-static,.build)/release
sources = find Package.swift Examples Sources Tests -name '*.swift' -not -path 'Sources/RigProtocol/*'
programs = capagentd capcoordd capctl
# Every test is a Swift Testing one.
test_options = --skip-build --disable-xctest

# stage NAME, COMMAND: runs the command and prints how long it took.
stage = tools/stage "$(1)" $(2)

.PHONY: help deps deps-build build release demo test unit system interop faults soak sweep endurance endurance-day lab check-deploy check-services
.PHONY: bench bench-camera check-camera check-raw check-timeline sanitize fuzz rogue
.PHONY: format format-check layers proto proto-check install clean

help: ## This list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

deps: ## Install the Debian packages that are missing (root), or print the line that does
	@tools/deps build test lab

deps-build:
	@tools/deps build

build: deps-build ## Debug build
	@$(call stage,debug build,$(SWIFT) build)

release: deps-build ## Release build
	@$(call stage,release build,$(SWIFT) build $(release_options))

demo: release ## Release build, then 4 nodes with 2 virtual cameras each take one picture
	@"$(release_bin)/capctl" demo --nodes 4 --cameras 2 --library "$(LIBRARY)"
	@echo "ok   demo: the pictures are in $(LIBRARY)"

test: deps unit system ## Every test: unit, system, then deploy files, benchmark's cameras, interop, raw files, timelines, faults, services and device lab
	@tools/tally check-deploy check-camera interop check-raw check-timeline faults check-services lab

unit: ## Unit tests, in debug
	@$(call stage,debug build with tests,$(SWIFT) build --build-tests)
	@$(call stage,unit tests,$(SWIFT) test $(test_options) --no-parallel --skip '^SystemTests\.')

system: release ## Release programs as processes on loopback; needs the debug build with tests
	@$(call stage,debug build with tests,$(SWIFT) build --build-tests)
	@export CAPRIG_BIN="$(release_bin)"; \
	$(call stage,system tests,$(SWIFT) test $(test_options) --no-parallel --filter '^SystemTests\.')

interop: release .python/done ## A Python client written from proto/ and docs/ against release programs
	@$(call stage,interop,.python/bin/python Tests/Interop/test_interop.py "$(release_bin)")

check-raw: release .python/done ## Raw files of every Bayer format, read by Adobe's SDK, dcraw and LibRaw
	@$(call stage,raw files,.python/bin/python Tests/Interop/test_raw.py "$(release_bin)")

check-timeline: release .python/done ## Takes as FCPXML and OpenTimelineIO, compared with ffprobe and read by OpenTimelineIO
	@$(call stage,timelines,.python/bin/python Tests/Interop/test_timeline.py "$(release_bin)")

faults: release .python/done ## Three minutes of faults on rigs of release programs, checked from outside; docs/reliability.md
	@$(call stage,fault bench,.python/bin/python Tests/Faults/bench.py "$(release_bin)" --minutes 3 --jobs 2)

soak: release .python/done ## A thousand schedules of faults; SOAK='--first 1001 --jobs 8' goes on from there
	@$(call stage,soak,.python/bin/python Tests/Faults/bench.py "$(release_bin)" --schedules 1000 --jobs 4 $(SOAK))

sweep: release .python/done ## A crash at each fault point in turn, as a table
	@$(call stage,sweep,.python/bin/python Tests/Faults/bench.py "$(release_bin)" --sweep crash --jobs 4)

endurance: release .python/done ## A picture a second with four cameras for MINUTES=60: memory, descriptors and threads stay as they are
	@$(call stage,endurance,.python/bin/python Tests/Faults/endurance.py "$(release_bin)" --minutes $(or $(MINUTES),60) $(ENDURANCE))

endurance-day: release .python/done ## The same for a day that passes as fast as everybody waits (2 h); ENDURANCE='--at-most 60' ends it early
	@$(call stage,endurance of a day,.python/bin/python Tests/Faults/endurance.py "$(release_bin)" --day 24 $(ENDURANCE))

lab: release ## Release programs against the kernel's own camera drivers, in a virtual machine
	@$(call stage,device lab,Tests/DeviceLab/run "$(release_bin)")

sanitize: deps-build ## Unit tests under the thread sanitizer, in a build folder of their own
	@$(call stage,thread sanitizer,$(SWIFT) test --sanitize=thread --scratch-path .build-sanitize --disable-xctest --no-parallel \
	  --skip '^(SystemTests|CapctlTests)\.')

fuzz: deps-build ## Fuzzers on everything that reads foreign bytes, 60 s each; FUZZ='jpeg feed' SECONDS=600 (docs/fuzzing.md)
	@CAPRIG_FUZZ=1 $(call stage,fuzzers build,$(SWIFT) build -c release --sanitize=fuzzer -Xswiftc -enable-testing \
	  --scratch-path .build-fuzz --product caprig-fuzz)
	@$(call stage,fuzzers,Tests/Fuzz/run .build-fuzz/release/caprig-fuzz $(or $(SECONDS),60) $(FUZZ))

rogue: release .python/done ## A rig that is attacked on every port takes pictures on time, for 300 s; SECONDS=30
	@$(call stage,rogue client,.python/bin/python Tests/Interop/rogue.py "$(release_bin)" $(or $(SECONDS),300))

bench-camera:
	@$(MAKE) -C Benchmarks/Camera

check-camera: release bench-camera ## The benchmark's cameras still pass for V4L2 devices
	@$(call stage,benchmark cameras,$(PYTHON) Benchmarks/check_camera.py Benchmarks/.build/camera "$(release_bin)")

bench: release bench-camera ## Figures into docs/performance.md, beside peers (20 min); BENCH='--quick streaming' takes some
	@tools/deps bench || echo "bench: no peers from Debian; what is measured stands alone" >&2
	@$(call stage,benchmark build,$(SWIFT) build --package-path Benchmarks -c release)
	@[ -x Benchmarks/.build/python/bin/python ] || $(PYTHON) -m venv Benchmarks/.build/python
	@Benchmarks/.build/python/bin/pip install --quiet --disable-pip-version-check -r Benchmarks/requirements.txt || \
	  echo "bench: no peers from PyPI; what is measured stands alone" >&2
	@Benchmarks/.build/python/bin/python Benchmarks/bench.py --programs "$(release_bin)" \
	  --roundtrip Benchmarks/.build/release/zeromq-roundtrip --camera Benchmarks/.build/camera --write docs/performance.md $(BENCH)

check-deploy: release ## systemd units, udev rule and `make install`, as far as a machine without cameras can tell
	@$(call stage,deploy files,tools/check-deploy)

check-services: release ## The installed units under systemd as pid 1, in a virtual machine
	@$(call stage,services,tools/check-services)

format: ## Format every Swift file
	@$(sources) -print0 | xargs -0 $(SWIFT) format --in-place --parallel --configuration .swift-format
	@echo "ok   formatted"

format-check: ## Fail where `make format` would change something or a rule is broken
	@$(sources) -print0 | xargs -0 $(SWIFT) format lint --strict --parallel --configuration .swift-format
	@echo "ok   format"

layers: ## Fail where a module imports upward or what it does not declare
	@tools/check-layers
	@$(call stage,declared imports,$(SWIFT) build --explicit-target-dependency-import-check error)

proto: ## Generate Sources/RigProtocol from proto/
	@tools/deps test
	@$(SWIFT) build --product protoc-gen-swift
	@rm -f Sources/RigProtocol/*.pb.swift
	@tools/generate-proto "$(debug_bin)/protoc-gen-swift" Sources/RigProtocol
	@echo "ok   generated Sources/RigProtocol"

proto-check: ## Fail where the committed code is not what `make proto` generates
	@$(SWIFT) build --product protoc-gen-swift
	@tools/generate-proto --check "$(debug_bin)/protoc-gen-swift" Sources/RigProtocol
	@echo "ok   Sources/RigProtocol agrees with proto/"

install: ## Programs, units, user, udev rule and examples below DESTDIR; after `make release`
	@[ -x "$(release_bin)/capctl" ] || { echo "run make release first" >&2; exit 1; }
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/caprig/examples"
	install -m 755 $(foreach program,$(programs),"$(release_bin)/$(program)") "$(DESTDIR)$(PREFIX)/bin"
	install -m 644 deploy/examples/*.yaml "$(DESTDIR)$(PREFIX)/share/caprig/examples"
	install -d $(foreach folder,systemd/system udev/rules.d sysusers.d caprig,"$(DESTDIR)/etc/$(folder)")
	for unit in capagentd capcoordd; do \
	  sed 's|/usr/local/bin|$(PREFIX)/bin|' deploy/$$unit.service > "$(DESTDIR)/etc/systemd/system/$$unit.service"; done
	install -m 644 deploy/70-caprig.rules "$(DESTDIR)/etc/udev/rules.d"
	install -m 644 deploy/caprig.sysusers "$(DESTDIR)/etc/sysusers.d/caprig.conf"
	@echo "ok   installed below $(DESTDIR)$(PREFIX); deploy/README.md says what comes next"

clean: ## Remove everything that was built
	rm -rf .build .build-static .build-sanitize .build-fuzz .python Benchmarks/.build
	@echo "ok   clean"

# A virtual environment of the pinned packages; made anew when the pins change.
.python/done: Tests/Interop/requirements.txt
	@tools/deps test
	@rm -rf .python && $(PYTHON) -m venv .python
	@.python/bin/pip install --quiet --disable-pip-version-check -r Tests/Interop/requirements.txt
	@touch $@
