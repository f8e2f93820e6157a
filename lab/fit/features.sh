#!/bin/sh
# Writes the features that fit.py learns from: features.sh DATA OUT. Run it in the repository root, after
# stores.py DATA OUT/stores.
set -eu
data=$1 out=$2
mkdir -p "$out"
features() {
	file=$1
	shift
	go -C lab run ./eval --features --cache "$out/vectors" "$@" >"$out/$file.jsonl"
}
# The sets of a folder, each with its path.
of() {
	folder=$1
	shift
	for name; do printf '%s/%s,' "$folder" "$name"; done | sed 's/,$//'
}
notes=$data/agents short=$PWD/internal/retrieval/eval/testdata/short_among
features notes --sample 300 --data "$(of "$notes" team life lessons world facts exact manpages)"
features stores --sample 150 --data "$(find "$out/stores" -mindepth 1 -maxdepth 1 | sort | paste -sd,)"
features xquad --sample 200 --data "$data/xquad_sentences,$(of "$data/xquad_langs" de es ru zh ar)"
features joined --sample 300 --join --data "$(of "$notes" team life lessons facts)"
features small --sample 150 --data "$(of "$notes" team life world lessons)" --take 30
features short_among --data "$short"
features code --sample 300 --data "$(of "$notes" code_go code_py),$data/cosqa_dev"
features talk --sample 400 --data "$(of "$data" locomo realtalk beam/100K qmsum)"
features bare --sample 100 --bare --data "$(of "$data" locomo realtalk),$(of "$notes" team life lessons world facts),$short"
features static --sample 100 --models static --data "$(of "$notes" team life lessons world facts exact),$(of "$data" locomo realtalk beam/100K xquad_sentences)"
