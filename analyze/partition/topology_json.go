package partition

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
)

var kinesisShards = Topology{
	ID:      "kinesis-shards",
	Title:   "shards of a Kinesis stream",
	Text:    "what `aws kinesis list-shards` or describe-stream prints, as JSON. Shards that were split or merged (with an EndingSequenceNumber) are closed and left out.",
	Source:  "Amazon Kinesis Data Streams API reference, ListShards",
	Default: "kinesis",
	is: func(text []byte) bool {
		return isJSON(text) && bytes.Contains(text, []byte(`"HashKeyRange"`))
	},
	parse: parseKinesisShards,
}

func parseKinesisShards(text []byte, m *Map) error {
	type list []struct {
		ShardId      string
		HashKeyRange struct{ StartingHashKey, EndingHashKey string }

		SequenceNumberRange struct{ EndingSequenceNumber string }
	}
	var document struct {
		Shards            list
		StreamDescription struct{ Shards list }
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return jsonError(text, err, 0)
	}
	for i, s := range append(document.Shards, document.StreamDescription.Shards...) {
		if s.SequenceNumberRange.EndingSequenceNumber != "" {
			continue
		}
		first, ok1 := parseWide(s.HashKeyRange.StartingHashKey)
		last, ok2 := parseWide(s.HashKeyRange.EndingHashKey)
		if s.ShardId == "" || !ok1 || !ok2 || first.cmp(last) > 0 {
			return fmt.Errorf("shard %d: want a ShardId, a StartingHashKey and an EndingHashKey not below it, both of 128 bits", i+1)
		}
		m.Hashes = append(m.Hashes, HashRange{first, last, s.ShardId})
	}
	if len(m.Hashes) == 0 {
		return errors.New("no open shard in it")
	}
	_, _, err := newHashRanges(m.Hashes, 1)
	return err
}

// parseWide reads a decimal number of 128 bits.
func parseWide(s string) (wide, bool) {
	n, ok := new(big.Int).SetString(s, 10)
	if !ok || n.Sign() < 0 || n.BitLen() > 128 || len(s) > 39 {
		return wide{}, false
	}
	low := new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64))
	return wide{new(big.Int).Rsh(n, 64).Uint64(), low.Uint64()}, true
}

var mongoChunks = Topology{
	ID:      "mongodb-chunks",
	Title:   "chunks of a hashed MongoDB collection",
	Text:    "the documents of config.chunks of one collection, as mongoexport writes them (one a line, or an array): min, max and shard, over a hashed shard key of one field.",
	Source:  "MongoDB manual, \"Config Database\", config.chunks; MongoDB Extended JSON v2",
	Default: "mongodb-hashed",
	is: func(text []byte) bool {
		return isJSON(text) && bytes.Contains(text, []byte(`"min"`)) && bytes.Contains(text, []byte(`"max"`)) && bytes.Contains(text, []byte(`"shard"`))
	},
	parse: parseMongoChunks,
}

type mongoChunk struct {
	NS    string          `json:"ns"`
	UUID  json.RawMessage `json:"uuid"`
	Min   json.RawMessage `json:"min"`
	Max   json.RawMessage `json:"max"`
	Shard string          `json:"shard"`
}

func parseMongoChunks(text []byte, m *Map) error {
	d := json.NewDecoder(bytes.NewReader(text))
	isArray := bytes.TrimSpace(text)[0] == '['
	if isArray {
		if _, err := d.Token(); err != nil {
			return jsonError(text, err, d.InputOffset())
		}
	}
	collection := ""
	for d.More() {
		var c mongoChunk
		if err := d.Decode(&c); err != nil {
			return jsonError(text, err, d.InputOffset())
		}
		line := lineAt(text, d.InputOffset())
		if of := c.NS + string(c.UUID); len(m.Hashes) == 0 {
			collection = of
		} else if of != collection {
			return lineError(line, "a chunk of another collection: export those of one (--query)")
		}
		first, err := chunkBound(c.Min, math.MinInt64)
		if err != nil {
			return lineError(line, "min: %w", err)
		}
		end, err := chunkBound(c.Max, math.MaxInt64)
		if err != nil {
			return lineError(line, "max: %w", err)
		}
		if c.Shard == "" {
			return lineError(line, "a chunk without a shard")
		}
		last := wide{low: math.MaxUint64} // maxKey
		if !end.open {
			last.low = place(end.value) - 1
		}
		if !end.open && end.value <= first.value {
			return lineError(line, "the chunk ends at %d, before it begins", end.value)
		}
		m.Hashes = append(m.Hashes, HashRange{wide{low: place(first.value)}, last, c.Shard})
	}
	if isArray {
		if _, err := d.Token(); err != nil {
			return jsonError(text, err, d.InputOffset())
		}
	}
	if len(m.Hashes) == 0 {
		return errors.New("no chunk in it")
	}
	_, _, err := newHashRanges(m.Hashes, 1)
	return err
}

// bound is one end of a chunk; open says that it is minKey or maxKey.
type bound struct {
	value int64
	open  bool
}

// chunkBound reads {"field": value}, where value is a number, {"$numberLong": "..."}, or minKey or maxKey,
// for which it returns limit.
func chunkBound(raw json.RawMessage, limit int64) (bound, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil || len(fields) != 1 {
		return bound{}, errors.New("want one field: shard keys of several fields are not placed")
	}
	var value json.RawMessage
	for _, v := range fields {
		value = v
	}
	if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
		return bound{value: n}, nil
	}
	var typed struct {
		Long string          `json:"$numberLong"`
		Min  json.RawMessage `json:"$minKey"`
		Max  json.RawMessage `json:"$maxKey"`
	}
	if err := json.Unmarshal(value, &typed); err == nil {
		if n, err := strconv.ParseInt(typed.Long, 10, 64); err == nil {
			return bound{value: n}, nil
		}
		if limit < 0 && typed.Min != nil || limit > 0 && typed.Max != nil {
			return bound{limit, true}, nil
		}
	}
	return bound{}, fmt.Errorf("%s is no hash (a number of 64 bits, minKey or maxKey): the shard key is not hashed", value)
}
