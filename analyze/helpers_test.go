package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"keyskew/ingest/request"
)

// row is one request of a test.
type row struct {
	key     string
	at      int64 // ns; untimed inputs ignore it
	offset  int64
	op      request.Op
	command uint16
	noKey   bool
	inner   bool // does not begin a command
	size    uint64
	client  uint64
}

var testNames = []string{"?", "GET", "SET", "INCR", "BLPOP", "PING", "HGET", "HSET", "DEL", "EXPIRE"}

// config is a small configuration.
func config() Config { return Config{Window: time.Second, KeyBudget: MinKeyBudget} }

// batchOf makes a batch of rows.
func batchOf(rows []row, timed bool) *request.Batch {
	columns := request.ClientColumn
	if timed {
		columns |= request.TimeColumn
	}
	b := request.NewBatch(len(rows), columns)
	b.Names = testNames
	for _, r := range rows {
		var flags request.Flags
		if !r.inner {
			flags |= request.BeginsCommand
		}
		if r.noKey {
			flags |= request.NoKey
		}
		b.Append(&request.Row{
			Key: []byte(r.key), Flags: flags, Op: r.op, Command: r.command, Algebra: request.Algebra(1) << r.command,
			Offset: r.offset, Size: r.size, Time: r.at, Client: r.client,
		})
	}
	return b
}

// collect counts rows, in chunks of the given sizes (then the rest).
func collect(t testing.TB, c Config, rows []row, timed bool, chunks ...int) *Summary {
	t.Helper()
	return collectOpen(t, c, openRows, rows, timed, chunks...)
}

// collectOpen is collect with another bound on the rows of open seconds.
func collectOpen(t testing.TB, c Config, most uint64, rows []row, timed bool, chunks ...int) *Summary {
	t.Helper()
	col, err := NewCollector(c)
	if err != nil {
		t.Fatal(err)
	}
	col.most = most
	for len(rows) > 0 {
		n := len(rows)
		if len(chunks) > 0 {
			n, chunks = min(n, chunks[0]), chunks[1:]
		}
		sink := col.NewSink(0)
		for part := range slices.Chunk(rows[:n], 7) {
			sink.Add(batchOf(part, timed))
		}
		if err := col.Fold(sink); err != nil {
			t.Fatal(err)
		}
		rows = rows[n:]
	}
	return col.Finish()
}

// dump is the whole state as text in a canonical order: equal states give equal texts.
func dump(s *Summary) string {
	var b strings.Builder
	fmt.Fprintln(&b, s.columns, s.total, s.begun, s.keyless, s.bytes, s.timed, s.fine, s.first, s.last, s.keys.N(), s.keys.Offset())
	byName := map[string]uint64{}
	for i, n := range s.commands {
		byName[s.names[i]] += n
	}
	for _, name := range slices.Sorted(mapKeys(byName)) {
		if byName[name] > 0 {
			fmt.Fprintln(&b, name, byName[name])
		}
	}
	var lines []string
	for e := range s.keys.All() {
		v := s.statsOf(&e)
		sortCommands(v.Commands)
		commands := v.Commands
		v.Commands = nil
		lines = append(lines, fmt.Sprintf("%q %d %d %+v %v", e.Key, e.G, e.Cov, v, commands))
	}
	slices.Sort(lines)
	b.WriteString(strings.Join(lines, "\n"))
	fmt.Fprintf(&b, "\ncountmin %x\ndistinct %x\nclients %x\nsample %x\n", s.countMin.AppendBinary(nil),
		s.distinct.AppendBinary(nil), s.clients.AppendBinary(nil), s.sample.AppendBinary(nil))
	for i, l := range s.slots {
		if l != (load{}) {
			fmt.Fprintln(&b, "slot", i, l)
		}
	}
	if s.config.Layout != nil {
		fmt.Fprintln(&b, s.config.Layout.ID(), s.parts)
		for _, d := range s.partKeys {
			fmt.Fprintf(&b, "%x\n", d.AppendBinary(nil))
		}
	}
	for _, w := range []*series{s.windows, s.blocks} {
		fmt.Fprintln(&b, "series", w.width())
		for _, at := range w.at() {
			dumpCell(&b, w, fmt.Sprint(at), w.cells[at])
		}
	}
	return b.String()
}

func dumpCell(b *strings.Builder, w *series, name string, c *cell) {
	fmt.Fprintln(b, name, c.first, c.last, c.total, c.parts, c.cut)
	list := slices.Clone(c.list)
	slices.SortFunc(list, func(x, y item) int { return cmp.Compare(w.names.text(x.key), w.names.text(y.key)) })
	for _, it := range list {
		fmt.Fprintf(b, " %q %d %d %d %d %d\n", w.names.text(it.key), it.Requests, it.Reads, it.Writes, it.Work, it.own)
	}
	if c.busyTotal != nil {
		dumpCell(b, w, fmt.Sprint(" busiest ", c.busyTotal.at), &c.busyTotal.cell)
		dumpCell(b, w, fmt.Sprint(" busiest key ", c.busyKey.at), &c.busyKey.cell)
	}
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}
