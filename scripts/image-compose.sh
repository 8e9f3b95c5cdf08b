#!/usr/bin/env bash
# Starts compose.yaml, compose.cluster.yaml and the files of examples/deploy/kubernetes with the engine that is here, as people do, and
# asks what runs then: it does not matter which of several gateways is asked. scripts/image-test.sh calls it after the image
# IMAGE (windie-image-test:v0.0.0-image) was built.
#
# IMAGE_ENGINE, IMAGE_RUN and IMAGE_LOCAL are as in scripts/image-engine.sh. IMAGE_COMPOSE is what reads compose files, as
# "docker compose"; default: docker compose or podman-compose. With IMAGE_LOCAL=true PostgreSQL and the S3 server are put on
# debian:bookworm-slim here, the server from .tools/bin, as their own images cannot be fetched.
#
# podman plays the files of Kubernetes: a pod of the StatefulSet's template. It does not know StatefulSets, ports by name, and
# probes without a shell in the image, and until 4.4 no secrets: values are in their place, and the gateway is asked from outside
# what the probes ask.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

image=${IMAGE:-windie-image-test:v0.0.0-image} project=windie-image-compose picture=examples/click-target/screen.png
read -ra run_flags <<<"${IMAGE_RUN:-}"
say() { echo "image-compose: $*"; }
skip() { say "NOT TESTED, for lack of $*" && exit 0; }

