package monitor

import (
	"path/filepath"
	"slices"
	"testing"

	"keyskew/golden"
	"keyskew/ingest/request"
	"keyskew/ingest/request/requesttest"
)

// apart returns the rows without their offsets, which depend on the framing.
func apart(r *requesttest.Rows) []requesttest.Row {
	out := slices.Clone(r.List)
	for i := range out {
		out[i].Offset = 0
	}
	return out
}

func decode(t testing.TB, o Options, b request.Block) (*requesttest.Rows, *request.Tally) {
	t.Helper()
	return requesttest.Decode(t, New(o), b)
}

func decodeString(t testing.TB, text string) (*requesttest.Rows, *request.Tally) {
	t.Helper()
	return decode(t, Options{}, request.Block{Data: []byte(text), Last: true})
}

func sample(t testing.TB, name string) []byte {
	t.Helper()
	return requesttest.File(t, filepath.Join(golden.Root(), "testdata", "monitor", name))
}

const at = "1796072448.302647 [0 127.0.0.1:47940] "
