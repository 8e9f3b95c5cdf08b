#!/usr/bin/env bash
# Makes what is published of a version twice, from clones in two folders, the second time with a cache of
# its own, and compares: each byte must be the same. Then it installs the archive and the deb package into empty
# folders, and asks the gateway from there where to click; where a container engine is here, in fresh images of
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
[ "$("$work/$title/windie" version)" = "v$version" ] || fail "the archive's program is of another version"
answers "$work/$title/windie"
if command -v dpkg-deb >/dev/null; then
	dpkg-deb -x "$work/dist-a/$title.deb" "$work/root"
	cmp "$work/$title/windie" "$work/root/usr/bin/windie"
	for file in lib/systemd/system/windie.service share/man/man1/windie.1.gz share/doc/windie/NOTICE share/bash-completion/completions/windie; do
		[ -s "$work/root/usr/$file" ] || fail "the package has no /usr/$file"
	done
	[ "$(dpkg-deb -c "$work/dist-a/$title.deb" | grep -c '^drwxr-xr-x.* \./usr/share/$')" = 1 ] || fail "the package has /usr/share with other modes"
	[ -s "$work/root/etc/windie/windie.yaml" ] || fail "the package has no /etc/windie/windie.yaml"
	if command -v systemd-analyze >/dev/null; then systemd-analyze security --offline=true --threshold=20 "$work/root/usr/lib/systemd/system/windie.service" | tail -1; fi
fi
scripts/newcomer-test.sh "$work/dist-a"
echo "== two builds are the same, and work"
