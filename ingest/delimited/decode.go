package delimited

import (
	"bytes"
	"fmt"
	"strconv"

	"keyskew/ingest/names"
	"keyskew/ingest/request"
)

const (
	reasonTime   request.Reason = "the time cannot be read"
	reasonWeight request.Reason = "the weight is not a whole number"
	reasonZero   request.Reason = "weight 0"
	reasonLong   request.Reason = "line longer than 4 MiB"
	reasonLost   request.Reason = "behind a header that lacks columns of the first one"

	noteSize = "size that is not a number: counted as 0"
)

// layout is all that a decoder has to know about a table.
type layout struct {
	dialect
	columns
	clock clock
	// header is the header line as it stands, which is skipped wherever it is; nil without one.
	header []byte
	// comments says that lines which begin with # say nothing.
	comments bool
	// sectors says that sizes are in sectors.
	sectors bool
	// marks says that a line with nothing but * marks a phase of the trace.
	marks bool
	// relay reads a later header that says otherwise; nil where headers do not change. It returns false
	// for a header with which the rows lack what the first one had.
	relay func(header []byte) (layout, bool)
	// words are operations with a meaning of their own in this trace.
	words map[string]request.Op
	// reads says that the requests of a table without operations are known to be reads, so that this needs
	// no remark.
	reads bool
}

// optional are the columns of a batch that the table fills.
func (l *layout) optional() (c request.Columns) {
	for r, column := range map[role]request.Columns{
		timeRole: request.TimeColumn, weightRole: request.WeightColumn, clientRole: request.ClientColumn,
		statusRole: request.StatusColumn, latencyRole: request.LatencyColumn, cacheRole: request.CacheColumn,
		ttlRole: request.TTLColumn, partitionRole: request.PartitionColumn, tenantRole: request.TenantColumn,
	} {
		if l.at[r] != none {
			c |= column
		}
	}
	if l.relay != nil {
		// A later header may bring them.
		c |= request.WeightColumn | request.CacheColumn | request.TTLColumn | request.PartitionColumn | request.TenantColumn
	}
	return c
}

// decoder reads rows. It holds storage, and numbers for names, which mean the same whatever came before.
type decoder struct {
	layout
	splitter splitter
	first    layout // the layout of the input's head
	lost     bool   // the latest header lacks columns of the first
	ttlUnit  int64
	latency  int64

	current    request.Row // columns that the table lacks keep what use set
	batch      *request.Batch
	operations *names.Operations
	partitions *names.Labels
	tenants    *names.Labels
	key        []byte                 // keys of several columns, and long ones
	stamp      []byte                 // date and time of two columns
	ragged     map[int]request.Reason // by number of columns

	// Of the block at hand.
	sink   request.Sink
	tally  *request.Tally
	counts struct{ requests, oddSizes int64 }
}

func newDecoder(l layout) *decoder {
	d := &decoder{
		first:      l,
		batch:      request.NewBatch(batchRows, l.optional()),
		operations: newOperations(l.words),
		partitions: newLabels(),
		tenants:    newLabels(),
		ragged:     map[int]request.Reason{},
	}
	d.use(l)
	return d
}

// use takes over a layout.
func (d *decoder) use(l layout) {
	d.layout, d.splitter.dialect, d.lost = l, l.dialect, false
	d.current = request.Row{Flags: request.BeginsCommand, Op: request.Read, Weight: 1, TTL: -1, Latency: -1}
	d.ttlUnit, d.latency = 1000, 1
	if l.names == nil {
		return
	}
	if i := l.at[ttlRole]; i != none {
		d.ttlUnit = max(1, ttlUnits[plain(l.names[i])])
	}
	if i := l.at[latencyRole]; i != none {
		d.latency = max(1, latencyUnits[plain(l.names[i])])
	}
}

// Decode counts every line of the block in t and hands its requests to sink.
func (d *decoder) Decode(b request.Block, sink request.Sink, t *request.Tally) {
	d.sink, d.tally = sink, t
	d.counts.requests, d.counts.oddSizes = 0, 0
	if d.relay != nil {
		d.use(d.first)
		if b.Header != nil {
			d.changeHeader(request.TrimEnd(b.Header))
		}
	}
	quotes := bytes.IndexByte(b.Data, '"') >= 0
	for at := 0; at < len(b.Data); {
		line := b.Data[at:]
		line = line[:request.LineLen(line)]
		t.Lines++
		if reason, benign := d.line(request.TrimEnd(line), b.Offset+int64(at), quotes); reason != "" {
			switch {
			case b.Dropped > 0:
				reason, benign = reasonLong, false
			case b.Last && !request.Ended(line) && !benign:
				reason = cutOff
			}
			t.Skip(reason, benign)
		}
		at += len(line)
	}
	t.Requests += d.counts.requests
	if d.counts.requests > 0 && d.at[opRole] == none && !d.reads {
		t.Note(noteNoOperation, d.counts.requests)
	}
	if d.counts.oddSizes > 0 {
		t.Note(noteSize, d.counts.oddSizes)
	}
	d.flush()
	d.sink, d.tally = nil, nil
}

// line turns one line into a row, or says why not, and whether that is no damage.
func (d *decoder) line(line []byte, offset int64, quotes bool) (reason request.Reason, benign bool) {
	if d.isHeader(line) {
		return reasonHeader, true
	}
	if d.relay != nil && d.changeHeader(line) {
		return reasonHeader, true
	}
	if d.lost {
		return reasonLost, false
	}
	if d.comments && len(line) > 0 && line[0] == '#' {
		return reasonComment, true
	}
	if reason := d.splitter.cut(line, quotes); reason != "" {
		return reason, false
	}
	if cells := d.splitter.cells; len(cells) != d.n || d.n == 1 {
		switch {
		case len(bytes.TrimSpace(line)) == 0:
			return reasonBlank, true
		case d.marks && string(bytes.TrimSpace(line)) == "*":
			return reasonMark, true
		case len(cells) != d.n:
			return d.raggedReason(len(cells)), false
		}
	}
	return d.row(offset)
}

// isHeader says that a line is the header, perhaps behind the byte order mark of a file that was joined on.
func (d *decoder) isHeader(line []byte) bool {
	if d.header == nil || len(line) != len(d.header) && len(line) != len(d.header)+len(bom) {
		return false
	}
	return bytes.Equal(trimBOM(line), d.header)
}

// changeHeader takes over a later header; false when the line is none.
func (d *decoder) changeHeader(line []byte) bool {
	if d.isHeader(line) {
		return true
	}
	l, ok := d.relay(line)
	if l.header == nil {
		return false
	}
	if !ok {
		d.lost, d.header = true, nil
		return true
	}
	relay := d.relay
	d.use(l)
	d.relay = relay
	return true
}

// raggedReason names the number of columns of a row that has too many or too few.
func (d *decoder) raggedReason(n int) request.Reason {
	n = min(n, maxColumns+1)
	reason, ok := d.ragged[n]
	if !ok {
		many := strconv.Itoa(n)
		if n > maxColumns {
			many = "more than " + strconv.Itoa(maxColumns)
		}
		reason = request.Reason(fmt.Sprintf("%s columns instead of %d", many, d.n))
		d.ragged[n] = reason
	}
	return reason
}

// covers says that a layout has every column that another one has.
func (l *layout) covers(other layout) bool {
	for r := range l.at {
		if l.at[r] == none && other.at[r] != none {
			return false
		}
	}
	return true
}
