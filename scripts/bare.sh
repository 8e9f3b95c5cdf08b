#!/usr/bin/env bash
# Runs the README's two commands as somebody does who has cloned the repository
# and installed nothing for it: in a clone, with an empty home folder, and a PATH
# that has Go, git, curl, make and a system's small programs alone.
#
#   scripts/bare.sh [PROGRAM...]    # and with these programs, such as chromium
#
# Go's module and build caches are shared, as they save minutes and hold nothing
# that `make deps` installs.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

small="bash sh env make git go gofmt curl sed grep egrep awk find xargs sort uniq cut tr head tail cat cp mv rm mkdir rmdir ln ls touch chmod chown
	mktemp dirname basename date sleep id uname expr test true false kill ps pgrep pkill tar gzip gunzip zcat diff cmp tee wc seq stat readlink realpath
	sha256sum nproc printf timeout od dd df du tty stty hostname setsid nohup yes nice getent which comm paste install env unshare mount umount sync echo pwd"

work=$(mktemp -d) gateway=""
finish() {
	local status=$?
	[ -z "$gateway" ] || kill -TERM "$gateway" 2>/dev/null || true
	[ "$status" -eq 0 ] || [ ! -s "$work/log" ] || sed 's/^/    /' "$work/log" >&2
	rm -rf "$work"
}
trap finish EXIT

mkdir "$work/bin" "$work/home"
for name in $small "$@"; do
	at=$(type -P "$name") || { [[ " $* " != *" $name "* ]] || fail "no $name here"; continue; }
	ln -sf "$(realpath "$at")" "$work/bin/$name" 2>/dev/null || true
done
# A program that is many, by the name that it is called by, has to keep its name.
for name in "$work"/bin/*; do
	[ "$(basename "$(readlink "$name")")" = "$(basename "$name")" ] || ln -sf "$(type -P "$(basename "$name")")" "$name"
done

GOENV=$(go env GOENV) GOMODCACHE=$(go env GOMODCACHE) GOCACHE=$(go env GOCACHE)
export GOENV GOMODCACHE GOCACHE GOPATH=$work/home/go GOFLAGS="${GOFLAGS:-$(go env GOFLAGS)} -trimpath" HOME=$work/home PATH=$work/bin
unset WINDIE_TEST_STRICT CI

git clone --quiet . "$work/windie"
cd "$work/windie"

# make run is the child of this shell, the gateway is make's.
began=$SECONDS port=$(free_port)
WINDIE_LISTEN=127.0.0.1:$port make run >"$work/log" 2>&1 &
make=$!
wait_healthy "http://127.0.0.1:$port" "$make" 600
gateway=$(pgrep -P "$make" -x windie) || fail "found no windie under make run"
find_text "http://127.0.0.1:$port" examples/click-target/screen.png 'Check out'
echo
stop "$gateway" "$make" 30
gateway=""
rm "$work/log"
echo "== make run, and an answer, took $((SECONDS - began)) s"

began=$SECONDS
hide=true # PostgreSQL's programs are not on the PATH, and are found all the same
! unshare -m true 2>/dev/null || [ ! -d /usr/lib/postgresql ] || hide='mount -t tmpfs none /usr/lib/postgresql'
if [ "$hide" = true ]; then make test; else unshare -m bash -c "$hide && exec make test"; fi
echo "== make test${*:+ with $*} took $((SECONDS - began)) s"
