package partition

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

var clusterNodes = Topology{
	ID:      "cluster-nodes",
	Title:   "CLUSTER NODES text",
	Text:    "what `redis-cli cluster nodes` prints, or a node's nodes.conf: one line a node with its flags and the slots it owns. Slots that are migrating still belong to the node that lists them.",
	Source:  "Redis command reference, CLUSTER NODES",
	Default: RedisCluster,
	is: func(text []byte) bool {
		return anyLine(text, func(line string) bool {
			id, _, more := strings.Cut(line, " ")
			return more && isNodeID(id)
		})
	},
	parse: parseClusterNodes,
}

// parseClusterNodes reads lines of the form
//
//	id ip:port@cport[,hostname] flags primary ping pong epoch link-state slot ...
//
// Nodes that own slots become partitions. A node line with fewer fields, or a slot that is no slot, is an
// error: the text is damaged.
func parseClusterNodes(text []byte, m *Map) error {
	nodes := 0
	err := eachLine(text, func(number int, line string) error {
		fields := strings.Fields(line)
		if fields[0] == "vars" {
			return nil
		}
		if len(fields) < 8 || !isNodeID(fields[0]) {
			return lineError(number, "this is no node line (id, address, flags, primary, ping, pong, epoch, link state, slots)")
		}
		nodes++
		p := Partition{ID: nodeName(fields[1], fields[0])}
		for _, f := range fields[8:] {
			if strings.HasPrefix(f, "[") { // migrating or importing: ownership has not moved yet
				continue
			}
			r, err := parseRange(f)
			if err != nil {
				return lineError(number, "%w", err)
			}
			p.Slots = append(p.Slots, r)
		}
		m.Slots = append(m.Slots, p)
		return nil
	})
	if err != nil {
		return err
	}
	return m.finishSlots(nodes)
}

// finishSlots drops nodes without slots and puts the others in the order of their first slot. A slot that
// two claim is an error: the text is damaged, or glued together from two moments.
func (m *Map) finishSlots(nodes int) error {
	m.Slots = slices.DeleteFunc(m.Slots, func(p Partition) bool { return len(p.Slots) == 0 })
	switch {
	case nodes == 0:
		return errors.New("no node in it")
	case len(m.Slots) == 0:
		return fmt.Errorf("none of its %s owns a slot", count(nodes, "node"))
	case len(m.Slots) > MaxPartitions:
		return fmt.Errorf("%d nodes own slots: at most %d can be told apart", len(m.Slots), MaxPartitions)
	}
	for _, p := range m.Slots {
		slices.SortFunc(p.Slots, func(a, b Range) int { return a.First - b.First })
	}
	slices.SortFunc(m.Slots, func(a, b Partition) int { return a.Slots[0].First - b.Slots[0].First })
	distinct(m.Slots)
	_, err := slotPlan("", m.Slots)
	return err
}

func isNodeID(s string) bool {
	return len(s) == 40 && strings.Trim(s, "0123456789abcdef") == ""
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
