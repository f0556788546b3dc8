# `make help` lists the targets; docs/ci.md says how long each takes and what it needs.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory
export CAPRIG_WARNINGS_AS_ERRORS := 1

# Where tools/libzmq has put its libzmq, which Package.swift links; asked for each command, since a target may build it. In
# the environment, empty or not, it is left as it is: `CAPRIG_LIBZMQ= make release` links the system's.
ifeq ($(origin CAPRIG_LIBZMQ),undefined)
export CAPRIG_LIBZMQ = $(shell tools/libzmq --where)
endif

# SwiftPM passes swift-protobuf's traits in the order of a set. Where that order changes from run to run, everything is compiled again.
SWIFT ?= env SWIFT_DETERMINISTIC_HASHING=1 swift
PYTHON ?= python3
DESTDIR ?=
PREFIX ?= /usr/local
LIBRARY ?= ./caprig-demo

# The development build: programs and tests of `make demo` and `make test`, in one folder and one configuration. It has no index, which only
# editors read, and no TLS (docs/dependencies.md). Tests carry no debug information: a crash in one names its function and not its line.
development = $(SWIFT) build --disable-index-store
development_bin = $(CURDIR)/.build/debug
export CAPRIG_TESTS_WITHOUT_DEBUG_INFO := 1
# The release build, which `make check` tests. STATIC=1: programs that run on machines without a Swift toolchain.
STATIC ?=
release_folder = $(if $(STATIC),.build-static,.build-release)
release = $(SWIFT) build -c release --traits TLS --disable-index-store --scratch-path $(release_folder) $(if $(STATIC),--static-swift-stdlib)
release_bin = $(CURDIR)/$(release_folder)/release

# Programs that `make check` tests, and those that `make install` installs. BUILT=1 says that everything is built.
PROGRAMS ?= $(release_bin)
BUILT ?=

sources = find Package.swift Examples Sources Tests -name '*.swift' -not -path 'Sources/Wire/RigProtocol/*'
programs = capagentd capcoordd capctl capwebd
# Where tests keep a copy of each manifest that they have had written.
manifests = $(CURDIR)/.build/manifests
# keep NAME: an empty folder for those of a stage, and the variable that has them kept.
keep = rm -rf "$(manifests)/$(1)" && mkdir -p "$(manifests)/$(1)"
kept_in = CAPRIG_KEEP_MANIFESTS="$(manifests)/$(1)"
# The tests' program, without `swift test`, which lets one run wait for another of the same build.
swift_tests = NO_COLOR=1 $(1)/debug/caprigPackageTests.xctest --testing-library swift-testing --no-parallel
# The part of tests that a change needs; docs/ci.md says what it leaves out.
quick = CAPRIG_TESTS=quick

# Stages that compute for a long time get the processors after those whose cameras run in real time beside them.
yielding = nice -n 10

# stage NAME,BUDGET,COMMAND: runs the command and prints how long it took, beside the seconds it is to take on two cores.
stage = tools/stage "$(1)" $(2) $(3)

.PHONY: help deps deps-build deps-test libzmq build agent coordinator client gateway release demo test test-build check check-programs check-release check-test-build check-proto
.PHONY: quick-system quick-interop quick-fixtures quick-manifests
.PHONY: unit unit-tls system interop fixtures faults settings-faults soak sweep endurance endurance-day lab check-deploy check-guests check-packages check-services check-readme
.PHONY: bench bench-camera bench-clock check-alignment check-api check-camera check-changeover check-clocks check-discovery check-doctor check-file-systems check-keys check-manifests check-matching check-raw check-mqtt check-silence check-slow-requests check-timeline check-tools check-web paths sanitize fuzz rogue
.PHONY: format format-check layers declared-imports proto proto-check install deb repository clean

help: ## This list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

deps: ## Install the Debian packages that are missing (root), or print the line that does
	@tools/deps build test lab

deps-build:
	@tools/deps build

deps-test:
	@tools/deps build test

libzmq: ## The libzmq that no peer can abort, from Debian's source package into the cache (2 min); else the system's is linked
	@tools/libzmq

build: deps-build libzmq ## Development build of all programs
	@tools/build $(development)

