package delimited

import (
	"bytes"
	"math"
	"strconv"

	"keyskew/ingest/request"
)

// maxBlocks is the largest number of blocks that one request of a block trace is believed to touch: 2 GiB
// in blocks of 512 bytes is far above what any disk takes.
const maxBlocks = 4096

const (
	reasonArc    request.Reason = "not four numbers"
	reasonBlocks request.Reason = "more than 4096 blocks in one request"
)

func arcFormat() request.Format {
	return request.Format{
		ID:    "arc",
		Title: "ARC block trace",
		Text: "Four numbers a line: the first block, how many blocks, a number that is not used, and the " +
			"number of the request. Every block of a request is a key; the request counts once as a command.",
		Source: "Megiddo and Modha, ARC: A Self-Tuning, Low Overhead Replacement Cache (FAST 2003), the traces' README",
		Detect: detectArc,
		CutOff: cutOff,
	}
}

func detectArc(head []byte, s request.Select) request.Detection {
	cut := splitter{dialect: dialect{delimiter: ' '}}
	before := uint64(0)
	d := judge(sampled(head), "not a first block, a number of blocks, a 0 and the number of the request", func(line []byte) bool {
		_ = cut.cut(line, false)
		c := cut.cells
		if len(c) != 4 || !whole(c[0]) || !whole(c[1]) || string(c[2]) != "0" || !whole(c[3]) {
			return false
		}
		n, _ := readCount(c[1])
		number, _ := readCount(c[3])
		fits := 1 <= n && n <= maxBlocks && number >= before
		before = number
		return fits
	})
	if s.Key != "" || s.Time != "" || s.Op != "" || s.Size != "" || s.Weight != "" || s.Partition != "" ||
		s.Tenant != "" || s.Client != "" {
		d.Reason = "the columns of an ARC trace cannot be chosen; --input-format csv reads it as a table"
		return d
	}
	d.Mapping = []request.Mapped{{Field: "key", From: "each block from column 1, as many as column 2 says"}}
	d.New = func() request.Decoder {
		return &arcDecoder{cut: splitter{dialect: cut.dialect}, batch: readBatch(0)}
	}
	return d
}

type arcDecoder struct {
	cut   splitter
	batch *request.Batch
	key   []byte
}

// Decode counts every line of the block in t and hands the blocks that it touches to sink.
func (d *arcDecoder) Decode(b request.Block, sink request.Sink, t *request.Tally) {
	before := t.Requests
	for at := 0; at < len(b.Data); {
		line := b.Data[at:]
		line = line[:request.LineLen(line)]
		t.Lines++
		switch reason := d.line(request.TrimEnd(line), b.Offset+int64(at), sink); {
		case reason == "":
			t.Requests++
		case len(bytes.TrimSpace(line)) == 0:
			t.Skip(reasonBlank, true)
		case b.Dropped > 0:
			t.Skip(reasonLong, false)
		case b.Last && !request.Ended(line):
			t.Skip(cutOff, false)
		default:
			t.Skip(reason, false)
		}
		at += len(line)
	}
	if t.Requests > before {
		t.Note(noteNoOperation, t.Requests-before)
	}
	d.flush(sink)
}

func (d *arcDecoder) line(line []byte, offset int64, sink request.Sink) request.Reason {
	_ = d.cut.cut(line, false)
	c := d.cut.cells
	if len(c) != 4 || !whole(c[0]) || !whole(c[1]) || !whole(c[2]) || !whole(c[3]) {
		return reasonArc
	}
	start, _ := readCount(c[0])
	n, _ := readCount(c[1])
	if n > maxBlocks || start > math.MaxUint64-n {
		return reasonBlocks
	}
	row := request.Row{Flags: request.BeginsCommand, Op: request.Read, Offset: offset}
	if n == 0 {
		row.Flags |= request.NoKey
		d.add(row, sink)
	}
	for i := range n {
		d.key = strconv.AppendUint(d.key[:0], start+i, 10)
		row.Key = d.key
		d.add(row, sink)
		row.Flags = 0
	}
	return ""
}

func (d *arcDecoder) add(row request.Row, sink request.Sink) {
	d.batch.Append(&row)
	if d.batch.Len() == batchRows {
		d.flush(sink)
	}
}

func (d *arcDecoder) flush(sink request.Sink) {
	if d.batch.Len() > 0 {
		sink.Add(d.batch)
		d.batch.Reset()
	}
}
