# What people and .ci/run do with Belfry; "make help" lists it.

# A user installs for themselves, root for everybody; packagers set PREFIX=/usr and DESTDIR.
PREFIX ?= $(shell if [ "$$(id -u)" = 0 ]; then echo /usr/local; else echo "$$HOME/.local"; fi)
DESTDIR ?=
SWIFT ?= swift

# What a Debian 12 with a Swift toolchain still needs to build and to run.
PACKAGES := libcanberra0 libcanberra-pulse libjansson-dev pkg-config gcc libstdc++-12-dev zlib1g \
	libcurl4-openssl-dev libnghttp2-dev libssl-dev libsqlite3-dev libgdk-pixbuf-2.0-dev webp-pixbuf-loader ca-certificates
# What the demo shows its ring on, a systemd and a sound server of its own.
DEMO_PACKAGES := python3 systemd dbus-user-session pulseaudio-utils
# What tests hold the programs against: what they draw with and decode, push servers, desktops, shells.
TEST_PACKAGES := $(DEMO_PACKAGES) openssl libsndfile1 libpangocairo-1.0-0 fonts-dejavu-core \
	curl python3-hpack python3-hyperframe python3-cryptography \
	nghttp2-client nghttp2-server python3-aioapns python3-httpx python3-h2 \
	python3-pytest python3-pytest-xdist \
	dunst xfce4-notifyd feedbackd xfconf dconf-gsettings-backend gsettings-desktop-schemas \
	desktop-file-utils xvfb xdotool libglib2.0-bin python3-dbus python3-dbusmock python3-gi zsh fish
# What other languages make a provider token with, and what clients of PyPI are installed by.
CLIENT_PACKAGES := $(TEST_PACKAGES) python3-venv python3-jwt golang-go ruby php-cli default-jdk-headless \
	erlang-base erlang-crypto erlang-public-key
# What cuts brokers off from each other.
FLEET_PACKAGES := $(TEST_PACKAGES) nftables iproute2
# What makes the tarball.
DIST_PACKAGES := binutils patchelf
# What makes a Debian package and looks at it, the bare Debian that the tarball is tried in, the sample in Go.
CHECK_PACKAGES := $(TEST_PACKAGES) $(DIST_PACKAGES) dpkg-dev debhelper lintian mmdebstrap golang-go
# What the peers in C are built with.
BENCH_PACKAGES := $(TEST_PACKAGES) libsystemd-dev
# What demo and tests need where no sound server runs; it conflicts with a desktop's PipeWire.
SOUND_SERVER = $(shell dpkg-query -W pipewire-pulse >/dev/null 2>&1 || echo pulseaudio)
# The other one, which tests start for themselves; where one runs for the user, it is not disturbed.
OTHER_SOUND_SERVER = $(shell pactl info >/dev/null 2>&1 || echo pipewire-pulse wireplumber)
# Debian's, if there is none of another origin.
NODE = $(shell command -v node >/dev/null || echo nodejs)

BUILD := $(CURDIR)/.build
# The programs with their sounds and units as "make install" lays them out: what demo, tests and bench run.
STAGE := $(BUILD)/stage
# A folder that holds these libraries as archives alone; where a shared one lies beside its archive, the linker takes it.
ARCHIVES := $(BUILD)/archives

# A worker starts once for each call, and static runtimes at a fixed address halve its start; each library that the
# loader need not look for is worth 0.05 ms more. Not in Package.swift, since nobody can depend on a package with unsafe
# flags. With a run path each start looks for each library in vain beside
# the program first, 0.1 ms.
RELEASE_FLAGS := --configuration release --static-swift-stdlib --disable-local-rpath -Xlinker -L$(ARCHIVES) \
	-Xswiftc -Xclang-linker -Xswiftc -static-libgcc -Xswiftc -Xclang-linker -Xswiftc -no-pie
# What nobody debugs needs no debug information: .ci/run says so by DEBUG_INFO.
DEBUG_FLAGS := --explicit-target-dependency-import-check error $(DEBUG_INFO)
# As a user's package builds Belfry, and without debug information, since nobody runs it.
EXAMPLE_FLAGS := --scratch-path $(BUILD)/examples -debug-info-format none

# The one place that decides it; TidyTests hold change log, manual pages and package to it.
VERSION = $(shell sed -n 's/.*static let number = "\(.*\)"$$/\1/p' Sources/System/BelfryCommandLine/BelfryVersion.swift)

