package partition

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

var clusterNodes = Topology{
	ID:     "cluster-nodes",
	Title:  "CLUSTER NODES text",
	Text:   "what `redis-cli cluster nodes` prints, or a node's nodes.conf: one line a node with its flags and the slots it owns. Slots that are migrating still belong to the node that lists them.",
	Source: "Redis command reference, CLUSTER NODES",
	Parse:  parseClusterNodes,
}

// parseClusterNodes reads lines of the form
//
//	id ip:port@cport[,hostname] flags primary ping pong epoch link-state slot ...
//
// Primaries that own slots become partitions, in the order of their first slot. A slot that two lines
// claim is an error: the text is damaged, or glued together from two moments. A node line with fewer
// fields, or a slot that is no slot, is an error too.
func parseClusterNodes(text []byte) (*Layout, error) {
	var parts []Partition
	nodes := 0
	for i, line := range strings.Split(string(bytes.TrimPrefix(text, []byte("\ufeff"))), "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "vars" || isSession(line) {
			continue
		}
		if len(fields) < 8 || !isNodeID(fields[0]) {
			return nil, fmt.Errorf("line %d is no node line (id, address, flags, primary, ping, pong, epoch, link state, slots)", i+1)
		}
		nodes++
		p := Partition{ID: nodeName(fields[1], fields[0])}
		for _, f := range fields[8:] {
			if strings.HasPrefix(f, "[") { // migrating or importing: ownership has not moved yet
				continue
			}
			r, err := parseRange(f)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			p.Slots = append(p.Slots, r)
		}
		if len(p.Slots) > 0 {
			slices.SortFunc(p.Slots, func(a, b Range) int { return a.First - b.First })
			parts = append(parts, p)
		}
	}
	if nodes == 0 {
		return nil, errors.New("no node line in it")
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("none of its %d nodes owns a slot", nodes)
	}
	if len(parts) > MaxPartitions {
		return nil, fmt.Errorf("%d nodes own slots: at most %d can be told apart", len(parts), MaxPartitions)
	}
	slices.SortFunc(parts, func(a, b Partition) int { return a.Slots[0].First - b.Slots[0].First })
	seen := map[string]bool{}
	for i := range parts {
		if seen[parts[i].ID] {
			parts[i].ID = fmt.Sprintf("%s#%d", parts[i].ID, i)
		}
		seen[parts[i].ID] = true
	}
	noun := "shards"
	if len(parts) == 1 {
		noun = "shard"
	}
	return slotLayout(fmt.Sprintf("Redis Cluster, %d %s from the topology file", len(parts), noun), parts)
}

// isSession recognises what a pasted session has around the text: a prompt, a comment, the fence of a
// code block.
func isSession(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "$ ") ||
		strings.HasSuffix(strings.ToLower(line), "cluster nodes")
}

func isNodeID(s string) bool {
	if len(s) != 40 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}

// nodeName is the address without the cluster bus port, or the start of the node's ID where the address
// is not known (":0", or empty for the node itself).
func nodeName(addr, id string) string {
	addr, _, _ = strings.Cut(addr, ",")
	addr, _, _ = strings.Cut(addr, "@")
	if addr == "" || strings.HasPrefix(addr, ":") || strings.HasPrefix(addr, "?") {
		return id[:8]
	}
	return addr
}

func parseRange(s string) (Range, error) {
	from, to, isRange := strings.Cut(s, "-")
	first, err := strconv.Atoi(from)
	if err != nil || first < 0 || first >= Slots {
		return Range{}, fmt.Errorf("%q is no slot (0 to %d)", s, Slots-1)
	}
	if !isRange {
		return Range{first, first}, nil
	}
	last, err := strconv.Atoi(to)
	if err != nil || last < first || last >= Slots {
		return Range{}, fmt.Errorf("%q is no range of slots", s)
	}
	return Range{first, last}, nil
}
