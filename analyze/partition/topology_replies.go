package partition

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

var clusterSlots = Topology{
	ID:      "cluster-slots",
	Title:   "CLUSTER SLOTS reply",
	Text:    "what `redis-cli --json cluster slots` prints, or redis-cli at its prompt: ranges of slots, each with its primary first.",
	Source:  "Redis command reference, CLUSTER SLOTS",
	Default: RedisCluster,
	is: func(text []byte) bool {
		if isJSON(text) {
			return strings.HasPrefix(compact(text, 2), "[[")
		}
		first := firstLine(text)
		return strings.HasPrefix(compact([]byte(first), 13), "1)1)(integer)") || flattened(text) && isNumber(first)
	},
	parse: parseClusterSlots,
}

var clusterShards = Topology{
	ID:      "cluster-shards",
	Title:   "CLUSTER SHARDS reply",
	Text:    "what `redis-cli --json cluster shards` prints, or redis-cli at its prompt: shards with their slots and nodes.",
	Source:  "Redis command reference, CLUSTER SHARDS",
	Default: RedisCluster,
	is: func(text []byte) bool {
		if isJSON(text) {
			return bytes.Contains(text, []byte(`"slots"`)) && bytes.Contains(text, []byte(`"nodes"`))
		}
		first := firstLine(text)
		return strings.HasPrefix(compact([]byte(first), 11), `1)1)"slots"`) || first == "slots"
	},
	parse: parseClusterShards,
}

// isJSON reports whether the text begins as a JSON document of the readers here.
func isJSON(text []byte) bool {
	text = bytes.TrimSpace(text)
	return len(text) > 0 && (text[0] == '[' || text[0] == '{')
}

// compact is the start of a text without its white space, n bytes of it.
func compact(text []byte, n int) string {
	var out []byte
	for _, c := range text {
		if len(out) == n {
			break
		}
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			out = append(out, c)
		}
	}
	return string(out)
}

// flattened recognises a CLUSTER SLOTS reply of which redis-cli left out the nesting: two slots, a host
// (an empty line where it is not known), a port, each on its line.
func flattened(text []byte) bool {
	var first []string
	anyLine(text, func(line string) bool {
		first = append(first, line)
		return len(first) == 4
	})
	if len(first) < 4 || !isNumber(first[2]) && !isNumber(first[3]) {
		return false
	}
	from, err1 := strconv.Atoi(first[0])
	to, err2 := strconv.Atoi(first[1])
	return err1 == nil && err2 == nil && 0 <= from && from <= to && to < Slots
}

// parseReply reads the JSON of redis-cli or what it prints at its prompt: arrays, objects, strings and
// json.Numbers.
func parseReply(text []byte, command string) ([]any, error) {
	if !isJSON(text) {
		if !strings.Contains(firstLine(text), ")") {
			return nil, fmt.Errorf("redis-cli leaves out the nesting when its output is no terminal; use redis-cli --json %s", command)
		}
		return parsePrompt(text)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var out []any
	if err := d.Decode(&out); err != nil {
		return nil, jsonError(text, err, d.InputOffset())
	}
	if d.More() {
		return nil, lineError(lineAt(text, d.InputOffset()), "there is more behind the reply")
	}
	return out, nil
}

// jsonError adds the line to an error of encoding/json. offset is where the decoder was.
func jsonError(text []byte, err error, offset int64) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		offset, err = int64(len(text)), io.ErrUnexpectedEOF
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	}
	return lineError(lineAt(text, offset), "%w", err)
}

func lineAt(text []byte, offset int64) int {
	return 1 + bytes.Count(text[:min(max(offset, 0), int64(len(text)))], []byte{'\n'})
}

// parseClusterSlots reads [first, last, [address, port, id, ...], ...] for each range.
func parseClusterSlots(text []byte, m *Map) error {
	reply, err := parseReply(text, "cluster slots")
	if err != nil {
		return err
	}
	index := map[string]int{}
	for i, entry := range reply {
		fields, _ := entry.([]any)
		if len(fields) < 3 {
			return fmt.Errorf("range %d: want first slot, last slot and nodes", i+1)
		}
		r, err := parseRange(fmt.Sprintf("%v-%v", fields[0], fields[1]))
		if err != nil {
			return fmt.Errorf("range %d: %w", i+1, err)
		}
		node, _ := fields[2].([]any)
		if len(node) < 2 {
			return fmt.Errorf("range %d: its first node has no address and port", i+1)
		}
		addr, id := fmt.Sprintf("%s:%v", word(node[0]), node[1]), ""
		if len(node) > 2 {
			id = word(node[2])
		}
		if word(node[0]) == "" && !isNodeID(id) {
			return fmt.Errorf("range %d: its first node has neither address nor ID", i+1)
		}
		name := addr
		if id != "" {
			name = id
		}
		at, known := index[name]
		if !known {
			at = len(m.Slots)
			index[name] = at
			if word(node[0]) == "" {
				addr = id[:8]
			}
			m.Slots = append(m.Slots, Partition{ID: addr})
		}
		m.Slots[at].Slots = append(m.Slots[at].Slots, r)
	}
	return m.finishSlots(len(m.Slots))
}

// parseClusterShards reads {slots: [first, last, ...], nodes: [{id, port, ip, endpoint, role, ...}]} for
// each shard, or the same as flat arrays of names and values.
func parseClusterShards(text []byte, m *Map) error {
	reply, err := parseReply(text, "cluster shards")
	if err != nil {
		return err
	}
	for i, entry := range reply {
		shard := object(entry)
		slots, isArray := shard["slots"].([]any)
		if !isArray || len(slots)%2 != 0 {
			return fmt.Errorf("shard %d: its slots are no pairs of first and last", i+1)
		}
		p := Partition{}
		for pair := range slices.Chunk(slots, 2) {
			r, err := parseRange(fmt.Sprintf("%v-%v", pair[0], pair[1]))
			if err != nil {
				return fmt.Errorf("shard %d: %w", i+1, err)
			}
			p.Slots = append(p.Slots, r)
		}
		nodes, _ := shard["nodes"].([]any)
		if p.ID = shardName(nodes); p.ID == "" {
			return fmt.Errorf("shard %d: none of its nodes has an address", i+1)
		}
		m.Slots = append(m.Slots, p)
	}
	return m.finishSlots(len(m.Slots))
}

// shardName is the address of a shard's primary; of a node that is up where there are several, and of its
// first node where there is none.
func shardName(nodes []any) string {
	best, rank := "", 0
	for _, n := range nodes {
		node := object(n)
		host := word(node["ip"])
		if host == "" || host == "?" {
			host = word(node["endpoint"])
		}
		port := node["port"]
		if port == nil {
			port = node["tls-port"]
		}
		name := fmt.Sprintf("%s:%v", host, port)
		if id := word(node["id"]); host == "" || host == "?" || port == nil {
			if !isNodeID(id) {
				continue
			}
			name = id[:8]
		}
		points := 1
		if word(node["role"]) == "master" {
			points += 2
		}
		if word(node["health"]) == "online" {
			points++
		}
		if points > rank {
			best, rank = name, points
		}
	}
	return best
}

// object is a JSON object, or a flat array of names and values.
func object(v any) map[string]any {
	if m, ok := v.(map[string]any); ok {
		return m
	}
	flat, _ := v.([]any)
	m := map[string]any{}
	for pair := range slices.Chunk(flat, 2) {
		if name, ok := pair[0].(string); ok && len(pair) == 2 {
			m[name] = pair[1]
		}
	}
	return m
}

func word(v any) string {
	s, _ := v.(string)
	return s
}
