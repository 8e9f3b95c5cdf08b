#!/usr/bin/env bash
# Runs the tests that need a browser, a desktop, another process, another
# language's tools or the clock: those in files with the build tag system.
#
#   scripts/system.sh           # all parts, and a table of their results at the end
#   scripts/system.sh PART...   # these
#   scripts/system.sh --list    # what parts there are
#
# Each part runs alone and in any order, in at most 15 minutes. A part that
# fails does not stop the others. `make deps-system` brings what they need.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
export PATH="$PWD/.tools/bin:$PATH" WINDIE_TEST_STRICT=1

limit=15m

# tagged FOLDER... prints a pattern of the tests of the tier in these folders.
tagged() {
	local folder
	for folder; do
		grep -l '^//go:build system' "$folder"/*_test.go | xargs grep -hoE '^func Test\w+\(t ' | sed 's/^func //; s/(t $//'
	done | sort -u | paste -sd '|' | sed 's/.*/^(&)$/'
}

# run FLAGS... PACKAGES... runs tests with the build tag.
run() { go run ./internal/test/run -- -tags=system -count=1 -timeout="$limit" -vet=off "$@"; }

# all FOLDER... runs all tests of the tier in these folders.
all() { run -run "$(tagged "$@")" "$@"; }

# program PATTERN runs tests of cmd/windie whose names match: those that need the insides of the program.
program() { run -run "$1" ./cmd/windie; }

apart='^Test(Stops|CrowdOf.*|TrivialTurns)$' # of the program's, those in parts of their own

# The parts, in the order in which all of them run: "NAME  what it shows".
parts='
console    the console, in a browser
desktop    the hands and eyes, and windie desktop, on a desktop in memory
desk       tasks on a real desktop through /ws, as a tool host and through MCP
terminal   the terminal programs as people use them, and coding agents
clients    the clients in three languages, of MCP and of OpenAI, held to all dialogues and faults
agents     the MCP clients that people use, and agents with a model by a script, with a gateway that is started again
plugins    the kits and examples in all their languages
hostile    plugins that do harm, beside one that is called
guides     every command of the guides
alerts     each alert of examples/deploy at a gateway with the trouble it is for, a minute being two seconds; the Helm chart
kills      gateways and workers that are killed while they keep state: ROUNDS (500), TURNS (1000)
stops      gateways that are stopped in the middle of turns: STOPS (300)
runs       gateways that are killed while 50 workers carry out 200 runs: KILLS (50)
upgrade    a folder that the version before has kept, and deb and rpm packages
migrate    EVENTS events (100000) to PostgreSQL and ARTIFACTS artifacts (1000) to S3, broken off ten times
erasure    that nothing is left of what is erased or revoked, and what turns take on the disk
waits      servers that are slow, silent or away, and expiries
reading    pictures: variants, near misses, frames, and what the program tesseract reads
eval       how well and how fast labelled screens are read
crowd      sixty of the largest images at once, and thousands of half-sent bodies, in control groups of 700 MB and 1 GB
machines   each kernel, one processor, other time zones and another locale
races-gateway, races-program, races-tools, races-reading, races-state   all tests with the race detector
image      the container image
dist       what is published, made twice, compared and installed'