agent coordinator client gateway: deps-build libzmq ## Development build of one program: capagentd, capcoordd, capctl or capwebd
	@tools/build $(development) --product $(program)
agent: program = capagentd
coordinator: program = capcoordd
client: program = capctl
gateway: program = capwebd

release: deps-build libzmq ## Release build: optimized, with TLS
	@tools/build $(release)

demo: agent coordinator client $(if $(WEB),gateway) ## Development build, then 4 nodes with 2 cameras each take one picture; WEB=1 keeps them for the page
	@"$(development_bin)/capctl" demo --nodes 4 --cameras 2 --library "$(LIBRARY)" $(if $(WEB),--keep --web)
	@echo "ok   demo: the pictures are in $(LIBRARY)"

test: deps-test test-build .python/done ## What a change needs: unit tests, and each capability once; no verdict depends on the machine's speed
	@rm -rf "$(manifests)"
	@tools/check --table tools/test.stages --folder .build/test --programs "$(development_bin)"

check: deps libzmq .python/done ## Everything else, on the release build (75 min); FROM=STAGE resumes there, ONLY='STAGE …' runs some, REST=1 those that have not passed
	@tools/check --programs "$(PROGRAMS)" $(if $(FROM),--from $(FROM)) $(if $(ONLY),--only $(ONLY)) $(if $(REST),--rest)

test-build: deps-build libzmq
ifeq ($(BUILT),)
	@tools/build $(development) --build-tests
endif

check-programs: libzmq
ifeq ($(BUILT)$(filter-out $(release_bin),$(PROGRAMS)),)
	@tools/build $(release)
endif

# The first stages of `make check`, whatever BUILT says.
check-release: libzmq
	@tools/build $(release)
	@echo "1 passed, 0 failed"

check-test-build: libzmq
	@tools/build $(development) --build-tests --explicit-target-dependency-import-check error
	@echo "1 passed, 0 failed"

# Unit tests by the first letters of their modules, so that two parts run beside each other.
quick-unit-%: test-build
	@mkdir -p "$(manifests)/unit"
	@$(call stage,unit tests $*,200,env $(quick) $(call kept_in,unit) $(call swift_tests,.build) --filter '^[$*]\w*Tests\.' --skip '^SystemTests\.')

quick-system: test-build
	@$(call keep,system)
	@$(call stage,system tests,100,env $(quick) $(call kept_in,system) CAPRIG_BIN="$(development_bin)" \
	  $(call swift_tests,.build) --filter '^SystemTests\.System/CapabilityTests')

quick-interop: test-build .python/done
	@$(call stage,client and page,40,.python/bin/python Tests/Interop/test_quick.py "$(development_bin)")

quick-fixtures: test-build .python/done
	@$(call stage,fixtures,30,.python/bin/python Tests/Fixtures/test_fixtures.py "$(development_bin)" --quick)

quick-manifests: .python/done
	@$(call stage,manifests,10,.python/bin/python Tests/Interop/check_manifests.py --quick "$(manifests)/unit" "$(manifests)/system")

unit: test-build ## Unit tests, all of them
	@$(call keep,unit)
	@$(call stage,unit tests,400,env $(call kept_in,unit) $(call swift_tests,.build) --skip '^SystemTests\.')

unit-tls: libzmq ## Unit tests of the gateway with TLS, in a build folder of their own
	@CAPRIG_TESTS_OF=WebGateway tools/build $(SWIFT) build --disable-index-store --traits TLS --scratch-path .build-tls --build-tests
	@$(call stage,unit tests with TLS,30,env $(call swift_tests,.build-tls) --filter '^WebGatewayTests\.')

system: test-build check-programs ## Programs as processes on loopback
	@$(call keep,system)
	@$(call stage,system tests,800,env $(call kept_in,system) CAPRIG_BIN="$(PROGRAMS)" $(call swift_tests,.build) --filter '^SystemTests\.')

# Suites by their first letters, so that two parts run beside each other; they add to what is kept.
system-%: test-build check-programs
	@mkdir -p "$(manifests)/system"
	@$(call stage,$@,400,env $(call kept_in,system) CAPRIG_BIN="$(PROGRAMS)" $(call swift_tests,.build) --filter '^SystemTests\.System/[$*]')