PROGRAMS := belfry belfry-worker belfry-avatar belfry-desktop belfry-apns belfry-calls belfry-directory belfry-fleet
BUS_SERVICES := $(notdir $(wildcard Units/dbus/*.service))
UNITS := $(notdir $(wildcard Units/*.socket Units/*.service Units/*.slice))
PAGES := belfry.1 belfry-worker.8 belfry-desktop.8 belfry-apns.8 belfry-calls.8 belfry-fleet.8 belfry.conf.5
SHELLS := bash zsh fish
SOUNDS := $(notdir $(wildcard Sounds/*.wav))
# Beside one another as here, so that their links hold.
DOCUMENTS := README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md LICENSE
SHELL_SCRIPTS := $(shell grep -lE '^\#!/usr/bin/env bash' .ci/* Bench/* Demo/* Dist/* Examples/* Tests/* Units/* 2>/dev/null)

programs_folder := $(DESTDIR)$(PREFIX)/bin
# Debian has places of its own for units and for what completes command lines in zsh.
UNITS_FOLDER ?= $(PREFIX)/share/systemd/user
ZSH_FOLDER ?= $(PREFIX)/share/zsh/site-functions

units_folder := $(DESTDIR)$(UNITS_FOLDER)
manual_folder := $(DESTDIR)$(PREFIX)/share/man
# One for each of SHELLS.
completions := $(DESTDIR)$(PREFIX)/share/bash-completion/completions/belfry $(DESTDIR)$(ZSH_FOLDER)/_belfry \
	$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/belfry.fish
bus_services_folder := $(DESTDIR)$(PREFIX)/share/dbus-1/services
# What notifications name, so that a desktop has settings for them.
desktop_entry := $(DESTDIR)$(PREFIX)/share/applications/org.belfry.Belfry.desktop
desktop_icon := $(DESTDIR)$(PREFIX)/share/icons/hicolor/scalable/apps/org.belfry.Belfry.svg
sounds_folder := $(DESTDIR)$(PREFIX)/share/belfry/sounds
# Called as the package, since the name of its folder is the identity of a dependency that has a path.
package_folder := $(DESTDIR)$(PREFIX)/share/belfry/swift/belfry
documents_folder := $(DESTDIR)$(PREFIX)/share/doc/belfry

.DEFAULT_GOAL := help
.PHONY: help deps deps/demo deps/test deps/check deps/dist deps/clients deps/fleet deps/bench build build/simulate stage demo test check mutants simulate torture storm fleet clients sanitize fuzz lint format bench deb package dist install files uninstall rule clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile
	@echo 'Installs to $(PREFIX); "make install PREFIX=... DESTDIR=..." puts it elsewhere.'

# Prints those of $(1) that are not installed.
missing = $$(for package in $(1); do \
	[ "$$(dpkg-query -W -f '$${db:Status-Status}' $$package 2>/dev/null)" = installed ] || echo $$package; done)
# Never removes a package: what conflicts with this machine is not worth its desktop.
apt_get := $(if $(filter 0,$(shell id -u)),,sudo) env DEBIAN_FRONTEND=noninteractive apt-get --quiet --yes \
	--no-install-recommends --no-remove

deps/demo: WANTED = $(DEMO_PACKAGES) $(SOUND_SERVER)
deps/fleet: WANTED = $(FLEET_PACKAGES) $(NODE) $(SOUND_SERVER) $(OTHER_SOUND_SERVER)
deps/test: WANTED = $(TEST_PACKAGES) $(NODE) $(SOUND_SERVER) $(OTHER_SOUND_SERVER)
deps/check: WANTED = $(CHECK_PACKAGES) $(NODE) $(SOUND_SERVER) $(OTHER_SOUND_SERVER)
deps/dist: WANTED = $(DIST_PACKAGES)
deps/clients: WANTED = $(CLIENT_PACKAGES) $(NODE) $(SOUND_SERVER)
deps/bench: WANTED = $(BENCH_PACKAGES) $(NODE) $(SOUND_SERVER)
deps: ## install what building and running need and this machine has not
deps deps/demo deps/test deps/check deps/dist deps/clients deps/fleet deps/bench:
	@command -v dpkg-query >/dev/null || { echo 'deps: not a Debian; needed: $(PACKAGES)' >&2; exit 1; }
	@missing="$(call missing,$(PACKAGES) $(WANTED))"; [ -z "$$missing" ] || \
	{ [ "$$(id -u)" = 0 ] || command -v sudo >/dev/null || { echo "deps: there is no sudo; root has to: apt-get install" $$missing >&2; exit 69; }; \
	$(apt_get) update && $(apt_get) install $$missing; } </dev/null

# The broker that tests start: unpacked and not installed, so that no service of it appears.
BROKER := $(BUILD)/nats/usr/sbin/nats-server
deps/test deps/check deps/fleet: $(BROKER)
$(BROKER):
	@rm -rf $(BUILD)/nats && mkdir -p $(BUILD)/nats
	@cd $(BUILD)/nats && { apt-get --quiet download nats-server || \
		{ $(apt_get) update && apt-get --quiet download nats-server; }; } && \
		dpkg --extract nats-server_*.deb . && rm nats-server_*.deb

# Each by its name, or the libraries for tests would be built too, and a static runtime has no Testing.
build: ## build the programs: release, static Swift runtime
	@mkdir -p $(ARCHIVES)
	@for archive in libstdc++.a libjansson.a; do ln -sf "$$(gcc -print-file-name=$$archive)" $(ARCHIVES); done
	@for program in $(PROGRAMS); do $(SWIFT) build $(RELEASE_FLAGS) --product $$program || exit 1; done

build/simulate:
	$(SWIFT) build $(RELEASE_FLAGS) --product simulate

stage: build
	@rm -rf $(STAGE)
	@$(MAKE) --no-print-directory files PREFIX=$(STAGE) DESTDIR=

demo: deps/demo stage ## a call rings, here and now, and is hung up
	@Demo/run $(STAGE)

test: deps/test ## unit tests, then the programs under a systemd and a sound server of their own
	@Tests/run --check
	$(SWIFT) build --build-tests $(DEBUG_FLAGS)
	$(SWIFT) build --package-path Examples $(EXAMPLE_FLAGS)
	$(SWIFT) build --package-path Examples/CallTests --build-tests $(EXAMPLE_FLAGS)
	$(SWIFT) build --package-path Examples/PhoneTests --build-tests $(EXAMPLE_FLAGS)
	$(SWIFT) build --package-path Examples/OwnExtension --build-tests $(EXAMPLE_FLAGS)
	@$(MAKE) --no-print-directory stage
	@$(MAKE) --no-print-directory build/simulate
	@Examples/run $(STAGE) $(BUILD)/examples
	@Tests/run $(STAGE)

check: deps/check test ## what is too long for each change: package, tarball, 100,000 seeds, torture, fuzzing
	@$(MAKE) --no-print-directory package
	@$(MAKE) --no-print-directory dist
	@Tests/dist $(BUILD)/dist/belfry-$(VERSION)-linux-*.tar.gz $(VERSION)
	@cd Examples/Go && env PATH=$(STAGE)/bin:$$PATH BELFRY_SOUND=none GOCACHE=$(BUILD)/go go test -count=1 ./...
	@Tests/casts $(STAGE) packed
	@$(BUILD)/release/simulate --first 0 --runs 10000 --meetings
	@$(BUILD)/release/simulate --first 0 --runs 100000
	@BELFRY_FLEET_SEEDS=1000 $(BUILD)/debug/belfryPackageTests.xctest --testing-library swift-testing --filter FleetWorldTests
	@$(MAKE) --no-print-directory torture
	@$(call strike,BELFRY_CROWD=10000,Endpoint/crowd)
	@$(MAKE) --no-print-directory fuzz SECONDS=$$((60 * $(words $(wildcard Tests/Fuzz/seeds/*))))

mutants: ## faults made on purpose, and which of them no test notices; ARGS='--room Ringing'
	@Tests/Mutants/run $(ARGS)

simulate: deps/test build/simulate ## RUNS=, SECONDS=: real workers on a machine that is played; SEED= tells one run again
	@$(BUILD)/release/simulate $(ARGS) $(if $(SEED),--seed $(SEED)) $(if $(RUNS),--runs $(RUNS)) $(if $(SECONDS),--seconds $(SECONDS))

# $(call strike,VARIABLES,SUITE): the tests of a suite that strikes what runs, under a systemd of their own.
strike = BELFRY_TEST_BIN=$(STAGE)/bin BELFRY_TEST_ROOT=$(CURDIR) $(1) Tests/in-user-manager Tests/with-sound \
	$(BUILD)/debug/belfryPackageTests.xctest --testing-library swift-testing --filter $(2)

torture: deps/test ## strikes KILLS=1000 real workers in each way, or WAY=; SEED= repeats what a run printed
	$(SWIFT) build --build-tests $(DEBUG_FLAGS)
	@$(MAKE) --no-print-directory stage
	@$(call strike,BELFRY_TORTURE_KILLS=$(or $(KILLS),1000) BELFRY_TORTURE_SEED=$(SEED) BELFRY_TORTURE_WAY=$(WAY),TortureTests)

storm: deps/test ## PUSHES=100000 calls, while the APNs endpoint is struck KILLS=20 times, WAY=kill or restart; then SECONDS=600 of nine a second to one device
	$(SWIFT) build --build-tests $(DEBUG_FLAGS)
	@$(MAKE) --no-print-directory stage
	@$(call strike,BELFRY_STORM_PUSHES=$(or $(PUSHES),100000) BELFRY_STORM_KILLS=$(or $(KILLS),20) BELFRY_STORM_WAY=$(WAY),EndpointStorm)
	@$(call strike,BELFRY_STORM_SECONDS=$(or $(SECONDS),600),SteadyCalls)

# Root runs it, since who cuts a network off has to make one.
fleet: deps/fleet ## PUSHES=2000 in each row of what docs/fleet.md promises, while brokers, gateways and machines fail; then thousands of machines
	$(SWIFT) build --build-tests $(DEBUG_FLAGS)
	@$(MAKE) --no-print-directory stage
	@Tests/in-network env $(call strike,BELFRY_FLEET_PUSHES=$(or $(PUSHES),2000) BELFRY_FLEET_JOBS=100,'IntegrationTests/Fleet')

clients: deps/clients stage ## clients of PyPI ring, and tokens as eight languages make them are good; recorded in .build/clients
	@Tests/clients $(STAGE) $(BUILD)/clients

sanitize: deps/test ## SANITIZER=address or thread, FILTER=: the unit tests and what they start, watched by that sanitizer
	@Tests/sanitize $(or $(SANITIZER),address) $(FILTER)

fuzz: deps/test ## SECONDS=600: libFuzzer feeds everything that reads foreign bytes, in turn
	@Tests/fuzz $(or $(SECONDS),600)

bench: deps/bench stage $(BROKER) ## the numbers, each against its peer; OTHER=STAGE measures another build beside it
	@Bench/run $(STAGE) $(OTHER)

lint: ## check format, scripts, units, sounds and the rules of mutants
	$(SWIFT) format lint --strict --recursive Package.swift Sources Plugins Tests Examples
	@for script in $(SHELL_SCRIPTS); do bash -n $$script || exit 1; done
	@Units/verify
	@Sounds/make-sounds.py --check
	@python3 -m unittest discover --quiet --start-directory Tests/Mutants

format: ## format the Swift sources in place
	$(SWIFT) format --in-place --recursive Package.swift Sources Plugins Tests Examples

# In a copy, since dpkg-buildpackage writes beside the folder that it builds, and into it.
deb: build ## a Debian package of what was built, in .build/deb
	@rm -rf $(BUILD)/deb && mkdir -p $(BUILD)/deb/belfry
	@tar --exclude=./.build --exclude=./.git --create . | tar --extract --directory $(BUILD)/deb/belfry
	@cd $(BUILD)/deb/belfry && BELFRY_BUILD=$(BUILD) dpkg-buildpackage --build=binary --no-sign >../log 2>&1 || { cat ../log >&2; exit 1; }
	@rm -rf $(BUILD)/deb/belfry
	@ls $(BUILD)/deb/*.deb

# Whoever is not root can make a package, and cannot install one.
package: deb ## the package linted, installed, rung, upgraded during a call, purged; this machine keeps nothing of it
	@Tests/package $(BUILD)/deb/belfry_*.deb

dist: deps/dist stage ## one tarball of the programs that needs no install on Debian 12, in .build/dist, with its checksum
	@rm -rf $(BUILD)/dist && mkdir -p $(BUILD)/dist
	@Dist/tarball $(STAGE) $(BUILD)/dist $(VERSION)

install: files ## install to PREFIX, and say how to switch it on
ifeq ($(DESTDIR),)
	@case '$(PREFIX)' in /usr|/usr/local|"$$HOME/.local") ;; *) \
		echo 'The user manager does not look in this PREFIX. Once: systemctl --user link $(units_folder)/belfry*' ;; esac
	@case ":$$PATH:" in *:'$(programs_folder)':*) ;; *) \
		echo '$(programs_folder) is not in PATH. To run belfry:            PATH=$(programs_folder):$$PATH' ;; esac
	@echo 'Switch it on, as the user whose calls shall ring:  systemctl --user enable --now belfry.socket'
	@echo 'To see calls on the desktop as well:               systemctl --user enable --now belfry-desktop.socket'
	@echo 'To hand calls to apps that answer them themselves:  systemctl --user enable --now belfry-calls.socket'
	@echo 'What runs already is replaced once nothing rings; units that have changed need: systemctl --user daemon-reload'
	@echo 'To ring without a login (a desk phone):            loginctl enable-linger'
endif

# Not built again by a later "sudo make install", which would leave root's files in the build folder.
files: $(if $(wildcard $(PROGRAMS:%=$(BUILD)/release/%)),,build)
	@install -d $(programs_folder) $(units_folder) $(bus_services_folder) $(sounds_folder) $(documents_folder)/docs
	@for page in $(PAGES); do \
		install -D -m 644 docs/man/$$page $(manual_folder)/man$${page##*.}/$$page || exit 1; done
	@set -- $(SHELLS); for file in $(completions); do \
		install -D -m 644 Completions/belfry.$$1 $$file || exit 1; shift; done
	@install -m 755 $(PROGRAMS:%=$(BUILD)/release/%) $(programs_folder)
	@install -m 644 $(SOUNDS:%=Sounds/%) $(sounds_folder)
	@install -m 644 $(BUS_SERVICES:%=Units/dbus/%) $(bus_services_folder)
	@install -D -m 644 Units/desktop/$(notdir $(desktop_entry)) $(desktop_entry)
	@install -D -m 644 Units/desktop/$(notdir $(desktop_icon)) $(desktop_icon)
	@install -m 644 Sounds/README.md $(documents_folder)/sounds.md
	@install -m 644 $(DOCUMENTS) Units/hardened.conf $(documents_folder)
	@install -m 644 docs/*.md docs/*.png docs/*.conf $(documents_folder)/docs
	@rm -rf $(package_folder) && install -d $(package_folder)
	@cp -R --preserve=timestamps Package.swift LICENSE Plugins Sources $(package_folder)
	@chmod -R u=rwX,go=rX $(package_folder)
	@for unit in $(UNITS); do \
		sed 's|@bindir@|$(subst %,%%,$(abspath $(PREFIX)))/bin|' Units/$$unit >$(units_folder)/$$unit && \
		chmod 644 $(units_folder)/$$unit || exit 1; done

# The user's own manager is told only if what it runs is what is removed.
uninstall: ## stop what rings for this user, and remove what install put there
	@used=$$(systemctl --user show --property=FragmentPath --value belfry.socket 2>/dev/null); \
	[ "$$used" = '$(units_folder)/belfry.socket' ] || used=; \
	[ -z "$$used" ] || { systemctl --user disable --now belfry.socket; \
		systemctl --user disable --now belfry-extension.socket belfry-desktop.socket belfry-apns.socket belfry-calls.socket belfry-relay.service belfry-agent.service; \
		systemctl --user stop 'belfry-app@*.service' belfry-calls.service belfry-relay.socket belfry-agent.socket 'belfry@*.service' belfry-extension.service belfry-desktop.service belfry-bus.service belfry-apns.service belfry-tidy.service; \
		rm -rf "$${XDG_RUNTIME_DIR:-/run/user/$$(id -u)}/belfry"; }; \
	rm -f $(PROGRAMS:%=$(programs_folder)/%) $(UNITS:%=$(units_folder)/%) $(BUS_SERVICES:%=$(bus_services_folder)/%) \
		$(completions) $(desktop_entry) $(desktop_icon); \
	for page in $(PAGES); do rm -f $(manual_folder)/man$${page##*.}/$$page; done; \
	rm -rf $(DESTDIR)$(PREFIX)/share/belfry $(documents_folder); \
	[ -z "$$used" ] || systemctl --user daemon-reload
ifeq ($(DESTDIR),)
	@config=$${XDG_CONFIG_HOME:-$$HOME/.config}; \
	for folder in "$${BELFRY_STATE_DIRECTORY:-$${XDG_STATE_HOME:-$$HOME/.local/state}/belfry}" "$$config/belfry" \
		/etc/belfry "$$config"/systemd/user/belfry*.d; do [ ! -d "$$folder" ] || echo "Left: $$folder"; done
endif

rule: ## R=R9: what a rule says, and every line of code and tests that cites it
	@awk '/^##/ { shown = 0 } /^### $(R) / { shown = 1 } shown' docs/rules.md
	@grep -rnE '\b$(R)(_|\b)' --include='*.swift' Sources Tests

clean: ## remove what was built
	@rm -rf $(BUILD)
