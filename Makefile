# make check        the quick half: form, linters, three systems, race tests
# make test         the whole; what a change must pass
# make screenshots  every state of the page, light and dark, wide and phone
# make conformance  the long half: specification suites, oracles, every cut of every recording
# make llamacpp     random weights through llama.cpp call the coach's tools, 300 times
# make crash        every kill of the crash tests and the long model runs, on SQLite and PostgreSQL (half an hour)
# make fuzz         every fuzz target, FUZZTIME each
# make bench        the benchmarks of the figures that are promised

GO       ?= go
TOOL     := $(GO) tool -modfile=tools/go.mod
FUZZTIME ?= 30s
NESTED   := tools bench/schema bench/wire examples/sdk server/browsertest

.PHONY: check test vocabularies noise llamacpp format lint tidy cross race whole sdk browser screenshots conformance crash fuzz bench update

check: format lint tidy cross race

test: vocabularies check whole noise sdk browser

# The real vocabularies that the grammar engine is tested with.
vocabularies:
	scripts/vocabularies

format:
	@out=$$($(TOOL) gofumpt -l .); test -z "$$out" || { echo "not formatted (run: go tool -modfile=tools/go.mod gofumpt -w .):"; echo "$$out"; exit 1; }

lint:
	$(GO) vet ./...
	$(TOOL) staticcheck ./...
	@out=$$($(GO) fix -diff ./... 2>&1) && test -z "$$out" || { echo "go fix would change:"; echo "$$out"; exit 1; }

tidy:
	$(GO) mod tidy -diff
	@for dir in $(NESTED); do (cd $$dir && $(GO) mod tidy -diff) || exit 1; done

# The library and the command build for the three systems.
cross:
	@for os in linux darwin windows; do echo "build $$os"; GOOS=$$os CGO_ENABLED=0 $(GO) build ./... || exit 1; done

# Without PostgreSQL and the real vocabularies, which only the whole needs.
race:
	HOLDFAST_REQUIRE_POSTGRES= HOLDFAST_REQUIRE_TOKENIZERS=0 $(GO) test -race ./...

# Once more without the race detector, and with a PostgreSQL of its own.
whole:
	HOLDFAST_EVERY_PROVIDER=1 scripts/with-postgres $(GO) test -count=1 ./...

# The loops that are written with the vendors' own clients.
sdk:
	cd examples/sdk && $(GO) test ./...

# The page in a real browser.
browser:
	scripts/browser $(GO) -C server/browsertest test -count=1 -timeout 30m ./...

screenshots:
	HOLDFAST_SCREENSHOTS=$(CURDIR)/screenshots HOLDFAST_REQUIRE_BROWSER=1 scripts/browser $(GO) -C server/browsertest test -count=1 -timeout 30m -run TestEveryState ./...
	@echo "written to screenshots/"

# Noise in llama.cpp calls the coach's tools (Linux on x86-64; needs libffi).
noise:
	$(GO) vet -tags llamacpp ./model/llamacpp ./cmd/holdfast
	scripts/llamacpp $(GO) test -tags llamacpp -count=1 ./model/llamacpp

llamacpp:
	HOLDFAST_LONG=1 HOLDFAST_REQUIRE_LLAMACPP=1 scripts/llamacpp $(GO) test -tags llamacpp -count=1 -v -timeout 60m ./model/llamacpp

conformance: vocabularies
	HOLDFAST_LONG=1 $(GO) test -count=1 -timeout 60m ./schema/... ./wire/... ./grammar/...
	cd bench/schema/node && npm ci --no-audit --no-fund --silent
	cd bench/schema && $(GO) test -count=1 -v -timeout 60m -run TestDifferential .

crash:
	HOLDFAST_CRASH=full HOLDFAST_LONG=1 HOLDFAST_REQUIRE_POSTGRES=1 scripts/with-postgres $(GO) test -count=1 -v -timeout 120m ./ledger/... ./gate ./agent
	HOLDFAST_CRASH=full $(GO) test -count=1 -timeout 60m -run TestKilled ./cmd/holdfast

fuzz:
	scripts/fuzz $(FUZZTIME)

bench: vocabularies
	$(GO) test -run '^$$' -bench . -benchmem ./...
	cd bench/schema/node && npm ci --no-audit --no-fund --silent
	cd bench/schema && $(GO) test -count=1 -v -run 'TestSpeed|TestCompileSpeed' .
	cd bench/wire && $(GO) test -count=1 -v -run TestSpeed .
	GO=$(GO) scripts/bench-grammar

# Rewrites the goldens; review the diff.
update:
	$(GO) test ./internal/house -update
