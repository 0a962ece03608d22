package delimited

import (
	"fmt"
	"testing"

	"keyskew/ingest/request"
	"keyskew/ingest/request/requesttest"
)

func TestMSR(t *testing.T) {
	text := "128166385295514663,hm,0,Write,9056014336,2048,2833\n128166385295514878,hm,1,Read,9056014336,512,2617\n"
	r, _, d := detected(t, text, request.Select{}, "msr")
	var got []string
	for _, x := range r.List {
		got = append(got, fmt.Sprintln(x.Key, x.Op, x.Size, x.Time, x.Partition))
	}
	requesttest.Same(t, "rows", got, []string{
		"9056014336 write 2048 1172164929551466300 hm\n", "9056014336 read 512 1172164929551487800 hm\n",
	})
	requesttest.Same(t, "time", mapped(d)["time"], "timestamp (Windows file time)")
	r, _, _ = detected(t, text, request.Select{Key: "hostname,disk_number,offset"}, "msr")
	requesttest.Same(t, "key", r.List[1].Key, "hm\x1f1\x1f9056014336")
	// One that holds something else is a plain table.
	f, _ := choose([]byte("128166385295514663,hm,0,Flush,9056014336,2048,2833\n"), request.Select{})
	if f.ID == "msr" {
		t.Error("a Flush is none of its operations")
	}
}

// An offset is the key of a block trace, but not beside another name for one.
func TestOffsetsAreKeysOnlyAlone(t *testing.T) {
	_, _, d := detected(t, "Timestamp,Response,IOType,LUN,Offset,Size\n1455577200.000056000,0.000247,R,1,1107312640,1024\n"+
		"1455577200.000218000,,W,0,1107312640,512\n", request.Select{}, "csv")
	requesttest.Same(t, "key", mapped(d)["key"], "Offset (assumed: no column has a name that means a key alone)")
	requesttest.Same(t, "op", mapped(d)["op"], "IOType")
	_, _, d = detected(t, "offset,key,time\n1,a,1700000000\n2,b,1700000001\n", request.Select{}, "csv")
	requesttest.Same(t, "key", mapped(d)["key"], "key")
}
