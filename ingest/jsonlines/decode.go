package jsonlines

import (
	"keyskew/ingest/names"
	"keyskew/ingest/request"
	"keyskew/ingest/wrap"
)

// Reasons for lines that are no requests.
const (
	reasonBlank    request.Reason = "blank line"
	reasonOther    request.Reason = "a log line of another kind"
	reasonZero     request.Reason = "weight 0"
	reasonNoObject request.Reason = "not a JSON object"
	reasonBroken   request.Reason = "not valid JSON"
	reasonNoKey    request.Reason = "no key in the record"
	reasonJunk     request.Reason = "no HTTP request line"
	reasonUntimed  request.Reason = "no time that can be read"
	reasonWeight   request.Reason = "the weight is not a whole number"
	reasonCut      request.Reason = "cut off at the end of the input"
)

// benign says whether lines skipped for this reason hold no request by their nature.
func benign(r request.Reason) bool { return r == reasonBlank || r == reasonOther || r == reasonZero }

const (
	// batchRows is how many rows a batch holds when it is handed on.
	batchRows = 1024

	noteRetries     = "upstream retries"
	noteLong        = "line longer than 4 MiB: its tail was not read"
	noteNoOperation = "no operation in the record: it counts as a read"
	noteHex         = `\xHH in a string, which JSON does not have: read as a byte (nginx writes it without escape=json)`
	noteParameter   = "request without the query parameter that is the key"
	noteSize        = "size is not a whole number: counted as 0"
)

// decoder holds storage only: no block changes what the next one means.
type decoder struct {
	*layout
	peeler              wrap.Peeler
	scanner             scanner
	elements            scanner
	operations          *names.Operations
	partitions, tenants *names.Labels
	batch               *request.Batch
	arena               []byte // of one record: values without their escapes, and the like
	joined, longKey     []byte // keys
	outcome             outcome

	// Of the block at hand.
	sink   request.Sink
	tally  *request.Tally
	counts struct{ noOperation, hex, noParameter, retries, oddSizes int64 }
}

func (l *layout) decoder() *decoder {
	d := &decoder{
		layout:     l,
		scanner:    scanner{slots: make([]value, l.slots), hexEscapes: l.spec.http},
		elements:   scanner{hexEscapes: l.spec.http},
		operations: newOperations(l.spec.http),
		partitions: newLabels(),
		tenants:    newLabels(),
		batch:      request.NewBatch(batchRows, l.columns),
	}
	if l.wrapper != "" {
		d.peeler = wrap.New(l.wrapper)
	}
	return d
}

// Decode counts every line of the block in t and hands its requests to sink.
func (d *decoder) Decode(b request.Block, sink request.Sink, t *request.Tally) {
	d.sink, d.tally = sink, t
	for at := 0; at < len(b.Data); {
		line := b.Data[at:]
		line = line[:request.LineLen(line)]
		t.Lines++
		reason := d.line(request.TrimEnd(line), b.Offset+int64(at), b.Dropped > 0)
		switch {
		case reason == "":
			t.Requests++
			if b.Dropped > 0 {
				t.Note(noteLong, 1)
			}
		case b.Last && !request.Ended(line) && reason == reasonBroken && d.outcome == open:
			t.Skip(reasonCut, false)
		default:
			t.Skip(reason, benign(reason))
		}
		at += len(line)
	}
	d.flush()
	for _, n := range []struct {
		text  string
		count *int64
	}{
		{noteNoOperation, &d.counts.noOperation}, {noteHex, &d.counts.hex},
		{noteParameter, &d.counts.noParameter}, {noteRetries, &d.counts.retries}, {noteSize, &d.counts.oddSizes},
	} {
		if *n.count > 0 {
			t.Note(n.text, *n.count)
			*n.count = 0
		}
	}
	d.sink, d.tally = nil, nil
}

// line adds the rows of a line, or returns why it has none.
func (d *decoder) line(line []byte, offset int64, long bool) request.Reason {
	if d.peeler != nil {
		line = d.peeler.Peel(line)
	}
	d.outcome = d.scanner.scan(line, d.plan)
	if d.scanner.hex {
		d.counts.hex++
	}
	switch d.outcome {
	case noObject:
		if space(line, 0) == len(line) {
			return reasonBlank
		}
		return reasonNoObject
	case broken:
		return reasonBroken
	case open:
		if !long {
			return reasonBroken
		}
	}
	return d.record(offset)
}

// record adds the rows of the object at hand.
func (d *decoder) record(offset int64) request.Reason {
	d.arena = d.arena[:0]
	row := request.Row{Flags: request.BeginsCommand, Offset: offset, Weight: 1, Latency: -1, TTL: -1}
	if reason := d.when(&row); reason != "" {
		return reason
	}
	if d.spec.http {
		return d.request(row)
	}
	return d.access(row)
}

