package names

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"keyskew/ingest/request"
)

func TestLabels(t *testing.T) {
	l := NewLabels(4, 3, "")
	var got []uint32
	for _, name := range []string{"a", "", "b", "a", "long", "lon", "c", "d", "c", "b", Others} {
		got = append(got, l.Of([]byte(name)))
	}
	// The last one is cut to "(ot", which is new.
	if want := []uint32{1, 0, 2, 1, 3, 3, 4, 4, 4, 2, 4}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if want := []string{"", "a", "b", "lon", Others}; !slices.Equal(l.List, want) {
		t.Errorf("got %q, want %q", l.List, want)
	}
}

func TestOperations(t *testing.T) {
	o := NewOperations("READ", request.TraceOp)
	for _, c := range []struct {
		name string
		want Operation
	}{
		{"get", Operation{1, request.Read, 0, ""}},
		{" GET ", Operation{1, request.Read, 0, ""}},
		{"read", Operation{0, request.Read, 0, ""}},
		{"Put", Operation{2, request.Write, request.Overwrite, ""}},
		{"\x1b", Operation{3, request.Other, 0, `unknown operation \X1B: it counts neither as a read nor as a write`}},
	} {
		for range 2 {
			if got := o.Of([]byte(c.name)); got != c.want {
				t.Errorf("%q: got %+v, want %+v", c.name, got, c.want)
			}
		}
	}
	for i := range 3 * maxOperations {
		o.Of(fmt.Appendf(nil, "op%d", i))
	}
	if len(o.List) != maxOperations+1 || len(o.by) > 2*maxOperations || o.Of([]byte("yet another")).ID != maxOperations {
		t.Errorf("%d operations", len(o.List))
	}
	o = NewOperations("READ", request.TraceOp)
	if o.Of(bytes.Repeat([]byte("x"), 999)); len(o.List[1]) != maxName {
		t.Errorf("a name of %d bytes", len(o.List[1]))
	}
}
