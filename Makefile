# Every target is one or two lines here; what takes more is a script in scripts/.

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
FUZZTIME ?= 1m
N ?= 20

export PATH := $(CURDIR)/.tools/bin:$(PATH)
export FUZZTIME

# link builds the gateway as bin/$(1), with the linker's flags $(2).
link = CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '-X main.version=$(VERSION) $(2)' -o bin/$(1) ./cmd/windie

.DEFAULT_GOAL := help
.PHONY: help run build release health image dist packages examples size test check test-system flakes bench load eval screens kit-screens native-screens true-lines instructions icons element-models train-test fuzz deps deps-system clean

help: ## this table
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

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

dist: ## what is published of VERSION, as v1.2.0, in dist/: archives for six platforms, deb, rpm, npm, mcpb, SBOM, notes, checksums; some minutes
	@scripts/deps.sh dist
	go run ./cmd/dist -sign '$(SIGN)' '$(VERSION)' dist

packages: ## the clients for TypeScript and Python, and the plugin kits for Rust and AssemblyScript, as they are published, of VERSION, as v1.2.0, in dist/
	@scripts/packages.sh '$(VERSION)' dist

examples: ## build the programs of examples/programs as modules, each beside its manifest
	@scripts/examples.sh

size: ## what the binary weighs, and its twenty heaviest packages; a release over 86 MB fails
	@scripts/size.sh

test: ## what needs nothing but Go, in 6 minutes on two cores; lists what is skipped for want of what
	@CGO_ENABLED=0 go run ./internal/test/run -budget 6m -again -- -timeout=15m -vet=off ./...

check: ## the gate, in 20 minutes: format, vet, lint, generated files, all of `make test`, races, a browser, a desktop
	@scripts/check.sh

test-system: ## what needs a browser, a desktop, another process or language, or the clock: all parts, or PART; scripts/system.sh --list
	@scripts/system.sh $(PART)

flakes: ## run tests that are new, or that the gate found to be flakes, N times (20) on a busy machine
	@scripts/flakes.sh $(N)

bench: ## all benchmarks
	@scripts/bench.sh

load: ## many clients at once: 10,000 that say nothing, 500 that are spoken to, one that does not read; some minutes
	go test -tags system -run '^$$' -bench '^Benchmark(IdleSockets|StreamingTurns|PromptStreams|StalledReader)$$' -benchtime 1x -timeout 30m ./cmd/windie

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

train-test: ## the tests of perception/training, which install PyTorch (5 GB)
	cd perception/training && PYTHONPATH=. uv run --frozen --all-extras python -m unittest discover -s tests

fuzz: ## each fuzz target for FUZZTIME (1m)
	@scripts/fuzz.sh

deps: ## install what `make check` needs, generate the types of the clients
	@scripts/deps.sh gate

deps-system: ## install what `make test-system` needs besides
	@scripts/deps.sh all

clean: ## remove what was built here; .data and .tools stay
	rm -rf bin gateway/docs/assets/scalar.js
	go clean -testcache
