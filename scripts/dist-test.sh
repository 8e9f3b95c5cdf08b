#!/usr/bin/env bash
# Makes what is published of a version twice, from clones in two folders, the second time with a cache of
# its own, and compares: each byte must be the same. Then it installs the archive, npm's packages, the wheel, the deb and the rpm
# package into empty folders, and asks the gateway from there where to click; where a container engine is here, in fresh images of
# distributions too, as a newcomer would (scripts/newcomer-test.sh).
#
#   scripts/dist-test.sh [PLATFORM]      default linux/amd64
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

platform=${1:-linux/amd64} version=0.0.0-test
scripts/deps.sh dist
work=$(mktemp -d)
pid=""
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null; rm -rf "$work"' EXIT

cache=$(go env GOCACHE)
for side in a some/other/place; do
	git clone --quiet . "$work/$side"
	cp gateway/docs/assets/scalar.js "$work/$side/gateway/docs/assets/"
	echo "== dist in $side"
	(cd "$work/$side" && GOCACHE=$cache go run ./cmd/dist -platforms "$platform" "v$version" "$work/dist-${side%%/*}")
	cache=$work/cache
done
diff -r "$work/dist-a" "$work/dist-some" || fail "two builds of one commit differ"
for part in github.com/tetratelabs/wazero@ github.com/gofiber/fiber/v2@ preact@; do
	grep -q "pkg:.*$part" "$work"/dist-a/*.cdx.json || fail "the list of what is in the program lacks $part"
done
(cd "$work/dist-a" && sha256sum --check --quiet SHA256SUMS && ls -l)

# answers PROGRAM starts a gateway and asks it where to click.
answers() {
	local port url
	port=$(free_port)
	url=http://127.0.0.1:$port
	env -i PATH=/usr/bin:/bin HOME="$work" "$1" serve --listen "127.0.0.1:$port" --data-dir "$work/data" >"$work/log" 2>&1 &
	pid=$!
	wait_healthy "$url" "$pid" 60
	find_text "$url" examples/click-target/screen.png 'Check out'
	echo
	stop "$pid" "$pid" 30
	pid=""
	rm -rf "$work/data"
}

title=windie-$version-${platform/\//-}
[ "$platform" = linux/amd64 ] || { echo "== not installed: it is not for this machine" && exit 0; }
tar -xzf "$work/dist-a/$title.tar.gz" -C "$work"
[ "$("$work/$title/windie" version)" = "windie v$version" ] || fail "the archive's program is of another version"
answers "$work/$title/windie"
echo "== npm, the bundle for clients of MCP, and the wheel"
# serves_mcp COMMAND... runs an MCP server with a data folder of its own, which must answer.
serves_mcp() {
	mcp_answers "$work/mcp.log" env WINDIE_DATA_DIR="$work/data" "$@"
	echo "$(basename "$1") ${*:2}: answered after $first ms"
	rm -rf "$work/data"
}
mkdir "$work/npm" "$work/bundle"
(cd "$work/npm" && npm install --offline --no-audit --no-fund --silent "$work/dist-a/windie-$version.tgz" "$work/dist-a/windie-cli-linux-x64-$version.tgz")
python3 -m zipfile -e "$work/dist-a/$title.mcpb" "$work/bundle"
cmp "$work/$title/windie" "$work/bundle/server/windie"
(cd "$work/npm" && serves_mcp npx --no windie mcp --computer)
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links "$work/dist-a" windie
cmp "$work/$title/windie" "$work/venv/bin/windie"
serves_mcp "$work/venv/bin/windie" mcp
if command -v uvx >/dev/null; then
	serves_mcp uvx --quiet --no-cache --offline --no-index --find-links "$work/dist-a" windie mcp
else
	echo "== not tested, for lack of uv: uvx windie mcp"
fi

# same_package KIND compares what was unpacked of a package into $work/KIND with the archive, and looks at what else it has.
same_package() {
	local root=$work/$1 file
	cmp "$work/$title/windie" "$root/usr/bin/windie"
	cmp examples/deploy/windie.service "$root/usr/lib/systemd/system/windie.service"
	for file in share/man/man1/windie.1.gz share/doc/windie/NOTICE share/bash-completion/completions/windie; do
		[ -s "$root/usr/$file" ] || fail "the $1 package has no /usr/$file"
	done
	[ -s "$root/etc/windie/windie.yaml" ] || fail "the $1 package has no /etc/windie/windie.yaml"
}

if command -v dpkg-deb >/dev/null; then
	dpkg-deb -x "$work/dist-a/$title.deb" "$work/deb"
	same_package deb
	[ "$(dpkg-deb -c "$work/dist-a/$title.deb" | grep -c '^drwxr-xr-x.* \./usr/share/$')" = 1 ] || fail "the deb package has /usr/share with other modes"
	if command -v systemd-analyze >/dev/null; then systemd-analyze security --offline=true --threshold=20 "$work/deb/usr/lib/systemd/system/windie.service" | tail -1; fi
fi
if command -v rpm2cpio >/dev/null && command -v cpio >/dev/null; then
	rpm=$work/dist-a/$title.rpm
	rpm -K --nosignature "$rpm" >/dev/null || fail "the sums in the rpm package are wrong"
	[ "$(rpm -qp --queryformat '%{NAME} %{VERSION} %{OS}' "$rpm")" = "windie ${version%-*}~${version##*-} linux" ] ||
		fail "the rpm package is of another version: $(rpm -qp "$rpm")"
	[ "$(rpm -qpc "$rpm")" = /etc/windie/windie.yaml ] || fail "the rpm package would replace /etc/windie/windie.yaml"
	rpm -qp --scripts "$rpm" | grep -q 'systemctl daemon-reload' || fail "the rpm package has no scripts"
	mkdir "$work/rpm"
	# It ends with 1 though all is well; the sums were checked above.
	{ rpm2cpio "$rpm" || true; } | (cd "$work/rpm" && cpio --quiet --no-absolute-filenames -id)
	same_package rpm
	echo "the rpm package was read back: $(rpm -qpl "$rpm" | wc -l) files"
else
	echo "== the rpm package was not read back, for lack of rpm2cpio and cpio: install rpm, rpm2cpio and cpio"
fi
scripts/newcomer-test.sh "$work/dist-a"
echo "== two builds are the same, and work"