check-tools: ## The programs that run the stages
	@$(call stage,tools,10,$(PYTHON) Tests/Tools/run)

check-proto: proto-check
	@echo "1 passed, 0 failed"

check-manifests: .python/done ## Every manifest that the unit and system tests have left, held against docs/schema by jsonschema
	@$(call stage,manifests,10,.python/bin/python Tests/Interop/check_manifests.py "$(manifests)/unit" "$(manifests)/system")

interop: check-programs .python/done ## A Python client written from proto/ and docs/ against release programs
	@$(call stage,interop,120,.python/bin/python Tests/Interop/test_interop.py "$(PROGRAMS)")

check-keys: check-programs .python/done ## A Python client joins by code, and strangers of every kind get nothing from any port
	@$(call stage,keys,90,$(yielding) .python/bin/python Tests/Interop/test_keys.py "$(PROGRAMS)")

check-web: check-programs .python/done ## The gateway as scripts use it, and its page in Chromium
	@$(call stage,web,240,.python/bin/python Tests/Interop/test_web.py "$(PROGRAMS)")
	@$(call stage,web over TLS,30,.python/bin/python Tests/Interop/test_web_tls.py "$(PROGRAMS)")

check-mqtt: check-programs .python/done ## The gateway as a bridge to MQTT: a mosquitto broker, Home Assistant's discovery, a small client
	@$(call stage,mqtt,40,.python/bin/python Tests/Interop/test_mqtt.py "$(PROGRAMS)")

check-api: check-programs .python/done ## The gateway against docs/api/openapi.yaml, with schemathesis
	@$(call stage,api,80,$(yielding) .python/bin/python Tests/Interop/test_openapi.py "$(PROGRAMS)")

check-discovery: check-programs .python/done ## A machine finds an announced coordinator with Avahi, in two network namespaces
	@$(call stage,discovery,30,.python/bin/python Tests/Interop/test_discovery.py "$(PROGRAMS)")

check-slow-requests: check-programs .python/done ## Thousands of requests that never end leave a place for a session
	@$(call stage,slow requests,200,.python/bin/python Tests/Interop/test_slow_requests.py "$(PROGRAMS)")

check-silence: check-programs .python/done ## The connection of each channel alone falls silent for ever, and viewers stand still
	@$(call stage,silent connections,120,.python/bin/python Tests/Interop/test_silence.py "$(PROGRAMS)")

check-raw: check-programs .python/done ## Raw files of every Bayer format, read by Adobe's SDK, dcraw and LibRaw
	@$(call stage,raw files,40,$(yielding) .python/bin/python Tests/Interop/test_raw.py "$(PROGRAMS)")

check-matching: check-programs .python/done ## Cameras are matched and locked, judged by a separate program from stills of another scene
	@$(call stage,matching,60,.python/bin/python Tests/Interop/test_matching.py "$(PROGRAMS)")

check-changeover: check-programs .python/done ## At which frame settings came into the pictures of late cameras, judged by a separate program from every frame
	@$(call stage,changeover,240,.python/bin/python Tests/Interop/test_changeover.py "$(PROGRAMS)")

check-alignment: check-programs .python/done ## Aligned cameras on nodes with different clocks expose together, judged by a separate program from their pixels
	@$(call stage,alignment,180,.python/bin/python Tests/Interop/test_alignment.py "$(PROGRAMS)")

check-clocks: check-programs .python/done ## Bounds of clocks that ptp4l and chronyd of Debian keep, in network and time namespaces, true and wrong
	@$(call stage,clocks,260,.python/bin/python Tests/Interop/test_clocks.py "$(PROGRAMS)")

check-timeline: check-programs .python/done ## Takes as FCPXML and OpenTimelineIO, compared with ffprobe and read by OpenTimelineIO
	@$(call stage,timelines,20,.python/bin/python Tests/Interop/test_timeline.py "$(PROGRAMS)")

check-file-systems: check-programs .python/done ## Library, spool and targets on ext4 that is read-only or has no inode, exFAT, NTFS and bindfs
	@$(call stage,file systems,90,.python/bin/python Tests/Interop/test_file_systems.py "$(PROGRAMS)")

