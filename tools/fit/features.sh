#!/bin/sh
# Writes the features that fit.py learns from: features.sh DATA OUT. Run it in the repository root.
set -eu
data=$1 out=$2
mkdir -p "$out"
features() {
	file=$1
	shift
	go -C tools run ./eval --features --cache "$out/vectors" --sample 400 "$@" >"$out/$file.jsonl"
}
notes=$data/agents
features builtin --data "$data"
features static --data "$data" --models static
features small --data "$notes/team,$notes/life,$notes/world" --take 30
features joined --join --data "$notes/team,$notes/life,$notes/lessons,$notes/facts,$notes/manpages"
features short_among --data "$PWD/internal/eval/testdata/short_among"
features bare --bare --data "$data/locomo,$data/realtalk,$notes/team,$notes/life,$notes/lessons,$notes/world,$notes/facts,$PWD/internal/eval/testdata/short_among"