part_console() { all ./internal/test/system/console && all ./gateway/console/pages; }
part_desktop() {
	run -run "$(tagged ./internal/test/system/desktop)" -skip '^TestDeskTasks$' ./internal/test/system/desktop &&
		all ./client/computer/access ./client/computer/x11 ./client/computer/eyes ./client/computer/screen ./client/computer/browser
}
part_desk() { WINDIE_DESK=1 run -run '^TestDeskTasks$' ./internal/test/system/desktop; }
part_terminal() { all ./internal/test/system/terminal && all ./client/computer/delegate ./client/computer/files ./client/computer/process ./internal/progress; }
part_clients() { WINDIE_CONFORMANCE=1 all ./internal/test/system/clients && all ./internal/test/conformance; }
part_agents() { all ./internal/test/system/agents; }
part_plugins() { all ./internal/test/system/plugins ./examples/programs; }
part_hostile() { WINDIE_HOSTILE_ROUNDS=${HOSTILE:-5} all ./wasmtools ./wasmtools/fuel ./wasmtools/sign; }
part_guides() { all ./internal/test/system/guides; }
part_alerts() { all ./internal/test/system/deploy; }
part_kills() {
	export WINDIE_CRASH_ROUNDS=${ROUNDS:-500} WINDIE_CRASH_TURNS=${TURNS:-1000}
	all ./state/journal/sqljournal ./agent/session ./agent/audit ./internal/test/system/restarts ./internal/test/pgtest
}
part_stops() {
	WINDIE_STOPS=${STOPS:-300} program '^TestStops$' &&
		run -run "$(tagged ./internal/test/system/stops)" -skip '^TestRunsOutliveGateways$' ./internal/test/system/stops
}
part_runs() { WINDIE_RUNS_KILLS=${KILLS:-50} run -run '^TestRunsOutliveGateways$' ./internal/test/system/stops; }
part_upgrade() { WINDIE_UPGRADE=1 all ./internal/test/system/upgrade; }
part_migrate() { WINDIE_MIGRATE_EVENTS=${EVENTS:-100000} WINDIE_MIGRATE_ARTIFACTS=${ARTIFACTS:-1000} run ./state/carry; }
part_erasure() {
	run -run "$(tagged ./cmd/windie)" -skip "$apart" ./cmd/windie && all ./internal/test/system/hosted &&
		WINDIE_TEST_TURNS=10000 program '^TestTrivialTurns$'
}
part_waits() {
	all ./artifacts/owned ./artifacts/s3store ./artifacts/scrub ./state/database ./internal/tracing ./agent/tools/mcptools ./agent/tools/memory ./models/minilm ./state/runs \
		./models/speech/transcription ./perception/vlm
}
part_reading() {
	all ./perception ./perception/evaluate ./perception/locate ./perception/lstm ./perception/overlay ./perception/reader ./perception/textline
}
part_eval() { make eval; }
part_crowd() { WINDIE_TEST_CROWD=1 program "^TestCrowdOf"; }
part_machines() { scripts/machines.sh; }
part_races-gateway() { scripts/race.sh ./gateway/... ./sdk/... ./sdkapi/...; }
part_races-program() { scripts/race.sh ./cmd/... ./client/worker/... ./client/terminal/...; }
part_races-tools() { scripts/race.sh ./wasmtools/... ./client/computer/... ./examples/... ./models/...; }
part_races-reading() { scripts/race.sh ./perception/...; }
part_races-state() { scripts/race.sh ./agent/... ./artifacts/... ./internal/... ./state/...; }
part_image() { scripts/image-test.sh; }
part_dist() { scripts/dist-test.sh; }

names=$(sed -n 's/   .*//; s/, / /g; /./p' <<<"$parts" | xargs)
[ "${1:-}" != --list ] || {
	echo "$parts"
	exit
}
for part in ${*:-$names}; do
	declare -F "part_$part" >/dev/null || {
		echo "system.sh: there is no part $part; the parts are: $names" >&2
		exit 2
	}
done

# Each part has a process group of its own, so that nothing of it outlives its time.
results=() status=0
for part in ${*:-$names}; do
	echo "=== $part"
	began=$SECONDS
	export -f run all program tagged "part_$part"
	export limit apart
	code=0
	timeout --kill-after=30s "$limit" bash -c "part_$part" || code=$?
	case $code in
	0) result=passed ;;
	124 | 137) result="TIME OVER" ;;
	*) result=FAILED ;;
	esac
	[ "$code" -eq 0 ] || status=1
	results+=("$(printf '%-14s %-9s %5d s' "$part" "$result" $((SECONDS - began)))")
done
printf '\n'
printf '%s\n' "${results[@]}"
exit $status
