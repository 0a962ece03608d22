# Everything CI runs is behind these targets; .ci/run calls them in order.

.PHONY: build test ci slow fuzz generate golden bench

build:
	go build -o keyskew .

# The README's test command.
test:
	go test ./...

ci:
	bash .ci/run

# What is too slow for CI: longer fuzzing, the race detector over everything, large inputs.
slow:
	go test -race -count=1 ./...
	FUZZTIME=2m bash .ci/fuzz
	bash .ci/memory

fuzz:
	bash .ci/fuzz

# Compare with wc, sort, mawk, DuckDB and the decoders of packed files; writes docs/bench/<date>. It takes
# half an hour on a machine that does nothing else. BENCH="-lines 2M -rounds 3" gives a quick look.
bench:
	go run ./testdata/bench $(BENCH)

# Regenerate tables and stored answers; read the difference before committing it.
generate:
	go generate ./...

golden:
	go test ./cmd ./formats -update
