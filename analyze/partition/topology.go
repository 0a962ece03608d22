package partition

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// Map is what a topology file says. One of the lists is filled, by its kind.
type Map struct {
	// Kind is the ID of its reader in Topologies; Default is the ID of the partitioner that it is for unless
	// another is named.
	Kind, Default string

	Slots  []Partition // Redis Cluster: shards by their first slot
	Topics []Topic     // Kafka
	Pools  []Pool      // memcached servers
	Tokens []Token     // Cassandra
	Hashes []HashRange // Kinesis, hashed shard keys of MongoDB
	Ranges []KeyRange  // stores that keep keys in order
}

// Topic is a Kafka topic.
type Topic struct {
	Name       string
	Partitions int
	// Leaders are the broker IDs of the leaders by partition, "" where the file does not say.
	Leaders []string
}

// Pool is a list of memcached servers and what its file says of how keys reach them, "" where it says
// nothing.
type Pool struct {
	Name                        string
	Servers                     []Server
	Hash, Distribution, HashTag string
}

// Server is one memcached server.
type Server struct {
	Addr   string // as written, with its port
	Name   string // the name that the file gives it, else ""
	Weight int    // at least 1
}

// label is what reports call the server.
func (s Server) label() string {
	if s.Name != "" {
		return s.Name
	}
	return s.Addr
}

// pointName is what the points of the server on a ring are called, by the rule that names says.
func (s Server) pointName(names string) string {
	switch {
	case s.Name != "" || names == "full":
		return s.label()
	case names == "spymemcached":
		return "/" + s.Addr
	}
	return strings.TrimSuffix(s.Addr, ":"+defaultPort)
}

// Token is a place on a Cassandra ring and the node that owns what leads up to it, "" if it is not known.
type Token struct {
	Token int64
	Node  string
}

// KeyRange is a run of keys in the order of their bytes. Start belongs to it, End does not; empty ones are
// open.
type KeyRange struct {
	Start, End      []byte
	Partition, Node string
}

// Topology is one kind of topology file. It documents itself.
type Topology struct {
	ID, Title, Text, Source string
	// Default is the partitioner that a file of this kind is for unless another is named.
	Default string
	// is recognises a file of this kind, whole or damaged.
	is func(text []byte) bool
	// parse reads it. Errors name the line, or the entry of a JSON document.
	parse func(text []byte, m *Map) error
}

// Topologies lists every kind of topology file that can be read, in the order in which they are tried.
func Topologies() []Topology {
	return []Topology{
		clusterNodes, clusterShards, clusterSlots,
		mongoChunks, kinesisShards, mcrouterConfig,
		kafkaTopics, nodetoolDescribeRing, nodetoolRing,
		twemproxyConfig, slotMap, tokenMap, keyRanges, serverList,
	}
}

// ReadTopology reads a topology file; what kind it is shows in its content.
func ReadTopology(text []byte) (*Map, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, errors.New("the topology file is empty")
	}
	for _, t := range Topologies() {
		if !t.is(text) {
			continue
		}
		m := &Map{Kind: t.ID, Default: t.Default}
		if err := t.parse(text, m); err != nil {
			return nil, fmt.Errorf("as %s: %w", t.Title, err)
		}
		return m, nil
	}
	return nil, errors.New("not a topology file of a kind that is known here (keyskew list topologies)")
}

// topic finds a topic by name; without one the only topic.
func (m *Map) topic(name string) (Topic, error) {
	return one(m.Topics, name, "topic", func(t Topic) string { return t.Name })
}

// pool finds a pool by name; without one the only pool.
func (m *Map) pool(name string) (Pool, error) {
	return one(m.Pools, name, "pool", func(p Pool) string { return p.Name })
}

func one[T any](of []T, name, noun string, nameOf func(T) string) (found T, err error) {
	var names []string
	for _, candidate := range of {
		if nameOf(candidate) == name {
			return candidate, nil
		}
		names = append(names, nameOf(candidate))
	}
	switch {
	case name != "":
		return found, fmt.Errorf("%s=%s: the topology file has %s", noun, name, strings.Join(names, ", "))
	case len(of) == 1:
		return of[0], nil
	}
	return found, fmt.Errorf("the topology file has %d %ss; choose one with the parameter %s: %s", len(of), noun, noun, strings.Join(names, ", "))
}

// lineError is an error with its place in a topology file.
func lineError(line int, format string, args ...any) error {
	return fmt.Errorf("line %d: %w", line, fmt.Errorf(format, args...))
}

// eachLine calls f with every line that says something: no empty line, no comment, and nothing that a
// pasted session has around the text. f gets the line without spaces at its end.
func eachLine(text []byte, f func(number int, line string) error) error {
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimRight(line, " \t\r\n")
		if strings.TrimSpace(line) == "" || isSession(line) {
			continue
		}
		if err := f(number, line); err != nil {
			return err
		}
	}
	return nil
}

// isSession recognises what a pasted session has around the text: a prompt, a comment, the fence of a
// code block.
func isSession(line string) bool {
	line = strings.ToLower(strings.TrimSpace(line))
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "$ ") ||
		strings.HasSuffix(line, "cluster nodes") || strings.HasSuffix(line, "cluster slots") || strings.HasSuffix(line, "cluster shards")
}

// anyLine reports whether a line that says something passes a test.
func anyLine(text []byte, test func(line string) bool) bool {
	found := errors.New("found")
	return eachLine(text, func(_ int, line string) error {
		if test(line) {
			return found
		}
		return nil
	}) == found
}

// firstLine is the first line that says something.
func firstLine(text []byte) (first string) {
	anyLine(text, func(line string) bool {
		first = line
		return true
	})
	return first
}
