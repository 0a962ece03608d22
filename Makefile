# Everything CI runs is behind these targets; .ci/run calls them in order.

.PHONY: build test ci slow fuzz generate golden

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

# Regenerate tables and stored answers; read the difference before committing it.
generate:
	go generate ./...

golden:
	go test ./cmd ./formats -update
