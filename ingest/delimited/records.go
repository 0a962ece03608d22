package delimited

import (
	"encoding/binary"
	"math"
	"strconv"
	"time"

	"keyskew/ingest/request"
)

const (
	oracleSize  = 24
	cache2kSize = 4
)

func oracleGeneralFormat() request.Format {
	return request.Format{
		ID:    "oraclegeneral",
		Title: "libCacheSim oracleGeneral trace",
		Text: "Packed little-endian records of 24 bytes: time in seconds (u32), object (u64), size in bytes " +
			"(u32), and the number of the object's next request (i64, -1 for none). Nothing marks such a " +
			"file: it is known by times that do not fall and by numbers that point ahead.",
		Source:     "1a1a11a/libCacheSim, oracleGeneralBin.h",
		Detect:     detectOracle,
		RecordSize: oracleSize,
		CutOff:     cutOff,
	}
}

// detectOracle judges the whole records of the head. What tells is the number of the next request: it is
// larger than the record's own, and where it points into the head the same object stands.
func detectOracle(head []byte, _ request.Select) request.Detection {
	n := min(len(head)/oracleSize, sampleLines)
	d := request.Detection{Lines: n, Framing: "records of 24 bytes"}
	before := uint32(0)
	for i := range n {
		r := head[i*oracleSize:]
		at := binary.LittleEndian.Uint32(r)
		object := binary.LittleEndian.Uint64(r[4:])
		next := int64(binary.LittleEndian.Uint64(r[16:]))
		fits := at >= before && (next == -1 || next == math.MaxInt64 || next > int64(i) && next < 1<<40)
		// Numbers begin with 0 or with 1.
		if fits && next > 0 && next < int64(n) {
			a := binary.LittleEndian.Uint64(head[next*oracleSize+4:])
			b := binary.LittleEndian.Uint64(head[(next-1)*oracleSize+4:])
			fits = a == object || b == object
		}
		before = at
		switch {
		case fits:
			d.Matched++
		case d.FirstBad == 0:
			firstBad(&d, numbered{r[:oracleSize], i + 1}, "the time falls, or the next request is not that of the same object")
		}
	}
	if d.Share() < enough {
		d.Matched = 0 // any binary file has some such records
	}
	words := "relative seconds"
	if before >= 1e9 {
		words = "Unix seconds"
	}
	d.Mapping = []request.Mapped{
		{Field: "key", From: "object"}, {Field: "time", From: "time (" + words + ")"}, {Field: "size", From: "size"},
	}
	d.New = func() request.Decoder {
		return &recordDecoder{size: oracleSize, batch: readBatch(request.TimeColumn)}
	}
	return d
}

func cache2kFormat() request.Format {
	return request.Format{
		ID:    "cache2k",
		Title: "cache2k trace",
		Text: "Packed big-endian numbers of 4 bytes with sign, one key each. Nothing marks such a file: only " +
			"traces whose keys are numbered in the order of their first use are recognized, others need " +
			"--input-format cache2k.",
		Source:     "ben-manes/caffeine, Cache2kTraceReader.java",
		Detect:     detectCache2k,
		RecordSize: cache2kSize,
		CutOff:     cutOff,
	}
}

func detectCache2k(head []byte, _ request.Select) request.Detection {
	n := min(len(head)/cache2kSize, sampleLines)
	d := request.Detection{Lines: n, Framing: "records of 4 bytes"}
	most := int64(-1)
	for i := range n {
		r := head[i*cache2kSize : (i+1)*cache2kSize]
		key := int64(int32(binary.BigEndian.Uint32(r)))
		if 0 <= key && key <= most+1 {
			d.Matched++
			most = max(most, key)
		} else if d.FirstBad == 0 {
			firstBad(&d, numbered{r, i + 1}, "keys are not numbered in the order of their first use")
		}
	}
	if most < 1 || d.Share() < enough {
		d.Matched = 0 // any file of zeros
	}
	d.Mapping = []request.Mapped{{Field: "key", From: "number"}}
	d.New = func() request.Decoder {
		return &recordDecoder{size: cache2kSize, batch: readBatch(0)}
	}
	return d
}

// recordDecoder reads packed records of one of the two kinds. A key is its number in decimal digits.
type recordDecoder struct {
	size  int
	batch *request.Batch
	key   []byte
}

// Decode counts every record of the block in t and hands it to sink.
func (d *recordDecoder) Decode(b request.Block, sink request.Sink, t *request.Tally) {
	n := len(b.Data) / d.size
	for i := range n {
		t.Lines++
		t.Requests++
		r := b.Data[i*d.size : (i+1)*d.size]
		row := request.Row{Flags: request.BeginsCommand, Op: request.Read, Offset: b.Offset + int64(i*d.size)}
		if d.size == oracleSize {
			d.key = strconv.AppendUint(d.key[:0], binary.LittleEndian.Uint64(r[4:]), 10)
			row.Time = int64(binary.LittleEndian.Uint32(r)) * int64(time.Second)
			row.Size = uint64(binary.LittleEndian.Uint32(r[12:]))
			t.Saw(row.Time)
		} else {
			d.key = strconv.AppendInt(d.key[:0], int64(int32(binary.BigEndian.Uint32(r))), 10)
		}
		row.Key = d.key
		d.batch.Append(&row)
		if d.batch.Len() == batchRows || i == n-1 {
			sink.Add(d.batch)
			d.batch.Reset()
		}
	}
	if n > 0 {
		t.Note(noteNoOperation, int64(n))
	}
	if len(b.Data)%d.size != 0 {
		t.Lines++
		t.Skip(cutOff, false)
	}
}
