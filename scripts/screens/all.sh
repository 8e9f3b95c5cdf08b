#!/usr/bin/env bash
# Makes all screens of real programs, and of pages like them, with their truth.
set -euo pipefail
cd "$(dirname "$0")/../.."
scripts/deps.sh native
scripts/screens/make.py perception/testdata/native
scripts/screens/web.py perception/testdata/web .tools/codemirror/node_modules/codemirror
