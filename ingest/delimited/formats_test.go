package delimited

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keyskew/golden"
	"keyskew/ingest/request"
	"keyskew/ingest/request/requesttest"
)

func TestFormatsAreDocumented(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Formats() {
		if f.ID == "" || f.Title == "" || f.Text == "" || f.Source == "" || f.CutOff == "" || f.Detect == nil {
			t.Errorf("%q lacks something", f.ID)
		}
		if seen[f.ID] {
			t.Errorf("%q is there twice", f.ID)
		}
		seen[f.ID] = true
		if d := f.Detect(nil, request.Select{}); d.Matched != 0 || d.Lines != 0 {
			t.Errorf("%s: nothing at all: %+v", f.ID, d)
		}
		samples, err := filepath.Glob(filepath.Join(golden.Root(), "testdata", "delimited", f.ID+"*"))
		if err != nil || len(samples) == 0 {
			t.Errorf("%s has no sample (%v)", f.ID, err)
		}
	}
}

func sample(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(golden.Root(), "testdata", "delimited", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Every sample is recognized and read whole; the counts were made with awk and od.
func TestSamples(t *testing.T) {
	for _, c := range []struct {
		file, format string
		requests     int64
		top          string
	}{
		{"twitter.csv", "twitter", 120, ""},
		{"kvcache.csv", "kvcache", 100, "hot:one"},
		{"kvcache_no_header.csv", "kvcache", 60, ""},
		{"metablock.csv", "metablock", 60, ""},
		{"libcachesim-csv.csv", "libcachesim-csv", 60, ""},
		{"msr.csv", "msr", 60, ""},
		{"alibaba-block.csv", "alibaba-block", 60, "400\x1f8192"},
		{"tencent-block.csv", "tencent-block", 60, "1060\x1f4096"},
		{"address.trace", "address", 80, ""},
		{"arc.lis", "arc", 60, ""},
		{"csv.csv", "csv", 100, ""},
		{"csv_tabs.tsv", "csv", 60, ""},
		{"csv_semicolons.csv", "csv", 80, ""},
		{"csv_spaces.tr", "csv", 80, ""},
		{"csv-multiline.csv", "csv-multiline", 50, ""},
		{"keylist.txt", "keylist", 100, ""},
		{"keylist_numbers.txt", "keylist", 99, ""},
		{"oraclegeneral.bin", "oraclegeneral", 100, ""},
		{"cache2k.bin", "cache2k", 200, ""},
	} {
		t.Run(c.file, func(t *testing.T) {
			text := sample(t, c.file)
			f, d := choose(text, request.Select{})
			if f.ID != c.format {
				t.Fatalf("detected %q: %+v", f.ID, d)
			}
			// Nothing may hold on to the head that was judged.
			head := bytes.Clone(text)
			d = f.Detect(head, request.Select{})
			clear(head)
			r, tally := decodeAs(t, f, d, text)
			requesttest.Same(t, "requests", tally.Requests, c.requests)
			if _, bad := tally.Skipped(); bad != 0 {
				t.Errorf("bad lines: %+v", tally.Skips)
			}
			if _, _, top := r.Top(1, requesttest.ByKey); c.top != "" && !strings.HasPrefix(top[0], c.top+" ") {
				t.Errorf("top: %v", top)
			}
			inBlocks(t, f, d, text)
		})
	}
}

// inBlocks checks that an input means the same however it is cut into blocks, and whichever decoder
// reads which.
func inBlocks(t testing.TB, f request.Format, d request.Detection, text []byte) {
	t.Helper()
	if f.Rewrite != nil {
		text = rewritten(t, f, text)
	}
	for _, lines := range []int{1, 7} {
		n := 0
		err := requesttest.InBlocks(t, f, d.New, text, func() bool {
			n++
			return n%lines != 0
		})
		if err != nil {
			t.Fatalf("blocks of %d lines: %v", lines, err)
		}
	}
}

// The header of a CacheLib trace governs until the next one; one that lacks a column that the first has
// makes its rows unreadable instead of wrong.
func TestChangingHeaders(t *testing.T) {
	text := "op_time,key,op,op_count,size\n1,a,GET,3,10\n" +
		"size,op_count,op,key,op_time\n11,4,SET,b,2\n" +
		"key,op,op_count,size,op_time,usecase\nc,GET,5,12,3,u\n" +
		"key,op,op_count,size\nd,GET,1,1\n" +
		"op_time,key,op,op_count,size\n4,e,GET,6,13\n"
	r, tally, d := detected(t, text, request.Select{}, "kvcache")
	var got []string
	for _, x := range r.List {
		got = append(got, fmt.Sprintln(x.Key, x.Weight, x.Size, x.Time/1e9, x.Command, x.Tenant))
	}
	requesttest.Same(t, "rows", got, []string{"a 3 10 1 GET \n", "b 4 11 2 SET \n", "c 5 12 3 GET u\n", "e 6 13 4 GET \n"})
	requesttest.Same(t, "skips", requesttest.Skips(tally), map[request.Reason]int64{reasonHeader: 5, reasonLost: 1})
	inBlocks(t, named(t, "kvcache"), d, []byte(text))
}

// Ordinary rows are decoded into storage that is used again.
func TestNoAllocations(t *testing.T) {
	for name, text := range map[string]string{
		"csv":       loadHeader + load(2000),
		"quoted":    loadHeader + strings.ReplaceAll(load(2000), ",GET,", `,"GET",`),
		"ragged":    loadHeader + load(2000) + strings.Repeat("a,b\n\n", 50),
		"zone":      "key,time\n" + strings.Repeat("k,2026-11-30T10:00:00+01:00\n", 500),
		"kvcache":   string(sample(t, "kvcache_no_header.csv")),
		"metablock": string(sample(t, "metablock.csv")),
		"twitter":   string(sample(t, "twitter.csv")),
		"address":   string(sample(t, "address.trace")),
		"arc":       string(sample(t, "arc.lis")),
		"spaces":    string(sample(t, "csv_spaces.tr")),
		"keylist":   string(sample(t, "keylist.txt")) + strings.Repeat("l", 5000) + "\n",
		"oracle":    string(sample(t, "oraclegeneral.bin")),
		"cache2k":   string(sample(t, "cache2k.bin")),
	} {
		f, d := choose([]byte(text), request.Select{})
		if d.New == nil {
			t.Fatalf("%s: %q %s", name, f.ID, d.Reason)
		}
		decoder, sink, tally, data := d.New(), &nowhere{}, &request.Tally{}, []byte(text)
		decode := func() { decoder.Decode(request.Block{Data: data}, sink, tally) }
		decode()
		if n := testing.AllocsPerRun(5, decode); n != 0 {
			t.Errorf("%s: %v allocations for a block", name, n)
		}
	}
}

// What one decoder remembers is not seen by another.
func TestDecodersShareNothing(t *testing.T) {
	var b strings.Builder
	b.WriteString("key,time,op,tenant\n")
	for i := range 200 {
		fmt.Fprintf(&b, "k%d,30/Nov/2026:10:00:%02d +0100,op%d,t%d\n", i%7, i/3%60, i%11, i%13)
	}
	f, d := choose([]byte(b.String()), request.Select{})
	requesttest.Same(t, "time", mapped(d)["time"], "time (date as in access logs)")
	inBlocks(t, f, d, []byte(b.String()))
}