check-doctor: check-programs .python/done ## `doctor` finds planted faults of disks, users, ports, keys and limits, and nothing on a healthy machine
	@$(call stage,doctor,120,.python/bin/python Tests/Interop/test_doctor.py "$(PROGRAMS)")

fixtures: check-programs .python/done ## Libraries, spools and journals that earlier programs have left are brought to their end
	@$(call stage,fixtures,75,$(yielding) .python/bin/python Tests/Fixtures/test_fixtures.py "$(PROGRAMS)")

faults: check-programs .python/done ## Three minutes of faults on rigs of release programs, checked from outside; docs/reliability.md
	@$(call stage,fault bench,280,$(yielding) .python/bin/python Tests/Faults/bench.py "$(PROGRAMS)" --minutes 3 --jobs 2)

settings-faults: check-programs .python/done ## 150 schedules of faults while cameras get settings, judged by their pixels; docs/reliability.md
	@$(call stage,settings faults,240,.python/bin/python Tests/Faults/settings_bench.py "$(PROGRAMS)" --schedules 150 --jobs 5 $(FAULTS))

soak: check-programs .python/done ## A thousand schedules of faults; SOAK='--first 1001 --jobs 8' goes on from there
	@$(call stage,soak,6000,.python/bin/python Tests/Faults/bench.py "$(PROGRAMS)" --schedules 1000 --jobs 4 $(SOAK))

sweep: check-programs .python/done ## A crash at each fault point in turn, as a table
	@$(call stage,sweep,1800,.python/bin/python Tests/Faults/bench.py "$(PROGRAMS)" --sweep crash --jobs 4)

endurance: check-programs .python/done ## A picture a second with four cameras for MINUTES=60: memory, descriptors and threads stay as they are
	@$(call stage,endurance,3900,.python/bin/python Tests/Faults/endurance.py "$(PROGRAMS)" --minutes $(or $(MINUTES),60) $(ENDURANCE))

endurance-day: check-programs .python/done ## The same for a day that passes as fast as everybody waits (2 h); ENDURANCE='--at-most 60' ends it early
	@$(call stage,endurance of a day,7500,.python/bin/python Tests/Faults/endurance.py "$(PROGRAMS)" --day 24 $(ENDURANCE))

lab: check-programs ## Release programs against the kernel's own camera drivers, in a virtual machine
	@$(call stage,device lab,400,Tests/DeviceLab/run "$(PROGRAMS)")

sanitize: deps-build libzmq ## Unit tests under the thread sanitizer, in a build folder of their own
	@$(call stage,thread sanitizer,900,env TSAN_OPTIONS=suppressions=Tests/thread-sanitizer.txt $(SWIFT) test --sanitize=thread --scratch-path .build-sanitize --disable-xctest --no-parallel \
	  --skip '^(SystemTests|CapctlCommandsTests)\.')

fuzz: deps-build libzmq ## Fuzzers on everything that reads foreign bytes, 60 s each; FUZZ='jpeg feed' SECONDS=600 (docs/fuzzing.md)
	@CAPRIG_FUZZ=1 $(call stage,fuzzers build,600,$(SWIFT) build -c release --sanitize=fuzzer -Xswiftc -enable-testing \
	  --scratch-path .build-fuzz --product caprig-fuzz)
	@$(call stage,fuzzers,1500,Tests/Fuzz/run .build-fuzz/release/caprig-fuzz $(or $(SECONDS),60) $(FUZZ))

paths: deps-build libzmq .python/done ## "Follow a trigger" and "Follow a frame" of docs/architecture.md against what runs
	@$(call stage,build with coverage,900,$(SWIFT) build -Xswiftc -profile-generate -Xswiftc -profile-coverage-mapping --scratch-path .build-paths)
	@$(call stage,paths,120,.python/bin/python Tests/Interop/paths.py .build-paths/debug)

rogue: check-programs .python/done ## A rig that is attacked on every port takes pictures on time, for 300 s; SECONDS=30
	@$(call stage,rogue client,330,.python/bin/python Tests/Interop/rogue.py "$(PROGRAMS)" $(or $(SECONDS),300))

bench-camera bench-clock: bench-%:
	@$(MAKE) -C Benchmarks/$(if $(filter camera,$*),Camera,Clock)

