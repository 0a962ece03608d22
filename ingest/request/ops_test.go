package request

import (
	"strings"
	"testing"
)

func TestTraceOp(t *testing.T) {
	for name, want := range map[string]struct {
		op      Op
		algebra Algebra
		ok      bool
	}{
		"get": {Read, 0, true}, "GETS": {Read, 0, true}, "Set": {Write, Overwrite, true}, "INCR": {Write, Sum, true},
		"delete": {Write, Delete, true}, "zrevrangebyscore": {Read, 0, true}, "SET_LEASE": {Write, Overwrite, true},
		"GetItem": {Read, 0, true}, "put_object": {Write, 0, true}, "getChunkData.Permanent": {Read, 0, true},
		"BatchGetItem": {Read, 0, true}, "batch_write_item": {Write, 0, true}, "REST.GET.OBJECT": {Read, 0, true},
		"deleteEverythingThatIsOlderThanAYear": {Write, 0, true},
		"":                                     {}, "getter": {}, "batch": {}, "frobnicate": {}, "describe": {}, "get\x00": {}, "_": {}, "batch_": {},
		strings.Repeat("get", 100): {}, strings.Repeat("_", 100): {},
	} {
		if op, a, ok := TraceOp([]byte(name)); op != want.op || a != want.algebra || ok != want.ok {
			t.Errorf("%q: %v, %v, %v, want %+v", name, op, a.Tags(), ok, want)
		}
	}
	for _, table := range []map[string]meaning{operations, firstWords} {
		for name := range table {
			if len(name) > longestName || name != strings.ToLower(name) {
				t.Errorf("%q cannot be found", name)
			}
		}
	}
	names := [][]byte{[]byte("GET"), []byte("BatchGetItem"), []byte("frobnicate")}
	if n := testing.AllocsPerRun(10, func() {
		for _, name := range names {
			TraceOp(name)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestMethods(t *testing.T) {
	for i, name := range MethodNames() {
		if got := MethodNumber([]byte(name)); got != i {
			t.Errorf("%s has number %d, want %d", name, got, i)
		}
	}
	for name, want := range map[string]meaning{
		"GET": {Read, 0}, "POST": {Write, 0}, "PUT": {Write, Overwrite}, "DELETE": {Write, Delete},
		"PURGE": {}, "get": {}, "": {}, "FOO": {},
	} {
		if op, a := MethodOp(MethodNumber([]byte(name))); op != want.op || a != want.algebra {
			t.Errorf("%q: %v, %v", name, op, a.Tags())
		}
	}
}
