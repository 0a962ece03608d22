package accesslog

import (
	"bytes"

	"keyskew/ingest/names"
	"keyskew/ingest/request"
	"keyskew/ingest/target"
	"keyskew/ingest/timestamp"
	"keyskew/ingest/wrap"
)

// batchRows is how many rows a batch holds when it is handed on.
const batchRows = 1024

const (
	noteRetries = "upstream retries"
	noteLong    = "line longer than 4 MiB: its tail was not read"
)

// decoder holds storage only: no block changes what the next one means.
type decoder struct {
	parser    parser
	headed    headed // parser, if it has headers
	peeler    wrap.Peeler
	key       selector
	partition *selector // nil: the upstream
	tenant    *selector // nil: none
	client    *selector // nil: the client
	// short is set when the rows have a time, a client and a status and nothing else, as those of the
	// commonest formats do.
	short bool

	names, partitions, tenants *names.Labels
	batch                      *request.Batch
	record                     record
	unescaped                  []byte
	upper, longKey             []byte

	// Of the block at hand.
	sink  request.Sink
	tally *request.Tally
}

// Decode counts every line of the block in t and hands its requests to sink.
func (d *decoder) Decode(b request.Block, sink request.Sink, t *request.Tally) {
	d.sink, d.tally = sink, t
	if d.headed != nil {
		d.headed.header(request.TrimEnd(b.Header))
	}
	for at := 0; at < len(b.Data); {
		line := b.Data[at:]
		line = line[:request.LineLen(line)]
		d.tally.Lines++
		reason := d.line(request.TrimEnd(line), b.Offset+int64(at))
		if reason != "" {
			if b.Last && !request.Ended(line) && !benign(reason) {
				reason = reasonCut
			}
			d.tally.Skip(reason, benign(reason))
		} else if b.Dropped > 0 {
			d.tally.Note(noteLong, 1)
		}
		at += len(line)
	}
	d.flush()
	d.sink, d.tally = nil, nil
}

// line adds the row of a line, or returns why it has none.
func (d *decoder) line(line []byte, offset int64) request.Reason {
	if d.peeler != nil {
		line = d.peeler.Peel(line)
	}
	r := &d.record
	r.reset()
	if reason := d.parser.parse(line, r); reason != "" {
		return excuse(line, reason)
	}
	d.tally.Requests++
	if d.batch.Time != nil {
		d.tally.Saw(r.time)
	}
	if r.retries > 0 {
		d.tally.Note(noteRetries, int64(r.retries))
	}
	if r.mark != 0 && bytes.IndexByte(r.target, r.mark) >= 0 {
		d.unescaped = unescape(d.unescaped[:0], r.target, r.mark)
		r.target = d.unescaped
	}
	r.resolve()
	command, op, algebra := d.command(r.method)
	key, ok := d.key.of(r)
	if ok {
		key = d.tally.Keep(key, &d.longKey)
	}
	if d.short && ok {
		class := d.batch.Number(request.Class{Command: command, Flags: request.BeginsCommand, Op: op, Algebra: algebra})
		d.batch.AppendTouch(key, class, r.time, offset, r.size, d.clientOf(r))
		d.batch.Status = append(d.batch.Status, r.status)
	} else {
		d.add(key, ok, request.Row{
			Command: command, Op: op, Algebra: algebra, Offset: offset, Size: r.size, Time: r.time, Weight: 1,
			Status: r.status, Latency: r.latency, Cache: r.cache, TTL: -1,
		}, r)
	}
	if d.batch.Len() == batchRows {
		d.flush()
	}
	return ""
}

// add adds a row of any kind, with its key if it has one.
func (d *decoder) add(key []byte, keyed bool, row request.Row, r *record) {
	row.Flags = request.BeginsCommand
	if keyed {
		row.Key = key
	} else {
		row.Flags |= request.NoKey
	}
	row.Client = d.clientOf(r)
	if d.batch.Partition != nil {
		upstream := r.upstream
		if d.partition != nil {
			upstream, _ = d.partition.of(r)
		}
		if len(upstream) > 0 {
			row.Partition = d.partitions.Of(upstream)
		}
	}
	if d.tenant != nil {
		if tenant, ok := d.tenant.of(r); ok {
			row.Tenant = d.tenants.Of(tenant)
		}
	}
	d.batch.Append(&row)
}

// clientOf is the hash of who asked, 0 when that is not known.
func (d *decoder) clientOf(r *record) uint64 {
	client := r.client
	switch {
	case d.client != nil:
		client, _ = d.client.of(r)
	case !r.bare:
		client = target.Host(client)
	}
	if len(client) == 0 {
		return 0
	}
	return request.Hash(client)
}

// excuse looks closer at a line that is no request: there are some that need not be one.
func excuse(line []byte, reason request.Reason) request.Reason {
	switch {
	case len(bytes.TrimSpace(line)) == 0:
		return reasonBlank
	case reason == reasonForeign && isNotice(line):
		return reasonNotice
	}
	return reason
}

// isNotice recognises lines of other sorts that stand between those of an access log: of an error log, and
// the names that tail prints in front of each of several files.
func isNotice(line []byte) bool {
	return IsErrorLog(line) || bytes.HasPrefix(line, []byte("==> ")) && bytes.HasSuffix(line, []byte(" <=="))
}

// IsErrorLog recognises the error logs of nginx ("2022/01/24 16:33:06 [error] ..."), LiteSpeed ("2022-06-08
// 22:49:20.774649 [NOTICE] ...") and Apache ("[Wed Oct 11 14:32:52.123456 2000] [core:error] ..."), which
// are often written to the same place.
func IsErrorLog(line []byte) bool {
	const nginx = "0000/00/00 00:00:00 ["
	if timestamp.Shaped(line, nginx) {
		return true
	}
	const litespeed = "0000-00-00 00:00:00.000000 ["
	if timestamp.Shaped(line, litespeed) {
		return true
	}
	const apache = "[Www Mmm 00 00:00:00"
	return timestamp.Shaped(line, apache) && bytes.Contains(line[:min(len(line), 48)], []byte("] ["))
}

func (d *decoder) flush() {
	if d.batch.Len() == 0 {
		return
	}
	d.batch.Names = d.names.List
	d.batch.PartitionNames = d.partitions.List
	d.batch.TenantNames = d.tenants.List
	d.sink.Add(d.batch)
	d.batch.Reset()
}