check-camera: check-programs bench-camera ## The benchmark's cameras still pass for V4L2 devices, and slow ones pass conformance
	@$(call stage,benchmark cameras,30,$(PYTHON) Benchmarks/check_camera.py Benchmarks/.build/camera "$(PROGRAMS)")

# All sections of the benchmark but `web` alone need it.
without_keys = $(if $(filter-out web,$(or $(BENCH),all)),$(CURDIR)/.build-without-keys)

bench: release bench-camera bench-clock ## Figures into docs/performance.md, beside peers (35 min with --rounds 2); BENCH='--quick streaming' takes some
	@tools/deps bench || echo "bench: no peers from Debian; what is measured stands alone" >&2
ifneq ($(without_keys),)
	@$(call stage,build without keys,400,env CAPRIG_WITHOUT_KEYS=1 $(SWIFT) build -c release --scratch-path "$(without_keys)")
endif
	@$(call stage,benchmark build,120,$(SWIFT) build --package-path Benchmarks -c release)
	@[ -x Benchmarks/.build/python/bin/python ] || $(PYTHON) -m venv Benchmarks/.build/python
	@Benchmarks/.build/python/bin/pip install --quiet --disable-pip-version-check -r Benchmarks/requirements.txt || \
	  echo "bench: no peers from PyPI; what is measured stands alone" >&2
	@Benchmarks/.build/python/bin/python Benchmarks/bench.py --programs "$(release_bin)" \
	  $(if $(without_keys),--programs-without-keys "$(without_keys)/release") \
	  --roundtrip Benchmarks/.build/release/zeromq-roundtrip --camera Benchmarks/.build/camera --clock Benchmarks/.build/clock --write docs/performance.md \
	  $(if $(WEB_MINUTES),--web-minutes $(WEB_MINUTES)) $(BENCH)

check-deploy: check-programs ## systemd units, udev rule and `make install`, as far as a machine without cameras can tell
	@$(call stage,deploy files,10,tools/check-deploy "$(PROGRAMS)")

check-readme: check-programs ## The blocks of README.md, docs/demo.md and docs/first-node.md, followed on two machines that are network namespaces
	@$(call stage,README.md,90,$(PYTHON) Tests/Readme/follow.py "$(PROGRAMS)")

check-services: check-programs ## The installed units under systemd as pid 1, in a virtual machine
	@$(call stage,services,120,tools/check-services "$(PROGRAMS)")

format: ## Format every Swift file
	@$(sources) -print0 | xargs -0 $(SWIFT) format --in-place --parallel --configuration .swift-format
	@echo "ok   formatted"

format-check: ## Fail where `make format` would change something or a rule is broken
	@$(sources) -print0 | xargs -0 $(SWIFT) format lint --strict --parallel --configuration .swift-format
	@echo "ok   format"

layers: ## Fail where a module imports upward or what it does not declare, a type is not in a file of its name, a path of docs/architecture.md does not hold, or a text has a word that is not used
	@tools/check-layers
	@tools/check-paths

