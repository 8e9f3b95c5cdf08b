#!/usr/bin/env bash
# Walks a newcomer's path: in a fresh container of each image, installs what is published and starts the gateway, and asks
# it where to click. It fails if the answer takes longer than a minute from the start of the container, and for a warning.
# Then it does what MCP clients do: it installs the deb package, npm's packages, the wheel and the bundle, starts `windie mcp`,
# and prints the time to the first answer.
#
#   scripts/newcomer-test.sh DIST [IMAGE...]     default: debian:bookworm-slim ubuntu:22.04 alpine:3
#
# DIST is the folder that `make dist` wrote for this machine's processor. Images with dpkg get the deb package, and all
# get the archive. MCP clients are tested in debian:bookworm-slim, node:22-bookworm-slim and python:3-slim-bookworm, and
# Ruby reads the formula. An image that is not here and cannot be fetched is said, and not tested. IMAGE_ENGINE and IMAGE_RUN
# are as in scripts/image-engine.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

limit=60 # seconds
dist=$(realpath "$1") && shift
[ $# -gt 0 ] || set -- debian:bookworm-slim ubuntu:22.04 alpine:3
picture=examples/click-target/screen.png
read -ra engine <<<"${IMAGE_ENGINE:-}"
for each in docker podman; do
	[ ${#engine[@]} -eq 0 ] && command -v "$each" >/dev/null && "$each" info >/dev/null 2>&1 && engine=("$each")
done
[ ${#engine[@]} -gt 0 ] || { echo "newcomer-test: NOT TESTED, for lack of a container engine" && exit 0; }
read -ra run_flags <<<"${IMAGE_RUN:-}"
archive=$(cd "$dist" && ls windie-*-linux-"$(go env GOHOSTARCH)".tar.gz | grep -v debug | head -1)
deb=${archive%.tar.gz}.deb name=windie-newcomer work=$(mktemp -d)
trap '"${engine[@]}" rm -f "$name" >/dev/null 2>&1 || true; rm -rf "$work"' EXIT

# What a newcomer types, by what is installed; $PORT is free.
from_deb="dpkg -i /dist/$deb && exec windie serve --listen 127.0.0.1:\$PORT"
from_archive="cd /tmp && tar -xzf /dist/$archive && cd ${archive%.tar.gz} && exec ./windie serve --listen 127.0.0.1:\$PORT"

# walk IMAGE KIND COMMANDS follows a path and says how long it took.
walk() {
	local port began=${EPOCHREALTIME/./} url took
	port=$(free_port)
	url=http://127.0.0.1:$port
	"${engine[@]}" run -d --name "$name" --network host "${run_flags[@]}" -e "PORT=$port" -v "$dist:/dist:ro" "$1" sh -c "$3" >/dev/null 2>"$work/run" || {
		cat "$work/run" >&2 && fail "$1: the container did not start"
	}
	wait_healthy "$url" $$ "$limit"
	find_text "$url" "$picture" 'Check out' >/dev/null
	took=$(((${EPOCHREALTIME/./} - began) / 1000))
	"${engine[@]}" logs "$name" >"$work/log" 2>&1
	"${engine[@]}" rm -f "$name" >/dev/null
	[ "$took" -le $((limit * 1000)) ] || fail "$1, $2: $took ms to the first answer"
	if grep -iE '"level":"(WARN|ERROR)"|\bWRN\b|warning|error:' "$work/log"; then fail "$1, $2: a warning that a newcomer cannot understand"; fi
	echo "newcomer-test: $1, $2: answered $took ms after the container's start, without a warning"
}

# present IMAGE says whether an image is here, or could be fetched.
present() {
	"${engine[@]}" image inspect "$1" >/dev/null 2>&1 || "${engine[@]}" pull "$1" >/dev/null 2>&1 && return
	echo "newcomer-test: NOT TESTED, as the image is not here and cannot be fetched: $1"
	return 1
}

# client IMAGE KIND COMMANDS starts `windie mcp` as an MCP client does, without a network, and says how long the first answer took.
client() {
	present "$1" || return 0
	mcp_answers "$work/mcp.log" "${engine[@]}" run --rm -i --name "$name" --network none "${run_flags[@]}" -v "$dist:/dist:ro" \
		-v "$work/bundle:/bundle:ro" "$1" sh -euc "$3"
	echo "newcomer-test: $1, $2: windie mcp answered $first ms after the container's start, and listed its tools"
}

# A dpkg of busybox installs nothing of use.
for image in "$@"; do
	present "$image" || continue
	walk "$image" "the archive" "$from_archive"
	if "${engine[@]}" run --rm "${run_flags[@]}" "$image" sh -c 'dpkg --print-architecture' >/dev/null 2>&1; then walk "$image" "the deb package" "$from_deb"; fi
done

version=${archive#windie-} machine=x64
version=${version%-linux-*}
[ "$(go env GOHOSTARCH)" = amd64 ] || machine=arm64
wheel=$(cd "$dist" && ls windie-*"$(uname -m)"*.whl)
mkdir "$work/bundle"
chmod 755 "$work" "$work/bundle"
python3 -m zipfile -e "$dist/${archive%.tar.gz}.mcpb" "$work/bundle"
chmod 755 "$work/bundle/server/windie"
started=$(python3 -c 'import json, sys
server = json.load(open(sys.argv[1]))["server"]["mcp_config"]
print(*[text.replace("${__dirname}", "/bundle") for text in [server["command"], *server["args"]]])' "$work/bundle/manifest.json")
client debian:bookworm-slim "the deb package" "dpkg -i /dist/$deb >&2; exec windie mcp"
client debian:bookworm-slim "the bundle" "exec $started"
client node:22-bookworm-slim "npm's packages" "cd /tmp; npm install --offline --no-audit --no-fund --silent /dist/windie-$version.tgz \
	/dist/windie-cli-linux-$machine-$version.tgz >&2; exec npm exec --no -- windie mcp"
client python:3-slim-bookworm "the wheel" "python3 -m venv /tmp/venv; /tmp/venv/bin/pip install --quiet --no-index '/dist/$wheel' >&2; exec /tmp/venv/bin/windie mcp"
if present ruby:3-slim-bookworm; then
	"${engine[@]}" run --rm --network none "${run_flags[@]}" -v "$dist:/dist:ro" ruby:3-slim-bookworm ruby -c /dist/windie.rb >"$work/ruby" ||
		fail "the formula is invalid"
	echo "newcomer-test: Homebrew's formula: $(cat "$work/ruby")"
fi
