#!/usr/bin/env bash
# Copies the best network of a run and its curve to perception/training/checkpoints:
#
#   perception/training/keep.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")"
folder=$(realpath "${1:?usage: perception/training/keep.sh FOLDER}")
export PYTHONPATH=$PWD OMP_NUM_THREADS=1
mkdir -p checkpoints
cp "$folder/run/curve.csv" checkpoints/
"$folder/venv/bin/python" -m windie_training.plot checkpoints/curve.csv checkpoints/curve.svg
cmp -s "$folder/run/best.pt" checkpoints/best.pt || cp "$folder/run/best.pt" checkpoints/
tail -n 4 checkpoints/curve.csv
