package delimited

import (
	"bytes"
	"io"
	"testing"

	"keyskew/golden"
	"keyskew/ingest/request"
)

func rewritten(t testing.TB, f request.Format, text []byte) []byte {
	t.Helper()
	out, err := io.ReadAll(f.Rewrite(bytes.NewReader(text)))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// fuzz feeds a decoder made for one head with any other bytes, and with the head itself.
func fuzz(f *testing.F, id string, samples ...string) {
	for _, s := range samples {
		text := sample(f, s)
		f.Add(text[:min(len(text), 600)], text[min(len(text), 600):], "", byte(0))
		f.Add(text[:min(len(text), 100)], []byte("\"\n,,\x00\xff\n1,2"), "2", byte(1))
	}
	for _, text := range golden.CorpusHeads("trace", 2048) {
		f.Add(text, text, "", byte(0))
	}
	f.Fuzz(func(t *testing.T, head, text []byte, key string, flags byte) {
		format := named(t, id)
		s := request.Select{Key: key}
		if flags&1 != 0 {
			s.TimeFormat = "ms"
		}
		if flags&2 != 0 {
			s.Weight = "1"
		}
		d := format.Detect(head, s)
		if d.Matched > d.Lines {
			t.Fatalf("%+v", d)
		}
		if again := format.Detect(head, s); again.Matched != d.Matched || again.Reason != d.Reason {
			t.Fatalf("not the same twice: %+v, %+v", d, again)
		}
		if d.New == nil {
			if d.Reason == "" && d.Lines > 0 {
				t.Fatalf("refused without a reason: %+v", d)
			}
			return
		}
		inBlocks(t, format, d, append(bytes.Clone(head), text...))
	})
}

func FuzzDecodeTwitter(f *testing.F)       { fuzz(f, "twitter", "twitter.csv") }
func FuzzDecodeMSR(f *testing.F)           { fuzz(f, "msr", "msr.csv") }
func FuzzDecodeKVCache(f *testing.F)       { fuzz(f, "kvcache", "kvcache.csv", "kvcache_no_header.csv") }
func FuzzDecodeMetaBlock(f *testing.F)     { fuzz(f, "metablock", "metablock.csv") }
func FuzzDecodeLibCacheSim(f *testing.F)   { fuzz(f, "libcachesim-csv", "libcachesim-csv.csv") }
func FuzzDecodeAddress(f *testing.F)       { fuzz(f, "address", "address.trace") }
func FuzzDecodeARC(f *testing.F)           { fuzz(f, "arc", "arc.lis") }
func FuzzDecodeMultiline(f *testing.F)     { fuzz(f, "csv-multiline", "csv-multiline.csv") }
func FuzzDecodeKeyList(f *testing.F)       { fuzz(f, "keylist", "keylist.txt", "keylist_numbers.txt") }
func FuzzDecodeOracleGeneral(f *testing.F) { fuzz(f, "oraclegeneral", "oraclegeneral.bin") }
func FuzzDecodeCache2k(f *testing.F)       { fuzz(f, "cache2k", "cache2k.bin") }

func FuzzDecodeCSV(f *testing.F) {
	fuzz(f, "csv", "csv.csv", "csv_tabs.tsv", "csv_semicolons.csv", "csv_spaces.tr")
}
