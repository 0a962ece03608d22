package accesslog

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"keyskew/ingest/request"
)

// row is one row of a batch, copied out and with its names.
type row struct {
	Key       string
	NoKey     bool
	Command   string
	Op        request.Op
	Algebra   request.Algebra
	Offset    int64
	Size      uint64
	Time      string
	Client    uint64
	Status    uint16
	Latency   time.Duration
	Cache     request.CacheResult
	Partition string
	Tenant    string
}

// rows is a sink that copies.
type rows struct {
	t    testing.TB
	list []row
}

func (r *rows) Add(b *request.Batch) {
	for i := range b.Len() {
		key := b.Key(i)
		if len(key) > request.MaxKey {
			r.t.Errorf("a key of %d bytes", len(key))
		}
		x := row{
			Key: string(key), NoKey: b.Flags[i]&request.NoKey != 0, Command: b.Names[b.Command[i]], Op: b.Op[i],
			Algebra: b.Algebra[i], Offset: b.Offset[i], Size: b.Size[i],
			Client: at(b.Client, i), Status: at(b.Status, i), Latency: -1, Cache: at(b.Cache, i),
		}
		if b.Flags[i]&request.BeginsCommand == 0 {
			r.t.Errorf("key %q: does not begin a command", key)
		}
		if !x.NoKey && b.Hash[i] != request.Hash(key) {
			r.t.Errorf("key %q: not its hash", key)
		}
		if b.Time != nil {
			x.Time = time.Unix(0, b.Time[i]).UTC().Format(time.RFC3339Nano)
		}
		if b.Latency != nil {
			x.Latency = time.Duration(b.Latency[i])
		}
		if b.Partition != nil {
			x.Partition = b.PartitionNames[b.Partition[i]]
		}
		if b.Tenant != nil {
			x.Tenant = b.TenantNames[b.Tenant[i]]
		}
		r.list = append(r.list, x)
	}
}

func at[T any](column []T, i int) (v T) {
	if column != nil {
		v = column[i]
	}
	return v
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

// readAll decodes a whole log in one block, twice with the same decoder.
func readAll(t testing.TB, d request.Detection, data []byte) (*rows, *request.Tally) {
	t.Helper()
	decoder := d.New()
	var got [2]*rows
	var tally [2]*request.Tally
	for i := range 2 {
		got[i], tally[i] = &rows{t: t}, &request.Tally{}
		decoder.Decode(request.Block{Data: data, Last: true}, got[i], tally[i])
	}
	if !slices.Equal(got[0].list, got[1].list) || fmt.Sprint(tally[0]) != fmt.Sprint(tally[1]) {
		t.Error("a second run of the same decoder differs")
	}
	all, _ := tally[0].Skipped()
	if tally[0].Lines != tally[0].Requests+all || int(tally[0].Requests) != len(got[0].list) {
		t.Errorf("%d lines, %d requests, %d skipped, %d rows", tally[0].Lines, tally[0].Requests, all, len(got[0].list))
	}
	return got[0], tally[0]
}

// load reads a file, unpacked.
func load(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if data, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	return data
}

// head is what detection gets to see.
func head(data []byte) []byte {
	const size = 64 << 10
	if len(data) <= size {
		return data
	}
	return data[:bytes.LastIndexByte(data[:size], '\n')+1]
}
