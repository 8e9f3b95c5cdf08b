#!/usr/bin/env bash
# From nothing to a model, and on from where the last run in FOLDER, else in checkpoints/, stopped:
#
#   perception/training/train.sh FOLDER
#
# FOLDER takes some 10 GB: the Python packages, the fonts and texts, lines that wait, and in run/ the
# checkpoints. End it with: kill $(cat FOLDER/pid). It runs at the lowest priority; to have it outlive a
# terminal: setsid nohup perception/training/train.sh FOLDER >FOLDER.log 2>&1 &
set -euo pipefail
cd "$(dirname "$0")"
folder=$(realpath -m "${1:?usage: perception/training/train.sh FOLDER}")
processes=${PROCESSES:-2} # that train; one more draws lines
mkdir -p "$folder"
renice -n 19 -p $$ >/dev/null
[ ! -w /proc/self/autogroup ] || echo 19 >/proc/$$/autogroup # Linux weighs sessions first
export OMP_NUM_THREADS=1 PYTHONPATH=$PWD UV_PROJECT_ENVIRONMENT=$folder/venv

say() { echo "$(date -u +%H:%M:%S) $*"; }

command -v uv >/dev/null || { echo "train.sh: no uv here; install it with: pip install uv" >&2 && exit 1; }
uv sync --frozen --quiet --all-extras --project .
python=$folder/venv/bin/python
(cd ../.. && go build -o "$folder/strips" ./perception/training/strips)
"$python" -m windie_training.fetch "$folder/cache"
for held in browser qt layouts; do # what validates: other drawing, fonts and texts than the training's
	[ -s "$folder/held-$held.npz" ] || "$python" -m windie_training.generate "$folder/cache" "$folder/held-$held.npz" --strips "$folder/strips" --held $held --count 1200
done
mkdir -p "$folder/shards"
if [ ! -e "$folder/shards/counter" ] && [ -e checkpoints/curve.csv ]; then # other shards than the last run's
	echo $(($(tail -n 1 checkpoints/curve.csv | cut -d, -f1) / 1000)) >"$folder/shards/counter"
fi
echo $$ >"$folder/pid"

# again NAME COMMAND... runs a command until this script is ended, and again after a failure.
again() {
	local name=$1
	shift
	while true; do
		say "$name starts"
		"$@" && { say "$name is done"; return; }
		say "$name ended with $?; it starts again in 20 s"
		sleep 20
	done
}

trap 'trap - EXIT INT TERM; kill 0' EXIT INT TERM
again generate "$python" -m windie_training.generate "$folder/cache" "$folder/shards" --strips "$folder/strips" >>"$folder/generate.log" 2>&1 &
# shellcheck disable=SC2086 # TRAIN is several words
again train "$python" -m windie_training.train "$folder/run" --shards "$folder/shards" --valid "$folder"/held*.npz --start checkpoints/best.pt --processes "$processes" ${TRAIN:-} &
wait -n