# choose sets engine, compose and the flags by which podman-compose calls the engine.
choose() {
	local each
	read -ra engine <<<"${IMAGE_ENGINE:-}"
	for each in docker podman; do
		[ ${#engine[@]} -eq 0 ] && command -v "$each" >/dev/null && "$each" info >/dev/null 2>&1 && engine=("$each")
	done
	[ ${#engine[@]} -gt 0 ] || skip "a container engine"
	read -ra compose <<<"${IMAGE_COMPOSE:-}"
	if [ ${#compose[@]} -eq 0 ]; then
		case "${engine[0]}" in
		docker) docker compose version >/dev/null 2>&1 && compose=(docker compose) ;;
		podman) command -v podman-compose >/dev/null && compose=(podman-compose) ;;
		esac
	fi
	[ ${#compose[@]} -gt 0 ] || skip "docker compose or podman-compose"
	if [[ ${compose[0]} == *podman-compose ]]; then
		printf '#!/bin/sh\nexec %s "$@"\n' "${engine[*]}" >"$work/engine" && chmod +x "$work/engine"
		compose+=(--podman-path "$work/engine" "--podman-run-args=${run_flags[*]}")
	fi
	compose+=(-p "$project")
}

# local_images builds stand-ins of the images of PostgreSQL and of the S3 server.
local_images() {
	local build=("${engine[@]}" build)
	[ -z "${IMAGE_BUILD:-}" ] || read -ra build <<<"$IMAGE_BUILD"
	[ -x .tools/bin/versitygw ] || skip "versitygw in .tools/bin: make deps"
	mkdir "$work/postgres" "$work/s3"
	cp .tools/bin/versitygw "$work/s3/"
	cat >"$work/postgres/entry" <<-'SH'
		#!/bin/sh
		# As the image postgres does: makes the database in an empty volume, and becomes the server.
		set -eu
		as="setpriv --reuid=postgres --regid=postgres --init-groups" data=/var/lib/postgresql/data
		if [ ! -s "$data/PG_VERSION" ]; then
			chown postgres "$data" && chmod 700 "$data"
			echo "$POSTGRES_PASSWORD" >/tmp/password && chown postgres /tmp/password
			$as initdb --auth-host=scram-sha-256 --username="$POSTGRES_USER" --pwfile=/tmp/password -E UTF8 "$data" >/dev/null
			echo 'host all all all scram-sha-256' >>"$data/pg_hba.conf"
			echo "CREATE DATABASE $POSTGRES_DB OWNER $POSTGRES_USER;" | $as postgres --single -D "$data" postgres >/dev/null
		fi
		exec $as postgres -D "$data" -c listen_addresses='*'
	SH
	chmod +x "$work/postgres/entry"
	cat >"$work/postgres/Dockerfile" <<-'FILE'
		FROM debian:bookworm-slim
		RUN apt-get update -q && apt-get install -y -q --no-install-recommends postgresql && rm -rf /var/lib/apt/lists/*
		COPY entry /usr/local/bin/
		ENV PATH=/usr/lib/postgresql/15/bin:/usr/local/bin:/usr/bin:/bin
		VOLUME /var/lib/postgresql/data
		ENTRYPOINT ["entry"]
	FILE
	cat >"$work/s3/Dockerfile" <<-'FILE'
		FROM debian:bookworm-slim
		RUN apt-get update -q && apt-get install -y -q --no-install-recommends wget && rm -rf /var/lib/apt/lists/*
		COPY versitygw /usr/local/bin/
		ENTRYPOINT ["versitygw"]
	FILE
	for each in postgres s3; do
		"${engine[@]}" image inspect "windie-image-test:$each" >/dev/null 2>&1 && continue
		"${build[@]}" --pull-never -t "windie-image-test:$each" "$work/$each" >"$work/log" 2>&1 || { tail "$work/log" >&2 && fail "no image of $each"; }
	done
}

# copy_files copies the compose files, with free ports and the image that is here.
copy_files() {
	local images=(-e "s#^\( *image: \)windie\$#\1$image#")
	if [ "${IMAGE_LOCAL:-}" = true ]; then
		images+=(-e 's#image: postgres:.*#image: windie-image-test:postgres#' -e 's#image: versity/.*#image: windie-image-test:s3#')
	fi
	mkdir "$work/project"
	for each in compose.yaml compose.cluster.yaml; do
		sed "${images[@]}" -e "s/127.0.0.1:8765:/127.0.0.1:$one:/; s/127.0.0.1:8766:/127.0.0.1:$two:/" "$each" >"$work/project/$each"
	done
	printf 'WINDIE_S3_ACCESS_KEY=windie\nWINDIE_S3_SECRET_KEY=%s\nWINDIE_DATABASE_PASSWORD=%s\n' "$secret" "$secret" >"$work/project/.env"
}

composed() { (cd "$work/project" && "${compose[@]}" -f "$file" "$@"); }

# container SERVICE prints the id of its container.
container() {
	"${engine[@]}" ps -q --filter "label=com.docker.compose.project=$project" --filter "label=com.docker.compose.service=$1"
}

# up SERVICE... starts services.
up() { composed up -d --no-build --no-deps "$@" >"$work/up.log" 2>&1 || { tail -n 20 "$work/up.log" >&2 && fail "$file does not start: $*"; }; }

# healthy SERVICE waits until its own health check says so. Without systemd nobody but us asks podman to check.
healthy() {
	local id
	id=$(container "$1")
	for _ in $(seq 60); do
		case "${engine[0]}" in
		*podman) "${engine[@]}" healthcheck run "$id" >/dev/null 2>&1 && return ;;
		*) [ "$("${engine[@]}" inspect --format '{{.State.Health.Status}}' "$id")" = healthy ] && return ;;
		esac
		sleep 1
	done
	"${engine[@]}" logs --tail 20 "$id" >&2
	fail "$1 is not healthy after a minute"
}

down() { composed down -v >"$work/down.log" 2>&1 || { tail "$work/down.log" >&2 && fail "$file does not stop"; }; }

test_one() {
	file=compose.yaml
	up windie
	wait_healthy "http://127.0.0.1:$one" $$ 60
	healthy windie
	find_text "http://127.0.0.1:$one" "$picture" 'Check out' >"$work/found"
	say "compose.yaml: one gateway found a text on a picture: $(tr -d '\n' <"$work/found" | head -c 120)"
	down
}

# invoke URL TOOL ARGUMENTS [HEADER...] calls a tool.
invoke() { curl -sS --max-time 60 -H 'X-User-Id: ada' "${@:4}" --json "$3" "$1/api/tools/$2/invoke"; }

# wants WHAT TEXT COMMAND... runs a command until it prints TEXT, for half a minute.
wants() {
	local said
	for _ in $(seq 30); do
		said=$("${@:3}" 2>&1) && grep -qF -- "$2" <<<"$said" && return
		sleep 1
	done
	fail "$1: $said"
}

test_several() {
	local a=http://127.0.0.1:$one b=http://127.0.0.1:$two id first prompt
	file=compose.cluster.yaml
	up postgres s3
	healthy postgres
	healthy s3
	up windie windie-2
	wait_healthy "$a" $$ 60
	wait_healthy "$b" $$ 60
	first=$(container windie)
	id=$(curl -sS --fail-with-body -F "file=@$picture" "$a/api/artifacts/" | sed -n 's/.*"artifact_id" *: *"\([^"]*\)".*/\1/p')
	[ "$(curl -sS --fail-with-body "$b/api/artifacts/$id" | sha256sum)" = "$(sha256sum <"$picture")" ] || fail "the second gateway has another artifact"
	"${engine[@]}" exec "$first" windie memory write --user ada 'The heron nests by the weir.' >/dev/null
	wants "the second gateway's memory" 'nests by the weir' invoke "$b" memory.search '{"query":"heron"}'
	"${engine[@]}" cp "$work/echo.wasm" "$first:/shared/plugins/echo.wasm"
	for each in "$a" "$b"; do wants "the plugin at $each" 'to all of them' invoke "$each" echo.echo '{"text":"to all of them"}'; done
	curl -sN --max-time 60 -H 'X-User-Id: ada' --json '{"input":"what tools are there"}' "$a/api/prompt" >"$work/turn"
	grep -q prompt.completed "$work/turn" || fail "the prompt did not end: $(tail -c 300 "$work/turn")"
	"${engine[@]}" kill -s KILL "$first" >/dev/null
	prompt=$(grep -o 'prompt_[a-z2-7]\{26\}\.[0-9]*' "$work/turn" | head -1)
	wants "the prompt that the first gateway carried out" '"completed"' curl -sS --fail-with-body -H 'X-User-Id: ada' "$b/api/prompts/$prompt"
	find_text "$b" "$picture" 'Check out' >/dev/null
	say "compose.cluster.yaml: two gateways share artifacts, memory, plugins and prompts, and the second goes on when the first is killed"
}

# pod FILE NAME PORT prints a pod of a StatefulSet's template, and the claims of the file.
pod() {
	python3 - "$1" "$2" "$3" "$image" "$secret" <<-'PYTHON'
		import sys, yaml
		path, name, port, image, secret = sys.argv[1:]
		values = {"operator-token": secret, "database-url": f"postgres://windie:{secret}@postgres/windie?sslmode=disable", "s3-access-key": "windie", "s3-secret-key": secret}
		files = [d for d in yaml.safe_load_all(open(path)) if d]
		stateful = next(d for d in files if d["kind"] == "StatefulSet")["spec"]
		spec = stateful["template"]["spec"]
		container, = spec["containers"]
		container["image"] = "localhost/" + image
		container["ports"] = [{"containerPort": 8765, "hostPort": int(port), "hostIP": "127.0.0.1"}]
		for probe in "livenessProbe", "readinessProbe", "startupProbe":
		    assert container.pop(probe)["httpGet"]["path"] in ("/health", "/ready")
		for variable in container["env"]:
		    if "valueFrom" in variable:
		        reference = variable.pop("valueFrom")["secretKeyRef"]
		        assert reference["name"] == "windie"
		        variable["value"] = values[reference["key"]]
		    if variable["name"] == "WINDIE_S3_ENDPOINT":
		        variable["value"] = "http://s3:7070"
		for claim in stateful["volumeClaimTemplates"]:
		    claim_name = claim["metadata"]["name"]
		    spec["volumes"].append({"name": claim_name, "persistentVolumeClaim": {"claimName": name + "-" + claim_name}})
		for v in spec["volumes"]:
		    if v.get("emptyDir"):
		        v["emptyDir"] = {}
		print(yaml.safe_dump_all([
		    *[d for d in files if d["kind"] == "PersistentVolumeClaim" and not name.endswith("-1")],
		    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec},
		]))
	PYTHON
}

# play FILE NAME PORT starts a pod beside the database of compose.cluster.yaml.
play() {
	pod "$1" "$2" "$3" >"$work/$2.yaml"
	pods+=("$2")
	"${engine[@]}" kube play --network "$network" "$work/$2.yaml" >"$work/play.log" 2>&1 || { tail "$work/play.log" >&2 && fail "$1 cannot be played"; }
	wait_healthy "http://127.0.0.1:$3" $$ 60
	curl -fsS -o /dev/null "http://127.0.0.1:$3/health"
}

# test_kubernetes plays one.yaml, and two pods of several.yaml.
test_kubernetes() {
	local answer who token id a=http://127.0.0.1:$three b=http://127.0.0.1:$four
	[[ ${engine[0]} == *podman ]] || { say "NOT TESTED, for lack of podman: examples/deploy/kubernetes" && return; }
	command -v catatonit >/dev/null || compgen -G '/usr/lib*/podman/catatonit' >/dev/null || { say "NOT TESTED, for lack of catatonit, which keeps pods: examples/deploy/kubernetes" && return; }
	python3 -c 'import yaml' 2>/dev/null || { say "NOT TESTED, for lack of python3-yaml: examples/deploy/kubernetes" && return; }
	network=$("${engine[@]}" inspect --format '{{range $k, $v := .NetworkSettings.Networks}}{{$k}}{{end}}' "$(container postgres)")
	play examples/deploy/kubernetes/one.yaml windie-one "$three"
	answer=$(curl -sS --json '{"operating_system":"Linux"}' "$a/api/install/register")
	who=$(sed -n 's/.*"user_id" *: *"\([^"]*\)".*/\1/p' <<<"$answer") token=$(sed -n 's/.*"install_token" *: *"\([^"]*\)".*/\1/p' <<<"$answer")
	[ -n "$token" ] || fail "one.yaml registers nobody: $answer"
	id=$(curl -sS --fail-with-body -H "Authorization: Bearer $token" -F "file=@$picture" "$a/api/artifacts/" | sed -n 's/.*"artifact_id" *: *"\([^"]*\)".*/\1/p')
	answer=$(curl -sS -H "Authorization: Bearer $token" -H "X-User-Id: $who" --json "{\"image\":{\"artifact_id\":\"$id\"},\"text\":\"Check out\"}" "$a/api/sdk/ocr/resolve-text")
	grep -q '"text": *"Check out"' <<<"$answer" || fail "one.yaml reads nothing: $answer"
	say "kubernetes/one.yaml: a pod registered a client and found a text on its picture"
	"${engine[@]}" pod stop -t 50 windie-one >/dev/null && "${engine[@]}" pod rm -f windie-one >/dev/null
	play examples/deploy/kubernetes/several.yaml windie-0 "$three"
	play examples/deploy/kubernetes/several.yaml windie-1 "$four"
	answer=$(curl -sS --json '{"operating_system":"Linux"}' "$a/api/install/register")
	who=$(sed -n 's/.*"user_id" *: *"\([^"]*\)".*/\1/p' <<<"$answer") token=$(sed -n 's/.*"install_token" *: *"\([^"]*\)".*/\1/p' <<<"$answer")
	as=(-H "Authorization: Bearer $token" -H "X-User-Id: $who")
	id=$(curl -sS --fail-with-body "${as[@]}" -F "file=@$picture" "$a/api/artifacts/" | sed -n 's/.*"artifact_id" *: *"\([^"]*\)".*/\1/p')
	[ "$(curl -sS --fail-with-body "${as[@]}" "$b/api/artifacts/$id" | sha256sum)" = "$(sha256sum <"$picture")" ] || fail "the second pod has another artifact"
	"${engine[@]}" exec windie-0-windie windie memory write --user "$who" 'The heron nests by the weir.' >/dev/null
	for each in "$a" "$b"; do
		wants "the memory of $each" 'nests by the weir' curl -sS "${as[@]}" --json '{"query":"heron"}' "$each/api/tools/memory.search/invoke"
		"${engine[@]}" cp "$work/echo.wasm" windie-0-windie:/shared/plugins/echo.wasm
		wants "the plugin at $each" 'to all pods' curl -sS "${as[@]}" --json '{"text":"to all pods"}' "$each/api/tools/echo.echo/invoke"
	done
	say "kubernetes/several.yaml: two pods share artifacts, memory and plugins"
}

finish() {
	local status=$? each
	if [ "$status" -ne 0 ]; then
		for each in $("${engine[@]}" ps -aq --filter "label=com.docker.compose.project=$project" 2>/dev/null); do "${engine[@]}" logs --tail 8 "$each" 2>&1 | cut -c1-400 >&2 || true; done
		for each in "${pods[@]}"; do "${engine[@]}" logs --tail 12 "$each-windie" 2>&1 | cut -c1-400 >&2 || true; done
	fi
	for each in "${pods[@]}"; do
		"${engine[@]}" pod rm -f "$each" >/dev/null 2>&1 || true
		"${engine[@]}" volume rm -f "$each-data" windie-shared >/dev/null 2>&1 || true
	done
	[ -z "$file" ] || composed down -v >/dev/null 2>&1 || true
	rm -rf "$work"
}

work=$(mktemp -d) file="" pods=() engine=() compose=() network="" secret=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
one=$(free_port) two=$(free_port) three=$(free_port) four=$(free_port)
trap finish EXIT
choose
[ "${IMAGE_LOCAL:-}" != true ] || local_images
copy_files
GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags='-s -w' -o "$work/echo.wasm" ./examples/plugins/echo
test_one
test_several
test_kubernetes
down
file=""
