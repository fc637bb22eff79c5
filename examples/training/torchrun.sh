#!/usr/bin/env bash
# torchrun behind the guard: once per node, before the launcher. DATA: the version; RANKS: processes of this node.
set -euo pipefail
: "${DATA:=data/sft}" "${RANKS:=2}"
exec datacheck-guard exec --require-pass "$DATA" -- torchrun --standalone --nproc-per-node "$RANKS" "$(dirname "$0")/train.py" "$DATA"