// when reads time and weight.
func (d *decoder) when(row *request.Row) request.Reason {
	if d.columns&request.TimeColumn != 0 {
		ok := false
		if b, s := d.first(roleTime); s != nil {
			c := d.clock
			c.exp = s.exp
			row.Time, ok = c.read(b)
		}
		if !ok {
			return d.excuse(reasonUntimed)
		}
	}
	if d.columns&request.WeightColumn != 0 {
		if b, s := d.first(roleWeight); s != nil {
			v, ok := wholeNumber(b)
			if !ok {
				return reasonWeight
			}
			if v == 0 {
				return reasonZero
			}
			row.Weight = v
		}
	}
	return ""
}

// excuse looks closer at an object that is no request: in logs there are some that need not be one.
func (d *decoder) excuse(r request.Reason) request.Reason {
	for _, s := range d.sources[roleTarget] {
		if d.scanner.slots[s.slot].kind != absent {
			return r
		}
	}
	for _, p := range d.key {
		if p.kind == partField && d.scanner.slots[p.slot].kind != absent {
			return r
		}
	}
	for _, slot := range d.logSlots {
		if d.scanner.slots[slot].kind != absent {
			return reasonOther
		}
	}
	return r
}

// access adds the rows of a request for a key, or for each of a list of keys.
func (d *decoder) access(row request.Row) request.Reason {
	op := d.noneSaid()
	if b, s := d.first(roleOp); s != nil {
		op = d.operations.Of(b)
	} else {
		d.counts.noOperation++
	}
	if len(d.key) == 1 {
		if v := d.scanner.slots[d.key[0].slot]; v.kind == array {
			return d.list(row, op, v)
		}
	}
	key, ok := d.join(nil)
	if !ok {
		return d.excuse(reasonNoKey)
	}
	d.fill(&row, op)
	row.Key = key
	d.add(row)
	return ""
}

// list adds a row for each element of a list of keys. The size is shared out.
func (d *decoder) list(row request.Row, op names.Operation, v value) request.Reason {
	s := &d.elements
	s.b = v.raw
	n := uint64(0)
	for i := 1; ; n++ {
		e, end := s.next(i)
		if end < 0 {
			break
		}
		if e.kind != text && e.kind != number && e.kind != boolean {
			return reasonNoKey
		}
		i = end
	}
	d.fill(&row, op)
	if n == 0 {
		row.Flags |= request.NoKey
		d.add(row)
		return ""
	}
	share, rest := row.Size/n, row.Size%n
	for i := 1; ; {
		e, end := s.next(i)
		if end < 0 {
			return ""
		}
		i = end
		row.Size = share + rest
		rest = 0
		row.Key = d.text(e)
		d.add(row)
		row.Flags = 0
	}
}

// next returns the element of an array at or behind i, and where it ends; -1 when there is none. s.b went
// through a scanner.
func (s *scanner) next(i int) (v value, end int) {
	i = space(s.b, i)
	if i < len(s.b) && s.b[i] == ',' {
		i = space(s.b, i+1)
	}
	if i >= len(s.b) || s.b[i] == ']' {
		return value{}, -1
	}
	if end = s.value(i, nil, 0); end < 0 {
		return value{}, -1
	}
	return valueOf(s.b[i:end]), end
}

// add adds a row.
func (d *decoder) add(row request.Row) {
	if row.Flags&request.NoKey == 0 {
		row.Key = d.tally.Keep(row.Key, &d.longKey)
	}
	d.batch.Append(&row)
	if d.batch.Len() == batchRows {
		d.flush()
	}
}

func (d *decoder) flush() {
	if d.batch.Len() == 0 {
		return
	}
	d.batch.Names = d.operations.List
	d.batch.PartitionNames = d.partitions.List
	d.batch.TenantNames = d.tenants.List
	d.sink.Add(d.batch)
	d.batch.Reset()
}

// first returns the first value of a role that is set; s is nil when none is. The bytes live until the
// next record.
func (d *decoder) first(r role) (b []byte, s *source) {
	for i := range d.sources[r] {
		s = &d.sources[r][i]
		if b = d.text(d.scanner.slots[s.slot]); !unset(b) {
			return b, s
		}
	}
	return nil, nil
}

// text returns what a value means as a key or a name; nil for lists and objects and null.
func (d *decoder) text(v value) []byte {
	switch v.kind {
	case text:
		if !v.escaped {
			return v.raw
		}
		start := len(d.arena)
		d.arena = unescape(d.arena, v.raw)
		return d.arena[start:len(d.arena):len(d.arena)]
	case number, boolean:
		return v.raw
	}
	return nil
}
