package fix

import (
	"bytes"
	"slices"
	"strconv"

	"keyskew/ingest/request"
)

// long reports that only a shortened form of the key is known, from which no names can be made.
func long(key []byte) bool { return len(key) >= request.MaxKey }

// SubKeys names n parts of a key, `key#0`, `key#1` and so on, so that m partitions get n/m each, rounded
// down or up: suffixes are tried in order, and one is left out when its partition is full. Hashing alone
// would be uneven: of 32 parts on 8 partitions the fullest gets 7 on average.
//
// In a store with hash tags a key {tag}rest gets the suffix inside the tag, {tag#3}rest: behind the tag
// it would not change the slot. at holds the partition of each name (negative: none owns it), tried how
// many suffixes were looked at. When the tries run out (some partition owns next to nothing) the rest is
// filled in order.
func SubKeys(key []byte, hashTags bool, n, m int, place func([]byte) int) (names [][]byte, at []int, tried int) {
	head, tail := key, []byte(nil)
	if hashTags {
		if end := tagEnd(key); end >= 0 {
			head, tail = key[:end], key[end:]
		}
	}
	var buf []byte
	name := func(i int) []byte {
		buf = append(append(buf[:0], head...), '#')
		buf = append(strconv.AppendInt(buf, int64(i), 10), tail...)
		return buf
	}
	m = max(1, m)
	each, extra := n/m, n%m
	held := make([]int, m)
	limit := 1000 + 64*(n+m)
	for ; len(names) < n && tried < limit; tried++ {
		part := name(tried)
		p := place(part)
		if p < 0 || p >= m || held[p] > each || held[p] == each && extra == 0 {
			continue
		}
		if held[p] == each {
			extra--
		}
		held[p]++
		names, at = append(names, slices.Clone(part)), append(at, p)
	}
	for ; len(names) < n; tried++ {
		part := slices.Clone(name(tried))
		names, at = append(names, part), append(at, place(part))
	}
	return names, at, tried
}

// tagEnd returns the index of the brace that closes the hash tag, -1 when the whole key is hashed: the
// tag is what stands between the first { and the first } after it, if that is not empty (Redis Cluster
// specification, "Hash tags").
func tagEnd(key []byte) int {
	open := bytes.IndexByte(key, '{')
	if open < 0 {
		return -1
	}
	n := bytes.IndexByte(key[open+1:], '}')
	if n <= 0 {
		return -1
	}
	return open + 1 + n
}
