# What the scripts share. Source it: . scripts/lib.sh
# shellcheck shell=bash

fail() {
	echo "$(basename "$0"): $*" >&2
	exit 1
}

# targets KIND prints a line "package name" for every test function whose name
# begins with KIND: Fuzz or Benchmark.
targets() {
	go test -tags system -list "^$1" ./... | awk -v kind="$1" '
		index($1, kind) == 1 { names[n++] = $1 }
		$1 == "ok" { for (i = 0; i < n; i++) print $2, names[i]; n = 0 }'
}

# free_port prints a TCP port on which nothing listens.
free_port() {
	local port
	for _ in $(seq 50); do
		port=$((20000 + RANDOM % 10000))
		(exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || {
			echo "$port"
			return
		}
	done
	fail "found no free port"
}

# wait_healthy URL PID SECONDS waits until the gateway at URL works, and fails
# when time is up or PID has ended.
wait_healthy() {
	for _ in $(seq $(($3 * 10))); do
		curl -fs --max-time 2 -o /dev/null "$1/ready" && return
		kill -0 "$2" 2>/dev/null || fail "the gateway ended before it answered"
		sleep 0.1
	done
	fail "no healthy answer from $1/ready in $3 s: $(curl -sS --max-time 2 "$1/ready" 2>&1)"
}

# find_text URL PICTURE TEXT uploads a picture and prints where TEXT is on it.
find_text() {
	local stored id
	stored=$(curl -sS --fail-with-body --max-time 30 -F "file=@$2" "$1/api/artifacts/") || fail "upload of $2: $stored"
	id=$(sed -n 's/.*"artifact_id" *: *"\([^"]*\)".*/\1/p' <<<"$stored")
	[ -n "$id" ] || fail "no artifact_id in: $stored"
	curl -sS --fail-with-body --max-time 60 -H 'Content-Type: application/json' \
		-d "{\"image\":{\"artifact_id\":\"$id\"},\"text\":\"$3\"}" "$1/api/sdk/ocr/resolve-text" ||
		fail "'$3' was not found on $2"
}

# stop PID CHILD SECONDS sends SIGTERM to PID and fails unless CHILD, which
# this shell started, then ends with 0 in time.
stop() {
	local status=0
	kill -TERM "$1"
	for _ in $(seq $(($3 * 10))); do
		kill -0 "$2" 2>/dev/null || break
		sleep 0.1
	done
	if kill -0 "$2" 2>/dev/null; then
		kill -KILL "$1"
		fail "the gateway was still there $3 s after SIGTERM"
	fi
	wait "$2" || status=$?
	[ "$status" -eq 0 ] || fail "the gateway ended with $status after SIGTERM, not with 0"
}

# mcp_answers LOG COMMAND... starts an MCP server, whose log goes to LOG, and fails unless it answers and lists tools within a
# minute each. It sets first to the milliseconds until the first answer.
mcp_answers() {
	local log=$1 answer began=${EPOCHREALTIME/./} SERVER SERVER_PID server to
	shift
	coproc SERVER { exec "$@" 2>"$log"; }
	to=${SERVER[1]} server=$SERVER_PID
	mcp_asks "$to" '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}' '"serverInfo"'
	first=$(((${EPOCHREALTIME/./} - began) / 1000))
	printf '%s\n' '{"jsonrpc":"2.0","method":"notifications/initialized"}' >&"$to"
	mcp_asks "$to" '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' '"name":"artifact_upload"'
	exec {to}>&-
	wait "$server" || fail "the MCP server ended with $?: $(tail -n 3 "$log")"
}

# mcp_asks TO REQUEST TEXT sends a request to mcp_answers' server, and fails unless the answer contains TEXT.
mcp_asks() {
	printf '%s\n' "$2" >&"$1"
	IFS= read -r -t 60 answer <&"${SERVER[0]}" || fail "no answer to $2: $(tail -n 3 "$log")"
	[[ $answer == *"$3"* ]] || fail "no $3 in: ${answer:0:500}"
}
