package ingest

import (
	"bytes"
	"strconv"

	"keyskew/ingest/monitor"
	"keyskew/ingest/names"
	"keyskew/ingest/request"
)

// databasePrefix stands in front of the number of a database, as INFO keyspace prints it.
const databasePrefix = "db"

// databases gives the rows of a MONITOR capture the database that their line names, as their tenant. It
// reads those lines a second time, so it is there only for those who ask.
type databases struct {
	request.Decoder
	labels *names.Labels
	tenant []uint32
	name   []byte

	// Of the block at hand.
	block request.Block
	to    request.Sink
}

// maxDatabases bounds the databases that are told apart; a server has 16 unless it was set up otherwise.
const maxDatabases = 1 << 16

func newDatabases(d request.Decoder) *databases {
	return &databases{Decoder: d, labels: names.NewLabels(maxDatabases, 16, "")}
}

// Decode implements request.Decoder.
func (d *databases) Decode(b request.Block, to request.Sink, t *request.Tally) {
	d.block, d.to = b, to
	d.Decoder.Decode(b, d, t)
	d.block, d.to = request.Block{}, nil
}

// Add implements request.Sink.
func (d *databases) Add(b *request.Batch) {
	d.tenant = d.tenant[:0]
	for i := range b.Len() {
		d.tenant = append(d.tenant, d.of(b.Offset[i]))
	}
	b.Tenant, b.TenantNames = d.tenant, d.labels.List
	d.to.Add(b)
	b.Tenant, b.TenantNames = nil, nil
}

// of is the number of the database that the line at an offset names, 0 for none.
func (d *databases) of(offset int64) uint32 {
	line := d.block.Data[offset-d.block.Offset:]
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	number, ok := monitor.Database(line)
	if !ok {
		return 0
	}
	d.name = strconv.AppendInt(append(d.name[:0], databasePrefix...), int64(number), 10)
	return d.labels.Of(d.name)
}
