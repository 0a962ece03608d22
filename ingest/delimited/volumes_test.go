package delimited

import (
	"fmt"
	"strings"
	"testing"

	"keyskew/ingest/request"
	"keyskew/ingest/request/requesttest"
)

func TestAlibabaBlocks(t *testing.T) {
	text := "419,W,8792731648,16384,1577808144360767\n725,R,59110326272,360448,1577808144360813\n419,R,8792731648,4096,1577808144360999\n"
	r, _, d := detected(t, text, request.Select{}, "alibaba-block")
	var got []string
	for _, x := range r.List {
		got = append(got, fmt.Sprintf("%q %v %d %d %s", x.Key, x.Op, x.Size, x.Time, x.Tenant))
	}
	requesttest.Same(t, "rows", got, []string{
		`"419\x1f8792731648" write 16384 1577808144360767000 419`,
		`"725\x1f59110326272" read 360448 1577808144360813000 725`,
		`"419\x1f8792731648" read 4096 1577808144360999000 419`,
	})
	requesttest.Same(t, "time", mapped(d)["time"], "timestamp (Unix microseconds)")
	r, _, _ = detected(t, text, request.Select{Key: "device_id"}, "alibaba-block")
	requesttest.Same(t, "key", r.List[0].Key, "419")
	r, tally, _ := detected(t, "device_id,opcode,offset,length,timestamp\n"+text, request.Select{}, "alibaba-block")
	requesttest.Same(t, "rows behind a header", len(r.List), 3)
	requesttest.Same(t, "header", requesttest.Skips(tally), map[request.Reason]int64{reasonHeader: 1})
	f, _ := choose([]byte(strings.ReplaceAll(text, ",W,", ",X,")), request.Select{})
	if f.ID == "alibaba-block" {
		t.Error("X is none of its operations")
	}
}

func TestTencentBlocks(t *testing.T) {
	var text strings.Builder
	for i := range 12 {
		fmt.Fprintf(&text, "153832320%d,12910952,%d,%d,1063\n", i/6, 8+i, i%2)
	}
	r, _, d := detected(t, text.String(), request.Select{}, "tencent-block")
	requesttest.Same(t, "rows", len(r.List), 12)
	for i, want := range []string{`"1063\x1f12910952" read 4096 1538323200000000000 1063`, `"1063\x1f12910952" write 4608 1538323200000000000 1063`} {
		x := r.List[i]
		requesttest.Same(t, "row", fmt.Sprintf("%q %v %d %d %s", x.Key, x.Op, x.Size, x.Time, x.Tenant), want)
	}
	requesttest.Same(t, "time", mapped(d)["time"], "timestamp (Unix seconds)")
	few, _, _ := detected(t, "Timestamp,Offset,Size,IOType,VolumeID\n1538323200,12910952,8,0,1063\n", request.Select{}, "tencent-block")
	requesttest.Same(t, "op behind a header", few.List[0].Op, request.Read)
	// A table of five numbers may be anything.
	for name, other := range map[string]string{
		"few lines":   "1538323200,12910952,8,0,1063\n1538323200,12910952,8,1,1063\n",
		"no writes":   strings.ReplaceAll(text.String(), ",1,1063", ",0,1063"),
		"other flags": strings.ReplaceAll(text.String(), ",1,1063", ",2,1063"),
		"no times":    strings.ReplaceAll(text.String(), "153832320", "15383232"),
	} {
		if f, _ := choose([]byte(other), request.Select{}); f.ID == "tencent-block" {
			t.Errorf("%s: taken for the trace", name)
		}
	}
	// A size that does not fit in bytes.
	r, tally := decodeAs(t, named(t, "tencent-block"), d, []byte("1538323200,1,99999999999999999,1,7\n"))
	requesttest.Same(t, "size", r.List[0].Size, 0)
	requesttest.Same(t, "notes", requesttest.Notes(tally)[noteSize], 1)
}
