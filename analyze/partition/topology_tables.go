package partition

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

var slotMap = Topology{
	ID:      "slot-map",
	Title:   "slots by node",
	Text:    "Lines of a node's name, a tab and its Redis Cluster slots: `redis-a<TAB>0-5460,5462`. A name must not be a number.",
	Source:  "written by hand or by scripts",
	Default: RedisCluster,
	is: func(text []byte) bool {
		return anyLine(text, func(line string) bool {
			name, slots, _ := strings.Cut(line, "\t")
			return !isNumber(name) && strings.ContainsAny(slots, "-,") && strings.Trim(slots, "0123456789-, ") == ""
		})
	},
	parse: parseSlotMap,
}

func parseSlotMap(text []byte, m *Map) error {
	err := eachLine(text, func(number int, line string) error {
		name, slots, _ := strings.Cut(line, "\t")
		p := Partition{ID: strings.TrimSpace(name)}
		if p.ID == "" {
			return lineError(number, "no name before the slots")
		}
		for s := range strings.SplitSeq(slots, ",") {
			r, err := parseRange(strings.TrimSpace(s))
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
	return m.finishSlots(len(m.Slots))
}

var tokenMap = Topology{
	ID:      "token-map",
	Title:   "tokens by node",
	Text:    "Lines of a token, a tab and the node that owns the tokens up to it: `-9223372036854775808<TAB>10.0.0.1`.",
	Source:  "written by hand or by scripts: system.local, system.peers, system.tablets",
	Default: "cassandra",
	is: func(text []byte) bool {
		token, node, _ := strings.Cut(firstLine(text), "\t")
		return isNumber(token) && node != "" && !strings.Contains(node, "\t")
	},
	parse: func(text []byte, m *Map) error {
		seen := map[int64]int{}
		return eachLine(text, func(number int, line string) error {
			left, node, _ := strings.Cut(line, "\t")
			return m.addToken(seen, number, left, strings.TrimSpace(node))
		})
	},
}

// addToken adds a token; seen holds the lines of those before.
func (m *Map) addToken(seen map[int64]int, line int, text, node string) error {
	token, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	switch {
	case err != nil:
		return lineError(line, "%q is no token (a signed number of 64 bits)", text)
	case node == "":
		return lineError(line, "the token %d has no node", token)
	case seen[token] > 0:
		return lineError(line, "the token %d is in line %d already", token, seen[token])
	case len(m.Tokens) == maxTokens:
		return lineError(line, "more than %d tokens", maxTokens)
	}
	seen[token] = line
	m.Tokens = append(m.Tokens, Token{token, node})
	return nil
}

// maxTokens bounds a ring: 4,096 nodes with 256 tokens each.
const maxTokens = MaxPartitions * 256

var keyRanges = Topology{
	ID:    "key-ranges",
	Title: "ranges of keys by partition",
	Text: "Lines of a first key, the first key behind the range, a partition and, if known, its node, with tabs between: " +
		"`user:a<TAB>user:m<TAB>region-7<TAB>rs3`. An empty key stands for the end of the key space; `\\xHH` for a byte (a # in front is a comment, so write `\\x23`), `\\t` for a tab, `\\\\` for a backslash.",
	Source:  "written by hand or by scripts: list_regions of HBase, SHOW RANGES of CockroachDB, config.chunks of MongoDB",
	Default: "ranges",
	is: func(text []byte) bool {
		return strings.Count(firstLine(text), "\t") >= 2
	},
	parse: func(text []byte, m *Map) error {
		return eachLine(text, func(number int, line string) error {
			f := strings.Split(line, "\t")
			if len(f) < 3 || len(f) > 4 {
				return lineError(number, "%d columns: want first key, first key behind, partition, node", len(f))
			}
			var r KeyRange
			var err error
			if r.Start, err = unescape(f[0]); err != nil {
				return lineError(number, "%w", err)
			}
			if r.End, err = unescape(f[1]); err != nil {
				return lineError(number, "%w", err)
			}
			if len(r.End) > 0 && string(r.Start) >= string(r.End) {
				return lineError(number, "the range begins at %q and ends before it, at %q", r.Start, r.End)
			}
			if r.Partition = strings.TrimSpace(f[2]); r.Partition == "" {
				return lineError(number, "the range has no partition")
			}
			if len(f) == 4 {
				r.Node = strings.TrimSpace(f[3])
			}
			m.Ranges = append(m.Ranges, r)
			return nil
		})
	},
}

// unescape undoes \xHH, \t and \\.
func unescape(s string) ([]byte, error) {
	var out []byte
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			out = append(out, s[i])
			continue
		}
		rest := s[i+1:]
		switch {
		case strings.HasPrefix(rest, `\`):
			out, i = append(out, '\\'), i+1
		case strings.HasPrefix(rest, "t"):
			out, i = append(out, '\t'), i+1
		case strings.HasPrefix(rest, "x") && len(rest) >= 3:
			c, err := strconv.ParseUint(rest[1:3], 16, 8)
			if err != nil {
				return nil, fmt.Errorf("%q is no byte: want \\xHH", s[i:i+4])
			}
			out, i = append(out, byte(c)), i+3
		default:
			return nil, errors.New(`a lone backslash: want \xHH, \t or \\`)
		}
	}
	return out, nil
}

func isNumber(s string) bool {
	_, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	return err == nil
}

var serverList = Topology{
	ID:    "server-list",
	Title: "list of servers",
	Text: "One memcached server a line, in the order of the client's list: `10.0.1.1:11211`, with its weight behind it where it has one " +
		"(`10.0.1.1:11211<TAB>600`, the servers file of libketama).",
	Source:  "RJ/ketama, ketama.servers; --servers of libmemcached's tools",
	Default: "ketama",
	is: func(text []byte) bool {
		f := strings.Fields(firstLine(text))
		return len(f) > 0 && len(f) <= 2 && isAddress(f[0]) && (len(f) == 1 || strings.Trim(f[1], "0123456789") == "")
	},
	parse: func(text []byte, m *Map) error {
		pool, lines := Pool{}, map[string]int{}
		err := eachLine(text, func(number int, line string) error {
			f := strings.Fields(line)
			if len(f) > 2 || !isAddress(f[0]) {
				return lineError(number, "%q is no server: want host:port and a weight", line)
			}
			s := Server{Addr: f[0], Weight: 1}
			if len(f) == 2 {
				var err error
				if s.Weight, err = parseWeight(f[1]); err != nil {
					return lineError(number, "%w", err)
				}
			}
			if first := lines[s.Addr]; first > 0 {
				return lineError(number, "the server %s is in line %d already", s.Addr, first)
			}
			lines[s.Addr] = number
			pool.Servers = append(pool.Servers, s)
			return nil
		})
		m.Pools = []Pool{pool}
		return err
	},
}

// maxWeight keeps sums of weights within what single precision tells apart.
const maxWeight = 1 << 24

func parseWeight(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > maxWeight {
		return 0, fmt.Errorf("%q is no weight (1 to %d)", s, maxWeight)
	}
	return n, nil
}

// isAddress recognises host:port, [IPv6]:port, and a host with a dot in its name.
func isAddress(s string) bool {
	host := s
	if i := strings.LastIndexByte(s, ':'); i >= 0 {
		port, err := strconv.Atoi(s[i+1:])
		if err != nil || port < 1 || port > 65535 {
			return false
		}
		host = s[:i]
	} else if !strings.Contains(s, ".") {
		return false
	}
	return host != "" && !strings.ContainsFunc(host, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.:[]", r))
	})
}
