package request

import "math/bits"

// Algebra is a set of value algebras: what the commands seen on a key do to its value, and so whether
// its writes can be split over several keys and read back. One bit a tag; the union over all commands
// of a key is kept, so one unsafe command is never lost.
type Algebra uint64

// Tags of the command table, one bit each. The order is part of the summary format: append only.
const (
	Sum Algebra = 1 << iota
	SumField
	SumMember
	SumPath
	SumTS
	CondSum
	Union
	UnionGeo
	Member
	Field
	FieldTTL
	FieldCond
	HLL
	Bit
	Append
	AppendBytes
	Region
	Overwrite
	OverwriteDoc
	OverwriteHash
	Cond
	Take
	Pop
	Consume
	Trim
	StreamMeta
	TTL
	Delete
	Store
	Multikey
	SketchBloom
	SketchCMS
	SketchCuckoo
	SketchTDigest
	SketchTopK
	TSAppend
	TSMeta
	Array
	Vector
	Index
	Script
	Publish
	Global
	// TogetherKeys marks a key used in one command or script with other keys, all of which must share
	// a slot in Redis Cluster: splitting it breaks that command (CROSSSLOT).
	TogetherKeys
	// Replicated marks a write seen on a replica, where the primary's commands arrive rewritten.
	Replicated
	// UnknownCommand marks a key touched by a command that the table does not have.
	UnknownCommand
)

// Splitting says whether a key whose writes all carry one tag can be split into N slots.
type Splitting uint8

const (
	// Never: the value cannot be put together again, or the command is a lock.
	Never Splitting = iota
	// Free: any write may go to any slot.
	Free
	// ByPart: the slot is chosen by the member, field or offset that is written.
	ByPart
	// Follows: the command changes no value of its own (EXPIRE, DEL, XTRIM); the other tags decide.
	Follows
)

// AlgebraTag documents one bit: its name in the command table and what it means for a split.
type AlgebraTag struct {
	Bit      Algebra
	Name     string
	Split    Splitting
	ReadBack string // how the parts become one value again, or why they cannot
}

// AlgebraTags lists every tag, in bit order. The rules follow from what each command returns and
// stores (Redis command reference); the stricter tag wins where a key was seen under two.
func AlgebraTags() []AlgebraTag { return algebraTags }

var algebraTags = []AlgebraTag{
	{Sum, "sum", Free, "add up the N counters; the reply of INCR is no longer the total"},
	{SumField, "sum.field", Free, "add up the field over the N hashes; the reply is no longer the total"},
	{SumMember, "sum.member", ByPart, "merge the N sorted sets; the member chooses the slot"},
	{SumPath, "sum.path", Free, "add up the path over the N documents"},
	{SumTS, "sum.ts", Free, "add up the N series"},
	{CondSum, "cond.sum", Never, "it has bounds: split only if the budget is divided beforehand"},
	{Union, "union", ByPart, "union of the N sets; the member chooses the slot"},
	{UnionGeo, "union.geo", ByPart, "union of the N sets; the member chooses the slot"},
	{Member, "member", ByPart, "merge the N sorted sets (top k = merge of N top k)"},
	{Field, "field", ByPart, "the field chooses the slot; reading the whole hash is N reads"},
	{FieldTTL, "field.ttl", ByPart, "the field chooses the slot"},
	{FieldCond, "field.cond", ByPart, "the field chooses the slot, so its condition stays in one place"},
	{HLL, "hll", Free, "PFCOUNT or PFMERGE of the N parts, without loss"},
	{Bit, "bit", ByPart, "the offset chooses the slot; BITOP OR puts them together"},
	{Append, "append", Free, "merge the N lists by id or time; the total order is lost"},
	{AppendBytes, "append.bytes", Never, "bytes appended in one order cannot be divided"},
	{Region, "region", Never, "parts of one string cannot be divided"},
	{Overwrite, "overwrite", Never, "the last writer wins: there is one value"},
	{OverwriteDoc, "overwrite.doc", Never, "the last writer wins: there is one document"},
	{OverwriteHash, "overwrite.hash", Never, "the last writer wins: there is one hash"},
	{Cond, "cond", Never, "a lock or compare-and-set must stay one key"},
	{Take, "take", Never, "the value is taken once"},
	{Pop, "pop", Free, "consumers take from any of the N queues; the order is lost"},
	{Consume, "consume", ByPart, "one consumer group per part"},
	{Trim, "trim", Follows, ""},
	{StreamMeta, "streammeta", Follows, ""},
	{TTL, "ttl", Follows, ""},
	{Delete, "delete", Follows, ""},
	{Store, "store", Never, "all keys of the command must share a slot"},
	{Multikey, "multikey", Never, "all keys of the command must share a slot"},
	{SketchBloom, "sketch.bloom", Free, "OR of N queries"},
	{SketchCMS, "sketch.cms", Free, "CMS.MERGE of the N sketches"},
	{SketchCuckoo, "sketch.cuckoo", Free, "query all N; deletes must go to the part that holds the item"},
	{SketchTDigest, "sketch.tdigest", Free, "TDIGEST.MERGE of the N digests"},
	{SketchTopK, "sketch.topk", Free, "merge the N lists; counts become bounds"},
	{TSAppend, "ts.append", ByPart, "split by label"},
	{TSMeta, "ts.meta", Follows, ""},
	{Array, "array", Never, "needs a design of its own"},
	{Vector, "vector", Never, "needs a design of its own"},
	{Index, "index", Never, "needs a design of its own"},
	{Script, "script", Never, "the script is opaque: what it does to the value is unknown"},
	{Publish, "publish", Never, "a channel holds no value"},
	{Global, "global", Never, "acts on the whole keyspace"},
	{TogetherKeys, "multi-key use", Never, "used in one command with other keys, which must share a slot"},
	{Replicated, "replicated", Never, "captured on a replica, where commands arrive rewritten (INCRBYFLOAT as SET): what the client did is unknown"},
	{UnknownCommand, "unknown command", Never, "a command that is not in the table touches it: what it does is unknown"},
}

// ParseAlgebra returns the bit of a tag of the command table ("-" and "" are no tag).
func ParseAlgebra(tag string) (Algebra, bool) {
	if tag == "" || tag == "-" {
		return 0, true
	}
	for _, t := range algebraTags {
		if t.Name == tag {
			return t.Bit, true
		}
	}
	return 0, false
}

// Tags returns the entries of the set, in bit order.
func (a Algebra) Tags() []AlgebraTag {
	out := make([]AlgebraTag, 0, bits.OnesCount64(uint64(a)))
	for _, t := range algebraTags {
		if a&t.Bit != 0 {
			out = append(out, t)
		}
	}
	return out
}
