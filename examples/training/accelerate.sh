#!/usr/bin/env bash
# accelerate behind the guard. DATA: the version; RANKS: processes of this node.
set -euo pipefail
: "${DATA:=data/sft}" "${RANKS:=2}"
exec datacheck-guard exec --require-pass "$DATA" -- accelerate launch --num_machines 1 --mixed_precision bf16 \
  --dynamo_backend no --num_processes "$RANKS" "$(dirname "$0")/train.py" "$DATA"
