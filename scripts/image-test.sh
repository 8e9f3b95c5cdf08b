#!/usr/bin/env bash
# Tests what the container image promises. First without a container engine: the
# binary is built as the Dockerfile builds it, then run with the Dockerfile's
# commands and environment as a user without a name or a right, where only the
# data folder can be written, as compose.yaml runs it. Then, where docker or
# podman is here (or IMAGE_ENGINE names one), scripts/image-engine.sh builds the
# image and runs it, scripts/image-compose.sh starts the compose files and those for
# Kubernetes, and where an emulator is here, the image for arm64 is run too.
#
# Root can test all of that. Without the right to change the user or to make a
# mount namespace, the rest is tested and the lack is told.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

picture=examples/click-target/screen.png
text='Check out'
uid=12345 # any but the image's own

say() { echo "image-test: $*"; }

# need tells what is missing here: a failure in CI, else the end of the test.
need() {
	[ "${CI:-}" != true ] || fail "$*"
	say "skipped: $*"
	exit 0
}

# instruction NAME prints the arguments of an instruction of the Dockerfile,
# an exec form as plain words.
instruction() {
	local args
	args=$(sed -n "s/^$1 //p" Dockerfile | tr -d '[]",')
	[ -n "$args" ] || fail "the Dockerfile has no line that begins with: $1"
	echo "$args"
}

# says FILE TEXT fails unless FILE holds TEXT.
says() { grep -qF -- "$2" "$1" || fail "$1 does not say: $2"; }

# check_files checks that the Dockerfile and compose.yaml mean the same image.
check_files() {
	local port volume
	port=$(instruction EXPOSE)
	volume=$(instruction VOLUME)
	[[ $(instruction USER) =~ ^[1-9][0-9]*:[1-9][0-9]*$ ]] || fail "the Dockerfile's USER must be a number other than 0"
	[ "$(instruction STOPSIGNAL)" = SIGTERM ] || fail "the Dockerfile's STOPSIGNAL must be SIGTERM"
	says Dockerfile "ENV WINDIE_LISTEN=0.0.0.0:$port"
	says Dockerfile "ENV WINDIE_DATA_DIR=$volume"
	says Dockerfile "RUN mkdir -m 1777 /image$volume"
	! grep -q WINDIE_TRUSTED_NETWORK= Dockerfile || fail "the Dockerfile must leave the question of trust to who runs the image"
	says compose.yaml "ports: [\"127.0.0.1:$port:$port\"]"
	says compose.yaml "volumes: [\"data:$volume\"]"
	says compose.yaml 'WINDIE_TRUSTED_NETWORK: "true"'
	says compose.yaml 'read_only: true'
}

# build builds as the Dockerfile does, into a place that any user can reach.
build() {
	local linked
	VERSION=image-test bash -c "make $(instruction 'RUN make')"
	linked=$(ldd bin/windie 2>&1 || true)
	case $linked in
	*'not a dynamic executable'* | *'statically linked'*) ;;
	*) fail "bin/windie is not static: $linked" ;;
	esac
	mkdir "$work/bin"
	mkdir -m 1777 "$work/data"
	cp bin/windie bin/windie-health "$work/bin/"
	chmod 755 "$work"
}

