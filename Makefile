# Every target is one or two lines here; what takes more is a script in scripts/.

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
FUZZTIME ?= 1m
ROUNDS ?= 500
TURNS ?= 1000
STOPS ?= 300

export PATH := $(CURDIR)/.tools/bin:$(PATH)
export FUZZTIME

# link builds the gateway as bin/$(1), with the linker's flags $(2).
link = CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '-X main.version=$(VERSION) $(2)' -o bin/$(1) ./cmd/windie

.DEFAULT_GOAL := help
.PHONY: help run build release size test test-strict test-machines test-crash test-stop check bench memory load eval screens icons fuzz deps image-test clean

help: ## this table
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

run: ## install what the gateway needs, build it, start it
	@scripts/deps.sh run || echo "make run: going on without what is missing; 'bin/windie doctor' tells what that costs"
	@$(MAKE) --no-print-directory build
	@exec bin/windie serve

build: ## bin/windie, one static binary
	$(call link,windie,)

release: ## bin/windie without symbols, and the same with them beside it: bin/windie.debug
	$(call link,windie.debug,)
	$(call link,windie,-s -w)

size: ## what the binary weighs, and its twenty heaviest packages; a release over 60 MB fails
	@scripts/size.sh

test: ## all tests; one that lacks something says what, and is skipped
	go test ./...

test-strict: ## all tests with the race detector; a skip is a failure
	WINDIE_TEST_STRICT=1 go test -race -count=1 -timeout 40m ./...

test-machines: ## what depends on the machine, with each kernel, one processor, other time zones and another locale
	@scripts/machines.sh

test-crash: ## kill gateways ROUNDS times (500) while they keep state, and in TURNS turns (1000), and look for what is lost
	WINDIE_CRASH_ROUNDS=$(ROUNDS) WINDIE_CRASH_TURNS=$(TURNS) go test -count=1 -timeout 40m -run '^TestCrash$$' -v ./journal/sqljournal ./agent/session

test-stop: ## stop gateways STOPS times (300) in the middle of turns, on SQLite and on PostgreSQL, and look for what is cut, lost or twice
	WINDIE_STOPS=$(STOPS) go test -count=1 -timeout 40m -run '^TestStops$$' -v ./cmd/windie

check: ## the gate: format, vet, lint, race tests, tidy, known holes, clean tree
	@scripts/check.sh

bench: ## all benchmarks
	@scripts/bench.sh

memory: ## what a thousand busy screens take; some minutes
	WINDIE_TEST_MEMORY=1 go test -count=1 -timeout 30m -run '^TestMemoryOfAThousandScreens$$' -v ./cmd/windie

load: ## many clients at once: 10,000 that say nothing, 500 that are spoken to, one that does not read; some minutes
	go test -run '^$$' -bench '^Benchmark(IdleSockets|StreamingTurns|PromptStreams|StalledReader)$$' -benchtime 1x -timeout 30m ./cmd/windie

eval: build ## how well and how fast screens are read: our own, and those in EVAL_DIR
	bin/windie eval perception/testdata/screens
	$(if $(EVAL_DIR),bin/windie eval '$(EVAL_DIR)')
	go test -count=1 -run '^TestEveryRouteAnswers$$' -v ./cmd/windie

screens: ## render the screens that eval reads again, after a change to their pages
	@scripts/deps.sh screens
	node scripts/render-screens.mjs perception/testdata/screens perception/testdata/pages/*.html

icons: ## draw the glyphs that icons are named by again, after a change to perception/elements/icons/lexicon.yaml
	cd perception/elements/icons/gen && npm ci --ignore-scripts --no-audit --no-fund && node draw.mjs

fuzz: ## each fuzz target for FUZZTIME (1m)
	@scripts/fuzz.sh

deps: ## install what running, testing and checking need
	@scripts/deps.sh all

image-test: ## the container image's steps, without a container engine
	@scripts/image-test.sh

clean: ## remove what was built here; .data and .tools stay
	rm -rf bin gateway/docs/assets/scalar.js
	go clean -testcache
