#!/bin/sh
# Fits the confidence again, which every change of the reranker's weights needs: confidence.sh DATA OUT. Run it in the
# repository root, with absolute folders. OUT may be that of features.sh: OUT/vectors keeps the vectors of the models.
set -eu
data=$1 out=$2
mkdir -p "$out/trials"
trials() {
	go -C lab run ./eval --abstention --features --cache "$out/vectors" --sample 150 --models "$1" \
		--data "$data,$PWD/internal/retrieval/eval/testdata/short_among" >"$out/trials/$1.jsonl"
}
trials builtin
trials static
trials none
"${PYTHON:-python3}" lab/fit/confidence.py "$out/trials/builtin.jsonl" "$out/trials/static.jsonl" "$out/trials/none.jsonl" --write
