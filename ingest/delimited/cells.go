package delimited

import (
	"bytes"
	"math"

	"keyskew/ingest/request"
)

// readCount reads a whole number; 3.0 is one, as tables of floating point numbers spell it. Too large
// saturates.
func readCount(cell []byte) (uint64, bool) {
	var n uint64
	i := 0
	for ; i < len(cell); i++ {
		digit := cell[i] - '0'
		if digit > 9 {
			break
		}
		if n > (math.MaxUint64-9)/10 {
			n = math.MaxUint64
			continue
		}
		n = n*10 + uint64(digit)
	}
	if i == len(cell) {
		return n, i > 0
	}
	rest := cell[i:]
	if i == 0 {
		trimmed := bytes.TrimSpace(cell)
		if len(trimmed) > 0 && len(trimmed) < len(cell) {
			return readCount(trimmed)
		}
		return 0, false
	}
	if rest[0] == '.' {
		rest = bytes.TrimLeft(rest[1:], "0")
	}
	return n, len(bytes.TrimSpace(rest)) == 0
}

// absent says that a cell stands for nothing.
func absent(cell []byte) bool {
	switch string(cell) {
	case "", "-", "NULL", "null", "NaN", "nan", "None", `\N`:
		return true
	}
	return false
}

// hostOf takes the port off an address.
func hostOf(address []byte) []byte {
	i := bytes.LastIndexByte(address, ':')
	if i < 0 {
		return address
	}
	if address[0] == '[' {
		if end := bytes.IndexByte(address, ']'); end > 0 {
			return address[1:end]
		}
		return address
	}
	if _, ok := digits(address[i+1:]); !ok || bytes.IndexByte(address, ':') != i {
		return address // an IPv6 address
	}
	return address[:i]
}

// cacheHits sets what a cell says about the cache's answer. A number is the count of hits among the
// requests that the row stands for.
func (d *decoder) cacheHits(cell []byte, row *request.Row) (hits uint64, counted bool) {
	if n, ok := readCount(cell); ok {
		row.Cache = request.CacheMiss
		if n > 0 {
			row.Cache = request.CacheHit
		}
		return n, d.at[weightRole] != none
	}
	row.Cache = cacheWord(cell)
	return 0, false
}

// cacheWords are what caches call their answers, by the piece that tells; the first that is found counts.
// REVALIDATED, STALE and UPDATING (nginx) were answered from the cache.
var cacheWords = []struct {
	piece  string
	result request.CacheResult
}{
	{"miss", request.CacheMiss},
	{"expired", request.CacheMiss},
	{"bypass", request.CacheMiss},
	{"dynamic", request.CacheMiss},
	{"pass", request.CacheMiss},
	{"hit", request.CacheHit},
	{"stale", request.CacheHit},
	{"updating", request.CacheHit},
	{"revalidated", request.CacheHit},
}

func cacheWord(cell []byte) request.CacheResult {
	switch string(cell) {
	case "true", "True", "TRUE", "t", "yes", "Y", "y":
		return request.CacheHit
	case "false", "False", "FALSE", "f", "no", "N", "n":
		return request.CacheMiss
	}
	for _, w := range cacheWords {
		for i := 0; i+len(w.piece) <= len(cell); i++ {
			if bytes.EqualFold(cell[i:i+len(w.piece)], []byte(w.piece)) {
				return w.result
			}
		}
	}
	return request.CacheUnknown
}
