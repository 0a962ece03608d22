package ingest

import (
	"bytes"
	"math"
	"sort"

	"keyskew/ingest/request"
)

// decodeHead decodes a block in the reader's own goroutine, as reading must not run ahead when only the
// first so many records are wanted. It cuts the block behind the last of them, and says whether more
// are.
func (r *run) decodeHead(j *job, most int64) (more bool) {
	if r.head == nil {
		r.head = &worker{run: r}
	}
	defer func() { j.done <- struct{}{} }()
	r.head.decode(j)
	left := most - r.records
	if j.tally.Requests < left {
		r.records += j.tally.Requests
		return true
	}
	before := len(j.block.Data)
	if r.cutBehind(j, left); len(j.block.Data) < before {
		r.head.decode(j)
	}
	st := &r.stats[j.input]
	st.Cut = true
	st.Unpacked = j.block.Offset + int64(len(j.block.Data)) + j.block.Dropped
	return false
}

// cutBehind shortens a block to its first n requests. Which line holds the last of them only the decoder
// knows, so it is asked, for a dozen places at most.
func (r *run) cutBehind(j *job, n int64) {
	whole := j.block
	ends := recordEnds(whole.Data, r.format.Format)
	decoder := j.decode()
	i := sort.Search(len(ends)-1, func(i int) bool {
		b := whole
		b.Data, b.Last = whole.Data[:ends[i]], false
		var t request.Tally
		decoder.Decode(b, discard{}, &t)
		return t.Requests >= n
	})
	j.block.Data = whole.Data[:ends[i]]
	j.block.Last = whole.Last && ends[i] == len(whole.Data)
}

// recordEnds are the places in a block at which a record ends.
func recordEnds(data []byte, f request.Format) []int {
	var ends []int
	if f.RecordSize > 0 {
		for end := f.RecordSize; end < len(data); end += f.RecordSize {
			ends = append(ends, end)
		}
		return append(ends, len(data))
	}
	at := 0
	for line := range bytes.Lines(data) {
		if at > 0 && (f.Continues == nil || !f.Continues(trimEnd(line)[:min(len(trimEnd(line)), lookAhead)])) {
			ends = append(ends, at)
		}
		at += len(line)
	}
	return append(ends, len(data))
}

// addLeftOut adds up what the stages left out.
func addLeftOut(sum, more []leftOut) []leftOut {
	if sum == nil {
		return more
	}
	for i, m := range more {
		sum[i].unwanted = addUnsigned(sum[i].unwanted, m.unwanted)
		sum[i].unknown = addUnsigned(sum[i].unknown, m.unknown)
	}
	return sum
}

// addUnsigned adds and stays at the largest number rather than going over it.
func addUnsigned(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}
