#!/usr/bin/env bash
# Builds the container image with the engine that is here and runs it as compose.yaml does: as a user without a name,
# without rights, with a root file system that cannot be written and a bound of memory. scripts/image-test.sh calls it.
#
#   scripts/image-engine.sh            all, for this machine's processor
#   scripts/image-engine.sh arm64      the image for that processor, which reads a screen in an emulator
#
# IMAGE_ENGINE   the engine, as "podman --cgroup-manager cgroupfs"; default: docker or podman, whichever answers
# IMAGE_BUILD    how it builds, as "buildah bud --isolation chroot"; default: "$IMAGE_ENGINE build"
# IMAGE_LOCAL    true: take the base images that are here under their tags, for a machine without a registry
# IMAGE_RUN      more arguments of run, as "--ulimit nofile=1024:4096"
# IMAGE_LARGEST  bytes that the image may have; default: 120000000
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

platform=${1:-} picture=examples/click-target/screen.png largest=${IMAGE_LARGEST:-120000000}
version=v0.0.0-image uid=12345 tag=windie-image-test memory=512m
read -ra run_flags <<<"${IMAGE_RUN:-}"
say() { echo "image-engine: $*"; }

# choose_engine sets engine and build.
choose_engine() {
	local each
	read -ra engine <<<"${IMAGE_ENGINE:-}"
	for each in docker podman; do
		[ ${#engine[@]} -eq 0 ] && command -v "$each" >/dev/null && "$each" info >/dev/null 2>&1 && engine=("$each")
	done
	[ ${#engine[@]} -gt 0 ] || fail "no container engine answers here: install podman or docker"
	read -ra build <<<"${IMAGE_BUILD:-${engine[*]} build}"
	case "${build[*]}" in *podman* | *buildah*) build+=(--format docker) ;; esac # OCI's own format knows no health check
}

# build_image PLATFORM TAG builds the Dockerfile.
build_image() {
	local flags=(--platform "$1" --build-arg "VERSION=$version" -t "$2")
	case "${build[*]}" in
	*podman* | *buildah*) flags+=(--build-arg "BUILDPLATFORM=linux/$(go env GOHOSTARCH)") ;; # older ones do not know their own
	esac
	if [ "${IMAGE_LOCAL:-}" = true ]; then
		flags+=(--pull-never -v "$(go env GOCACHE):/root/.cache/go-build" -v "$(go env GOMODCACHE):/root/go/pkg/mod")
		while read -r name image; do flags+=(--build-arg "$name=docker.io/library/${image%@*}"); done \
			< <(sed -n 's/^ARG \([A-Z]*_IMAGE\)=/\1 /p' Dockerfile)
	fi
	"${build[@]}" "${flags[@]}" . >"$work/build.log" 2>&1 && return
	if grep -qE 'no such host|i/o timeout|connection refused|network is unreachable|failed to resolve source metadata' "$work/build.log"; then
		say "NOT TESTED, as no registry can be reached: the image itself (IMAGE_LOCAL=true takes base images that are here)"
		exit 0
	fi
	tail -n 30 "$work/build.log" >&2
	fail "the image was not built"
}

# as_composed [FLAGS...] IMAGE [COMMAND...] runs a container with the rights of compose.yaml's.
as_composed() {
	"${engine[@]}" run --network host --read-only --cap-drop ALL --security-opt no-new-privileges --user "$uid:$uid" \
		--memory "$memory" --tmpfs /tmp "${run_flags[@]}" -e "WINDIE_LISTEN=0.0.0.0:$port" "$@"
}

inspect() { "${engine[@]}" inspect --format "$2" "$1"; }

# start IMAGE [FLAGS...] starts the gateway on the volume and waits for it.
start() {
	local image=$1
	shift
	as_composed -d --name "$tag" -v "$tag:/data" -e WINDIE_TRUSTED_NETWORK=true "$@" "$image" >/dev/null
	wait_healthy "$url" $$ 30
}

# end SECONDS stops the gateway with SIGTERM, and fails unless it ends with 0 in time.
end() {
	local began=$SECONDS code
	"${engine[@]}" stop -t "$1" "$tag" >/dev/null
	code=$(inspect "$tag" '{{.State.ExitCode}}')
	"${engine[@]}" logs "$tag" >"$work/log" 2>&1
	[ "$code" = 0 ] || fail "the gateway ended with $code after SIGTERM"
	"${engine[@]}" rm "$tag" >/dev/null
	took=$((SECONDS - began))
	say "ended with 0 after SIGTERM, in $took s"
}

test_image() {
	local bytes
	bytes=$(inspect "$tag:$version" '{{.Size}}')
	[ "$bytes" -le "$largest" ] || fail "the image has $bytes bytes, more than $largest"
	[ "$(as_composed --rm "$tag:$version" version)" = "windie $version" ] || fail "the image's program is of another version"
	"${engine[@]}" image inspect "$tag:$version" | grep -q "\"org.opencontainers.image.version\": \"$version\"" || fail "the image has no label of its version"
	"${engine[@]}" image inspect "$tag:$version" | grep -q windie-health || fail "the image has no health check"
	say "$bytes bytes, version $version, with a health check"
}

test_refusal() {
	local out status=0
	out=$(as_composed --rm "$tag:$version" 2>&1) || status=$?
	[ "$status" -ne 0 ] || fail "the gateway listened on 0.0.0.0 without WINDIE_TRUSTED_NETWORK"
	grep -q WINDIE_TRUSTED_NETWORK <<<"$out" || fail "the refusal to listen on 0.0.0.0 does not say what to do: $out"
	say "refused to listen on 0.0.0.0, and said how to change that"
}

# slow_model answers as a language model that speaks for eight seconds, on $model_port.
slow_model() {
	exec python3 - "$1" >/dev/null 2>&1 <<-'PYTHON'
		import http.server, json, sys, time

		class Slow(http.server.BaseHTTPRequestHandler):
		    def do_POST(self):
		        self.rfile.read(int(self.headers["Content-Length"]))
		        self.send_response(200)
		        self.send_header("Content-Type", "text/event-stream")
		        self.end_headers()
		        for word in ["Slowly "] * 15 + ["done."]:
		            piece = {"id": "a", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": word}}]}
		            self.wfile.write(b"data: " + json.dumps(piece).encode() + b"\n\n")
		            time.sleep(0.5)
		        stop = {"id": "a", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
		        self.wfile.write(b"data: " + json.dumps(stop).encode() + b"\n\ndata: [DONE]\n\n")
		    def log_message(self, *_):
		        pass

		http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Slow).serve_forever()
	PYTHON
}

# test_life uses the gateway, and stops it while a model speaks: the turn is said to its end.
test_life() {
	cat >"$work/models.yaml" <<-YAML
		default: slow
		providers: [{id: local, kind: openai, local: true, base_url: "http://127.0.0.1:$model_port/v1"}]
		models: [{id: slow, provider: local, runtime_model_id: slow, display_name: Slow, context_window: 32768}]
	YAML
	chmod 755 "$work" && chmod 644 "$work/models.yaml"
	slow_model "$model_port" &
	model=$!
	start "$tag:$version" -v "$work/models.yaml:/models.yaml:ro" -e WINDIE_MODELS=/models.yaml
	"${engine[@]}" exec "$tag" windie-health || fail "the health check fails though the gateway answers"
	find_text "$url" "$picture" 'Check out' >"$work/found"
	say "healthy by its own check; read a picture in $memory of memory"
	if "${engine[@]}" exec "$tag" windie backup /usr/windie.tar.zst 2>/dev/null; then fail "the root file system can be written"; fi
	curl -sN --max-time 60 -H 'X-User-Id: ada' --json '{"input":"speak slowly"}' "$url/api/prompt" >"$work/turn" &
	local asked=$!
	for _ in $(seq 50); do grep -q prompt.created "$work/turn" && break || sleep 0.1; done
	end 50
	[ "$took" -ge 3 ] || fail "no turn was open when the gateway was told to stop"
	wait "$asked" || fail "the stream of the turn was cut off"
	grep -q 'done\.' "$work/turn" || fail "the turn was not said to its end: $(tail -c 400 "$work/turn")"
	kill "$model" && model=""
	say "the turn that was open was said to its end"
}

# test_upgrade lets a version from before fill the volume, and this one go on with it.
test_upgrade() {
	local old id sum program
	old=$(scripts/previous.sh) || { say "NOT TESTED: an upgrade, for lack of the version before" && return; }
	program=$(dirname "$old")
	printf 'FROM %s\nCOPY windie /usr/local/bin/windie\n' "$tag:$version" >"$work/Dockerfile.old"
	"${build[@]}" --pull-never -f "$work/Dockerfile.old" -t "$tag:old" "$program" >"$work/build.log" 2>&1 || { tail "$work/build.log" >&2 && fail "no image of the version before"; }
	"${engine[@]}" volume rm -f "$tag" >/dev/null
	start "$tag:old"
	id=$(curl -sS --fail-with-body -F "file=@$picture" "$url/api/artifacts/" | sed -n 's/.*"artifact_id" *: *"\([^"]*\)".*/\1/p')
	curl -sN -H 'X-User-Id: ada' --json '{"input":"run tools_list {}"}' "$url/api/prompt" >/dev/null
	"${engine[@]}" exec "$tag" windie memory write --user ada 'The upgrade keeps the heron.' >/dev/null
	end 50
	start "$tag:$version"
	sum=$(curl -sS --fail-with-body "$url/api/artifacts/$id" | sha256sum)
	[ "$sum" = "$(sha256sum <"$picture")" ] || fail "the artifact of the version before is another"
	"${engine[@]}" exec "$tag" windie memory search --user ada heron | grep -q 'keeps the heron' || fail "what was remembered is not found"
	end 50
	"${engine[@]}" volume rm -f "$tag" >/dev/null
	say "went on with the volume of the version before"
}

# test_other PROCESSOR builds the image for another processor and has it read a screen in an emulator.
test_other() {
	local emulator=qemu-aarch64-static path here there
	[ "$1" = arm64 ] || fail "no emulator for $1"
	path=$(command -v "$emulator") || fail "no $emulator here: install the package qemu-user-static"
	build_image "linux/$1" "$tag:$1"
	[ "$(inspect "$tag:$1" '{{.Architecture}}')" = "$1" ] || fail "the image is for $(inspect "$tag:$1" '{{.Architecture}}')"
	local emulated=(--rm -v "$path:/emulator:ro" --entrypoint /emulator "$tag:$1" /usr/local/bin/windie)
	as_composed -e WINDIE_TRUSTED_NETWORK=true -v "$PWD/$picture:/screen.png:ro" "${emulated[@]}" ocr /screen.png --json >"$work/there"
	as_composed --rm -e WINDIE_TRUSTED_NETWORK=true -v "$PWD/$picture:/screen.png:ro" "$tag:$version" ocr /screen.png --json >"$work/here"
	here=$(sed 's/"took[^,]*,//' "$work/here" | sha256sum) there=$(sed 's/"took[^,]*,//' "$work/there" | sha256sum)
	[ "$here" = "$there" ] || { diff "$work/here" "$work/there" | head -20 >&2 && fail "the image for $1 reads another text"; }
	say "the image for $1 has $(inspect "$tag:$1" '{{.Size}}') bytes and reads the same: $(grep -o '"text"' "$work/there" | wc -l) texts"
	memory=2g # the emulator's own is counted too
	as_composed -d --name "$tag" -v "$tag:/data" -e WINDIE_TRUSTED_NETWORK=true -v "$path:/emulator:ro" --entrypoint /emulator \
		"$tag:$1" /usr/local/bin/windie serve >/dev/null
	wait_healthy "$url" $$ 120
	find_text "$url" "$picture" 'Check out' >"$work/found"
	end 60
}

# finish ends what still runs and, after a failure, shows the gateway's log.
finish() {
	local status=$?
	[ "$status" -eq 0 ] || [ -z "$(inspect "$tag" x 2>/dev/null)" ] || "${engine[@]}" logs --tail 20 "$tag" 2>&1 | cat >&2 || true
	[ -z "$model" ] || kill "$model" 2>/dev/null || true
	"${engine[@]}" rm -f "$tag" >/dev/null 2>&1 || true
	"${engine[@]}" volume rm -f "$tag" >/dev/null 2>&1 || true
	rm -rf "$work"
}

engine=() model="" work=$(mktemp -d) port=$(free_port) model_port=$(free_port)
url=http://127.0.0.1:$port
choose_engine
trap finish EXIT
"${engine[@]}" volume rm -f "$tag" >/dev/null 2>&1 || true
build_image "linux/$(go env GOHOSTARCH)" "$tag:$version"
if [ -n "$platform" ]; then
	test_other "$platform"
	exit
fi
test_image
test_refusal
test_life
test_upgrade
