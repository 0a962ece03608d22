package delimited

import (
	"math"

	"keyskew/ingest/request"
)

// sectorSize is the bytes of a sector of a disk.
const sectorSize = 512

// row adds the row that the splitter's cells make.
func (d *decoder) row(offset int64) (reason request.Reason, benign bool) {
	cells := d.splitter.cells
	row := &d.current // clearing a row for each line costs more than setting what a table has
	row.Offset = offset
	if i := d.at[timeRole]; i != none {
		stamp := cells[i]
		if d.ofDay != none {
			d.stamp = dateTime(d.stamp[:0], stamp, cells[d.ofDay])
			stamp = d.stamp
		}
		ns, ok := d.clock.read(stamp)
		if !ok {
			return reasonTime, false
		}
		row.Time = ns
	}
	if i := d.at[weightRole]; i != none {
		n, ok := readCount(cells[i])
		if !ok {
			return reasonWeight, false
		}
		if n == 0 {
			return reasonZero, true
		}
		row.Weight = n
	}
	if i := d.at[opRole]; i != none {
		o := d.operations.Of(cells[i])
		row.Op, row.Command, row.Algebra = o.Op, o.ID, o.Algebra
		if o.Note != "" {
			d.tally.Note(o.Note, 1)
		}
	}
	if i := d.at[sizeRole]; i != none {
		n, ok := readCount(cells[i])
		if d.sectors {
			ok = ok && n <= math.MaxUint64/sectorSize
			n *= sectorSize
		}
		if !ok {
			n = 0
			if !absent(cells[i]) {
				d.counts.oddSizes++
			}
		}
		row.Size = n
	}
	row.Key = d.keyOf(cells)
	if len(row.Key) > request.MaxKey { // spares the call
		row.Key = d.tally.Keep(row.Key, &d.key)
	}
	d.extras(cells, row)
	d.counts.requests++
	if d.at[timeRole] != none {
		d.tally.Saw(row.Time)
	}
	if i := d.at[cacheRole]; i != none {
		hits, counted := d.cacheHits(cells[i], row)
		if counted && 0 < hits && hits < row.Weight {
			weight := row.Weight
			row.Weight, row.Cache = hits, request.CacheHit
			d.add(row)
			row.Weight, row.Cache = weight-hits, request.CacheMiss
		}
	}
	d.add(row)
	return "", false
}

// extras fills the columns that few tables have.
func (d *decoder) extras(cells [][]byte, row *request.Row) {
	if i := d.at[partitionRole]; i != none {
		row.Partition = label(d.partitions, cells[i])
	}
	if i := d.at[tenantRole]; i != none {
		row.Tenant = label(d.tenants, cells[i])
	}
	if i := d.at[clientRole]; i != none {
		row.Client = 0
		if !absent(cells[i]) {
			row.Client = request.Hash(hostOf(cells[i]))
		}
	}
	if i := d.at[statusRole]; i != none {
		row.Status = 0
		if n, ok := readCount(cells[i]); ok && n < 1000 {
			row.Status = uint16(n)
		}
	}
	if i := d.at[latencyRole]; i != none {
		row.Latency = -1
		if ns, ok := readNumber(cells[i], d.latency); ok {
			row.Latency = ns
		}
	}
	if i := d.at[ttlRole]; i != none {
		row.TTL = -1
		if n, ok := readCount(cells[i]); ok && n > 0 && n <= math.MaxInt64/uint64(d.ttlUnit) && row.Op == request.Write {
			row.TTL = int64(n) * d.ttlUnit
		}
	}
}

// keyOf is the key of a row.
func (d *decoder) keyOf(cells [][]byte) []byte {
	if len(d.keys) == 1 {
		return cells[d.keys[0]]
	}
	d.key = d.key[:0]
	for i, column := range d.keys {
		if i > 0 {
			d.key = append(d.key, request.KeySeparator)
		}
		d.key = append(d.key, cells[column]...)
	}
	return d.key
}

func (d *decoder) add(row *request.Row) {
	d.batch.Append(row)
	if d.batch.Len() == batchRows {
		d.flush()
	}
}

func (d *decoder) flush() {
	if d.batch.Len() == 0 {
		return
	}
	d.batch.Names = d.operations.List
	d.batch.PartitionNames, d.batch.TenantNames = d.partitions.List, d.tenants.List
	d.sink.Add(d.batch)
	d.batch.Reset()
}
