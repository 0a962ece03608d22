package jsonlines

import (
	"math"

	"keyskew/ingest/names"
	"keyskew/ingest/request"
)

// fill reads what the row has beside time, weight and key.
func (d *decoder) fill(row *request.Row, op names.Operation) {
	row.Command, row.Op, row.Algebra = op.ID, op.Op, op.Algebra
	if op.Note != "" {
		d.tally.Note(op.Note, 1)
	}
	if d.columns&request.TimeColumn != 0 {
		d.tally.Saw(row.Time)
	}
	if b, s := d.first(roleSize); s != nil {
		v, ok := wholeNumber(b)
		if !ok {
			d.counts.oddSizes++
		}
		row.Size = v
	}
	if d.columns&request.ClientColumn != 0 {
		if b, s := d.first(roleClient); s != nil {
			row.Client = request.Hash(hostOf(b))
		}
	}
	if d.columns&request.StatusColumn != 0 {
		if b, s := d.first(roleStatus); s != nil {
			if v, ok := decimal(b, 0); ok && v > 0 && v <= math.MaxUint16 {
				row.Status = uint16(v)
			}
		}
	}
	if d.columns&request.LatencyColumn != 0 {
		if b, s := d.first(roleLatency); s != nil {
			if v, ok := duration(b, s.exp); ok {
				row.Latency = v
			}
		}
	}
	if d.columns&request.CacheColumn != 0 {
		if b, s := d.first(roleCache); s != nil {
			row.Cache = cacheResult(b)
		}
	}
	if d.columns&request.TTLColumn != 0 && row.Op == request.Write {
		if b, s := d.first(roleTTL); s != nil {
			if v, ok := decimal(b, s.exp); ok && v > 0 {
				row.TTL = v
			}
		}
	}
	d.place(row)
}

// place reads who answered, and for whom.
func (d *decoder) place(row *request.Row) {
	if d.columns&request.PartitionColumn != 0 {
		if b, s := d.first(rolePartition); s != nil {
			server, tries := b, 1
			if d.spec.http {
				server, tries = lastServer(b)
			}
			d.counts.retries += int64(tries - 1)
			row.Partition = d.partitions.Of(server)
		}
	}
	if d.columns&request.TenantColumn != 0 {
		if b, s := d.first(roleTenant); s != nil {
			row.Tenant = d.tenants.Of(b)
		}
	}
	if b, s := d.first(roleRetries); s != nil {
		if v, ok := decimal(b, 0); ok && v > 0 {
			d.counts.retries += v
		}
	}
}

// wholeNumber reads a number that counts something; one with a fraction is none, unless it is 0.
func wholeNumber(b []byte) (uint64, bool) {
	v, ok := decimal(b, 0)
	if !ok || v < 0 {
		return 0, false
	}
	if fine, ok := decimal(b, 3); ok && fine != math.MaxInt64 && fine%1000 != 0 {
		return 0, false
	}
	return uint64(v), true
}

// cacheResult reads what caches report: nginx, Cloudflare, CloudFront and Squid name the result ("HIT",
// "TCP_MEM_HIT", "Hit from cloudfront", "MISS"), others say true or count hits.
func cacheResult(b []byte) request.CacheResult {
	if n, ok := decimal(b, 0); ok {
		if n > 0 {
			return request.CacheHit
		}
		return request.CacheMiss
	}
	for _, w := range []struct {
		word string
		is   request.CacheResult
	}{
		{"hit", request.CacheHit}, {"true", request.CacheHit}, {"stale", request.CacheHit},
		{"updating", request.CacheHit}, {"revalidated", request.CacheHit}, {"miss", request.CacheMiss},
		{"false", request.CacheMiss}, {"expired", request.CacheMiss}, {"bypass", request.CacheMiss},
		{"dynamic", request.CacheMiss}, {"pass", request.CacheMiss},
	} {
		if containsFold(b, w.word) {
			return w.is
		}
	}
	return request.CacheUnknown
}

// containsFold looks for a word in lower case, in whatever case b has it.
func containsFold(b []byte, word string) bool {
	for i := 0; i+len(word) <= len(b); i++ {
		j := 0
		for j < len(word) && b[i+j]|0x20 == word[j] {
			j++
		}
		if j == len(word) {
			return true
		}
	}
	return false
}
