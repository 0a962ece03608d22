package accesslog

import (
	"bytes"
	"testing"
	"time"

	"keyskew/ingest/request"
	"keyskew/ingest/request/requesttest"
)

// row is a row as samples state it.
type row struct {
	Key       string
	NoKey     bool
	Command   string
	Op        request.Op
	Size      uint64
	Time      string
	Status    uint16
	Latency   time.Duration
	Cache     request.CacheResult
	Partition string
	Tenant    string
}

func stated(x requesttest.Row) row {
	out := row{
		Key: x.Key, NoKey: !x.HasKey(), Command: x.Command, Op: x.Op, Size: x.Size, Status: x.Status,
		Latency: time.Duration(x.Latency), Cache: x.Cache, Partition: x.Partition, Tenant: x.Tenant,
	}
	if x.Time != 0 {
		out.Time = time.Unix(0, x.Time).UTC().Format(time.RFC3339Nano)
	}
	return out
}

// best is the format that is detected, as a reader of inputs would choose it.
func best(head []byte, s request.Select) (request.Format, request.Detection) {
	var f request.Format
	var d request.Detection
	for _, one := range Formats() {
		found := one.Detect(head, s)
		if found.New != nil && found.Matched > 0 && found.Share() > d.Share() {
			f, d = one, found
		}
	}
	return f, d
}

// readAll decodes a whole log in one block. Every request is one row.
func readAll(t testing.TB, d request.Detection, data []byte) (*requesttest.Rows, *request.Tally) {
	t.Helper()
	got, tally := requesttest.Decode(t, d.New(), request.Block{Data: data, Last: true})
	if n := int64(len(got.List)); n != tally.Requests || n != got.Commands() {
		t.Errorf("%d rows, %d commands, %d requests", n, got.Commands(), tally.Requests)
	}
	return got, tally
}

// head is what detection gets to see.
func head(data []byte) []byte {
	const size = 64 << 10
	if len(data) <= size {
		return data
	}
	return data[:bytes.LastIndexByte(data[:size], '\n')+1]
}