# read_only WORK COMMAND... makes everything but WORK/data read-only, in a
# mount namespace that was just made, and becomes COMMAND.
read_only() {
	local work=$1 target
	shift
	mount --bind "$work/data" "$work/data"
	findmnt -rno TARGET | while read -r target; do
		case $target in
		"$work/data" | /proc | /proc/* | /sys | /sys/* | /dev | /dev/*) ;;
		*) mount -o remount,bind,ro "$target" 2>/dev/null || true ;;
		esac
	done
	for target in / /tmp "$PWD" "$work"; do
		if (: >"$target/windie-image-test") 2>/dev/null; then
			rm -f "$target/windie-image-test"
			echo "image-test: $target can still be written" >&2
			exit 1
		fi
	done
	exec "$@"
}
export -f read_only

# choose_isolation sets the commands that fresh and beside begin with.
choose_isolation() {
	local user=()
	isolate=() join=()
	if [ "$(id -u)" -ne 0 ]; then
		say "NOT TESTED, for lack of root: another user, and a root file system that cannot be written"
	else
		user=(setpriv "--reuid=$uid" "--regid=$uid" --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all)
		if unshare -m true 2>/dev/null; then
			# shellcheck disable=SC2016 # the inner shell expands it
			isolate=(unshare -m --propagation private bash -c 'read_only "$@"' read_only "$work")
			join=(nsenter -m -t)
		else
			say "NOT TESTED, for lack of CAP_SYS_ADMIN in this container: a root file system that cannot be written"
		fi
	fi
	mapfile -t image < <(sed -n 's/^ENV //p' Dockerfile)
	image=("${user[@]}" env -i "${image[@]}" "PATH=$work/bin:/usr/local/bin:/usr/bin:/bin"
		"WINDIE_LISTEN=0.0.0.0:$port" "WINDIE_DATA_DIR=$work/data") # in place of 8765 and /data
}

# fresh [VAR=VALUE...] COMMAND... becomes COMMAND as in a new container;
# beside PID does so in the container of PID. Call them in a subshell.
fresh() { exec "${isolate[@]}" "${image[@]}" "$@"; }
beside() {
	local pid=$1
	shift
	[ ${#join[@]} -eq 0 ] || exec "${join[@]}" "$pid" "${image[@]}" "$@"
	exec "${image[@]}" "$@"
}

# test_refusal checks that nothing is served to a network nobody vouched for.
test_refusal() {
	local out status=0
	# shellcheck disable=SC2086 # $serve and $health are several words
	out=$(fresh timeout 20 $serve 2>&1) || status=$?
	case $status in
	0 | 124) fail "the gateway listened on 0.0.0.0 without WINDIE_TRUSTED_NETWORK: $out" ;;
	esac
	grep -q WINDIE_TRUSTED_NETWORK <<<"$out" || fail "the refusal to listen on 0.0.0.0 does not say what to do: $out"
	say "refused to listen on 0.0.0.0, and said how to change that"
}

# test_life starts the gateway as compose.yaml does, uses it and stops it.
test_life() {
	local url=http://127.0.0.1:$port trust=WINDIE_TRUSTED_NETWORK=true
	# shellcheck disable=SC2086
	if (fresh $trust $health) >/dev/null 2>&1; then fail "'$health' succeeds where no gateway runs"; fi
	# shellcheck disable=SC2086
	fresh $trust $serve >"$work/log" 2>&1 &
	gateway=$!
	wait_healthy "$url" "$gateway" 30
	# shellcheck disable=SC2086
	(beside "$gateway" $trust $health) || fail "'$health' fails though the gateway answers"
	say "healthy, by the image's own health check"
	find_text "$url" "$picture" "$text"
	echo
	say "stored a picture and found '$text' on it"
	stop "$gateway" "$gateway" 30
	gateway=""
	say "ended with 0 after SIGTERM"
}

# finish ends what still runs and, after a failure, shows the gateway's log.
finish() {
	local status=$?
	[ -z "$gateway" ] || kill -KILL "$gateway" 2>/dev/null || true
	if [ "$status" -ne 0 ] && [ -s "$work/log" ]; then
		echo "--- the gateway's log, its last lines:" >&2
		tail -n 20 "$work/log" >&2
	fi
	rm -rf "$work"
}

check_files
[ "$(uname)" = Linux ] || need "the image's steps need Linux"
for program in curl findmnt ldd nsenter setpriv unshare; do
	command -v "$program" >/dev/null || need "no $program here; install util-linux, libc-bin and curl"
done

gateway="" work=$(mktemp -d) port=$(free_port)
trap finish EXIT
serve="$(instruction ENTRYPOINT) $(instruction CMD)"
health=$(instruction 'HEALTHCHECK .* CMD')
build
choose_isolation
test_refusal
test_life
if [ -n "${IMAGE_ENGINE:-}" ] || docker info >/dev/null 2>&1 || podman info >/dev/null 2>&1; then
	scripts/image-engine.sh
	scripts/image-compose.sh
	if command -v qemu-aarch64-static >/dev/null; then scripts/image-engine.sh arm64; else say "NOT TESTED, for lack of qemu-aarch64-static: the image for arm64"; fi
else
	say "NOT TESTED, for lack of a container engine: the image itself"
fi