proto: ## Generate Sources/Wire/RigProtocol from proto/
	@tools/deps test
	@$(development) --product protoc-gen-swift
	@rm -f Sources/Wire/RigProtocol/*.pb.swift
	@tools/generate-proto "$(development_bin)/protoc-gen-swift" Sources/Wire/RigProtocol
	@echo "ok   generated Sources/Wire/RigProtocol"

proto-check: ## Fail where the committed code is not what `make proto` generates
	@tools/build $(development) --product protoc-gen-swift
	@tools/generate-proto --check "$(development_bin)/protoc-gen-swift" Sources/Wire/RigProtocol
	@echo "ok   Sources/Wire/RigProtocol agrees with proto/"

install: ## Programs, units, user, udev rule and examples below DESTDIR; after `make release`; PROGRAMS= another folder
	@[ -x "$(PROGRAMS)/capctl" ] || { echo "run make release first" >&2; exit 1; }
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/caprig/examples" "$(DESTDIR)$(PREFIX)/share/caprig/web"
	install -m 644 Sources/Interfaces/WebGateway/Page/* "$(DESTDIR)$(PREFIX)/share/caprig/web"
	install -d $(foreach folder,prometheus grafana,"$(DESTDIR)$(PREFIX)/share/caprig/$(folder)")
	install -m 644 deploy/prometheus/*.yml "$(DESTDIR)$(PREFIX)/share/caprig/prometheus"
	install -m 644 deploy/grafana/*.json "$(DESTDIR)$(PREFIX)/share/caprig/grafana"
	install -m 755 $(foreach program,$(programs),"$(PROGRAMS)/$(program)") "$(DESTDIR)$(PREFIX)/bin"
	install -m 644 deploy/examples/*.yaml deploy/caprig.service.avahi "$(DESTDIR)$(PREFIX)/share/caprig/examples"
	install -d $(foreach folder,systemd/system udev/rules.d sysusers.d caprig,"$(DESTDIR)/etc/$(folder)")
	for unit in capagentd capcoordd capwebd; do \
	  sed 's|/usr/local/bin|$(PREFIX)/bin|' deploy/$$unit.service > "$(DESTDIR)/etc/systemd/system/$$unit.service"; done
	install -m 644 deploy/70-caprig.rules "$(DESTDIR)/etc/udev/rules.d"
	install -m 644 deploy/caprig.sysusers "$(DESTDIR)/etc/sysusers.d/caprig.conf"
	@echo "ok   installed below $(DESTDIR)$(PREFIX); deploy/README.md says what comes next"

# What `make deb` makes packages for: this machine's architecture, and on amd64 arm64 too, which is cross-built (tools/cross-build).
ARCHITECTURES ?= $(own_architecture) $(if $(filter amd64,$(own_architecture)),arm64)
PACKAGES ?= $(CURDIR)/.build-deb/packages
REPOSITORY ?= $(CURDIR)/.build-deb/repository
own_architecture = $(shell dpkg --print-architecture)
static_bin = $(CURDIR)/.build-static/release
cross_folder = $(CURDIR)/.build-cross

deb: libzmq ## Debian packages of static programs (root), in .build-deb/packages
	@tools/deps build packages
	@$(MAKE) release STATIC=1
	@rm -rf "$(PACKAGES)"
	@tools/packages $(own_architecture) "$(static_bin)" "$(PACKAGES)"
ifneq ($(filter-out $(own_architecture),$(ARCHITECTURES)),)
	@tools/cross-build "$(cross_folder)"
	@tools/packages arm64 "$(cross_folder)/programs" "$(PACKAGES)" --run "$(static_bin)" --libraries "$(cross_folder)/libraries"
endif
	@echo "ok   $$(ls "$(PACKAGES)" | wc -l) packages for $(ARCHITECTURES) in $(PACKAGES)"

repository: ## A folder for apt with the packages of `make deb`, in .build-deb/repository; CAPRIG_SIGNING_KEY=… signs it
	@tools/apt-repository "$(PACKAGES)" "$(REPOSITORY)"

check-packages: ## Packages of this architecture: lintian, pages, completions; installed, upgraded, removed and purged in a Debian 12 of their own
	@if tools/check-packages --possible; then \
	  CAPRIG_DEB_FAST=1 $(MAKE) deb ARCHITECTURES=$(own_architecture) PACKAGES="$(CURDIR)/.build-deb/checked" && \
	  $(call stage,packages,300,tools/check-packages "$(CURDIR)/.build-deb/checked"); fi

check-guests: ## Two bare Debian 12 machines under QEMU, from the packages to one picture of both, in six commands
	@if tools/check-guests --possible; then \
	  CAPRIG_DEB_FAST=1 $(MAKE) deb ARCHITECTURES=$(own_architecture) PACKAGES="$(CURDIR)/.build-deb/checked" && \
	  $(call stage,guests,300,tools/check-guests "$(CURDIR)/.build-deb/checked"); fi

clean: ## Remove everything that was built
	rm -rf .build .build-release .build-tls .build-paths .build-static .build-sanitize .build-fuzz .build-without-keys .build-deb .build-cross .python Benchmarks/.build
	@echo "ok   clean"

# A virtual environment of the pinned packages; made again when the pins change.
.python/done: Tests/Interop/requirements.txt
	@tools/deps test
	@rm -rf .python && $(PYTHON) -m venv .python
	@.python/bin/pip install --quiet --disable-pip-version-check -r Tests/Interop/requirements.txt
	@touch $@
