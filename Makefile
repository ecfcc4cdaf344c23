# make check   the quick half: form, linters, both builds, race tests
# make test    the whole; what a change must pass
# make fuzz    every fuzz target, FUZZTIME each
# make bench   the benchmarks of the figures that are promised

GO       ?= go
TOOL     := $(GO) tool -modfile=tools/go.mod
FUZZTIME ?= 30s

.PHONY: check test format lint tidy cross race fuzz bench update

check: format lint tidy cross race

test: check
	$(GO) test -count=1 ./...

format:
	@out=$$($(TOOL) gofumpt -l .); test -z "$$out" || { echo "not formatted (run: go tool -modfile=tools/go.mod gofumpt -w .):"; echo "$$out"; exit 1; }

lint:
	$(GO) vet ./...
	$(TOOL) staticcheck ./...
	@out=$$($(GO) fix -diff ./... 2>&1) && test -z "$$out" || { echo "go fix would change:"; echo "$$out"; exit 1; }

tidy:
	$(GO) mod tidy -diff
	cd tools && $(GO) mod tidy -diff

# The library and the command build for the three systems.
cross:
	@for os in linux darwin windows; do echo "build $$os"; GOOS=$$os CGO_ENABLED=0 $(GO) build -o /dev/null ./... || exit 1; done

race:
	$(GO) test -race ./...

fuzz:
	scripts/fuzz $(FUZZTIME)

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

# Rewrites the goldens; review the diff.
update:
	$(GO) test ./internal/house -update
