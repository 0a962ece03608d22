package partition

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var nodetoolRing = Topology{
	ID:      "nodetool-ring",
	Title:   "nodetool ring",
	Text:    "what `nodetool ring` prints: a line for each token with its node. A token that only the line above the first node names, as when rows were lost, has no node: keys there are not placed.",
	Source:  "Apache Cassandra, nodetool ring",
	Default: "cassandra",
	is: func(text []byte) bool {
		return anyLine(text, func(line string) bool {
			f := strings.Fields(line)
			return f[0] == "Address" && f[len(f)-1] == "Token"
		})
	},
	parse: parseNodetoolRing,
}

func parseNodetoolRing(text []byte, m *Map) error {
	seen, wrap := map[int64]int{}, map[int64]bool{}
	rows := 0
	err := eachLine(text, func(number int, line string) error {
		f := strings.Fields(line)
		last := f[len(f)-1]
		switch {
		case f[0] == "Address", f[0] == "Datacenter:", f[0] == "Note:", f[0] == "Warning:", strings.Trim(line, "= ") == "",
			strings.HasPrefix(strings.TrimSpace(line), "To view status"):
			return nil
		case len(f) == 1 && isNumber(f[0]):
			// The ring closes: this is the token of the last row of the datacenter.
			token, _ := strconv.ParseInt(f[0], 10, 64)
			wrap[token] = true
			return nil
		case len(f) < 6 || !slices.Contains([]string{"Up", "Down", "?"}, f[2]):
			return lineError(number, "this is no row of the ring (address, rack, status, state, load, owns, token)")
		}
		rows++
		if f[3] == "Joining" { // owns nothing yet
			return nil
		}
		return m.addToken(seen, number, last, f[0])
	})
	if err != nil {
		return err
	}
	if len(m.Tokens) == 0 {
		return fmt.Errorf("none of its %s owns a token", count(rows, "row"))
	}
	for _, token := range slices.Sorted(maps.Keys(wrap)) {
		if seen[token] == 0 {
			m.Tokens = append(m.Tokens, Token{Token: token})
		}
	}
	return nil
}

var nodetoolDescribeRing = Topology{
	ID:      "nodetool-describering",
	Title:   "nodetool describering",
	Text:    "what `nodetool describering KEYSPACE` prints: ranges of tokens with their replicas, the first of which counts here.",
	Source:  "Apache Cassandra, nodetool describering",
	Default: "cassandra",
	is:      func(text []byte) bool { return bytes.Contains(text, []byte(tokenRange)) },
	parse:   parseDescribeRing,
}

const tokenRange = "TokenRange(start_token:"

// describedRange finds the parts of one range. Some versions have no comma before endpoints.
var describedRange = regexp.MustCompile(`^(-?\d+),\s*end_token:(-?\d+),?\s*endpoints:\[([^\],\s]+)`)

func parseDescribeRing(text []byte, m *Map) error {
	seen, starts := map[int64]int{}, map[int64]int{}
	at := 0
	for {
		next := bytes.Index(text[at:], []byte(tokenRange))
		if next < 0 {
			break
		}
		line := lineAt(text, int64(at+next))
		at += next + len(tokenRange)
		found := describedRange.FindSubmatch(text[at:])
		if found == nil {
			return lineError(line, "this range has no end_token, or no endpoints")
		}
		start, err := strconv.ParseInt(string(found[1]), 10, 64)
		if err != nil {
			return lineError(line, "%q is no token (a signed number of 64 bits)", found[1])
		}
		starts[start] = line
		if err := m.addToken(seen, line, string(found[2]), string(found[3])); err != nil {
			return err
		}
	}
	if len(m.Tokens) == 0 {
		return errors.New("no range of tokens in it")
	}
	for _, start := range slices.Sorted(maps.Keys(starts)) {
		if seen[start] == 0 {
			return lineError(starts[start], "no range ends at %d, where this one begins: the text is not whole", start)
		}
	}
	return nil
}
