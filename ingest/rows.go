package ingest

import "keyskew/ingest/request"

// rowOf is row i of a batch, without its key.
func rowOf(b *request.Batch, i int) request.Row {
	return request.Row{
		Hash: b.Hash[i], Flags: b.Flags[i], Op: b.Op[i], Command: b.Command[i], Algebra: b.Algebra[i],
		Offset: b.Offset[i], Size: b.Size[i],
		Time: get(b.Time, i), Weight: get(b.Weight, i), Client: get(b.Client, i), Status: get(b.Status, i),
		Latency: get(b.Latency, i), Cache: get(b.Cache, i), TTL: get(b.TTL, i), Keys: get(b.Keys, i),
		Partition: get(b.Partition, i), Tenant: get(b.Tenant, i),
	}
}

// put makes row i of a batch r, but for its key.
func put(b *request.Batch, i int, r request.Row) {
	b.Hash[i], b.Flags[i], b.Op[i], b.Command[i], b.Algebra[i] = r.Hash, r.Flags, r.Op, r.Command, r.Algebra
	b.Offset[i], b.Size[i] = r.Offset, r.Size
	set(b.Time, i, r.Time)
	set(b.Weight, i, r.Weight)
	set(b.Client, i, r.Client)
	set(b.Status, i, r.Status)
	set(b.Latency, i, r.Latency)
	set(b.Cache, i, r.Cache)
	set(b.TTL, i, r.TTL)
	set(b.Keys, i, r.Keys)
	set(b.Partition, i, r.Partition)
	set(b.Tenant, i, r.Tenant)
}

// move copies row from to row to, but for its key.
func move(b *request.Batch, to, from int) {
	if to != from {
		put(b, to, rowOf(b, from))
	}
}

// truncate leaves the first n rows of a batch.
func truncate(b *request.Batch, n int) {
	b.Arena = b.Arena[:b.End[n-1]]
	b.End = b.End[:n]
	b.Hash, b.Flags, b.Op, b.Command = b.Hash[:n], b.Flags[:n], b.Op[:n], b.Command[:n]
	b.Algebra, b.Offset, b.Size = b.Algebra[:n], b.Offset[:n], b.Size[:n]
	b.Time, b.Weight, b.Client = first(b.Time, n), first(b.Weight, n), first(b.Client, n)
	b.Status, b.Latency, b.Cache = first(b.Status, n), first(b.Latency, n), first(b.Cache, n)
	b.TTL, b.Partition, b.Tenant = first(b.TTL, n), first(b.Partition, n), first(b.Tenant, n)
	b.Keys = first(b.Keys, n)
}

// get, set and first leave a column that a batch does not have alone.
func get[T any](column []T, i int) (v T) {
	if column != nil {
		v = column[i]
	}
	return v
}

func set[T any](column []T, i int, v T) {
	if column != nil {
		column[i] = v
	}
}

func first[T any](column []T, n int) []T {
	if column == nil {
		return nil
	}
	return column[:n]
}
