package partition

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v3"
)

var twemproxyConfig = Topology{
	ID:      "twemproxy",
	Title:   "twemproxy configuration",
	Text:    "nutcracker.yml: pools with their servers, hash, distribution and hash_tag.",
	Source:  "twemproxy, README and nc_conf.c",
	Default: "twemproxy",
	is: func(text []byte) bool {
		has := func(name string) bool {
			return anyLine(text, func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), name) })
		}
		return has("listen:") && has("servers:") || has("distribution:")
	},
	parse: parseTwemproxy,
}

func parseTwemproxy(text []byte, m *Map) error {
	var pools map[string]struct {
		Hash         yaml.Node
		Distribution yaml.Node
		HashTag      yaml.Node `yaml:"hash_tag"`
		Servers      []yaml.Node
	}
	if err := yaml.Unmarshal(text, &pools); err != nil {
		return fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		p := pools[name]
		pool := Pool{Name: name, Hash: p.Hash.Value, Distribution: p.Distribution.Value, HashTag: p.HashTag.Value}
		switch {
		case len(p.Servers) == 0:
			return fmt.Errorf("the pool %s has no servers", name)
		case len(pool.HashTag) != 0 && len(pool.HashTag) != 2:
			return lineError(p.HashTag.Line, "the hash_tag of the pool %s is %q: want two characters", name, pool.HashTag)
		case !slices.Contains([]string{"", "ketama", "modula", "random"}, pool.Distribution):
			return lineError(p.Distribution.Line, "the distribution of the pool %s is %q: want ketama, modula or random", name, pool.Distribution)
		}
		if pool.Hash != "" {
			if _, err := findHash(pool.Hash); err != nil {
				return lineError(p.Hash.Line, "the pool %s: %w", name, err)
			}
		}
		for _, server := range p.Servers {
			s, err := parseTwemproxyServer(server.Value)
			if err != nil {
				return lineError(server.Line, "the pool %s: %w", name, err)
			}
			pool.Servers = append(pool.Servers, s)
		}
		m.Pools = append(m.Pools, pool)
	}
	if len(m.Pools) == 0 {
		return errors.New("no pool in it")
	}
	return nil
}

// parseTwemproxyServer reads host:port:weight or /path:weight, and a name behind it.
func parseTwemproxyServer(text string) (s Server, err error) {
	addr := text
	if i := strings.LastIndexByte(text, ' '); i >= 0 {
		addr, s.Name = text[:i], text[i+1:]
	}
	i := strings.LastIndexByte(addr, ':')
	if i < 0 || !strings.HasPrefix(addr, "/") && !isAddress(addr[:i]) || !strings.HasPrefix(addr, "/") && !strings.Contains(addr[:i], ":") {
		return s, fmt.Errorf("%q is no server: want host:port:weight or /path:weight, and a name", text)
	}
	s.Addr = addr[:i]
	s.Weight, err = parseWeight(addr[i+1:])
	return s, err
}

var mcrouterConfig = Topology{
	ID:      "mcrouter",
	Title:   "mcrouter configuration",
	Text:    "pools with their servers, and the hash of the routes that lead to them. Comments and macros are allowed; where a macro sets the hash, name it with the parameter hash.",
	Source:  "facebook/mcrouter wiki, \"Config Files\" and \"Pools\"",
	Default: "mcrouter",
	is: func(text []byte) bool {
		trimmed := bytes.TrimSpace(text)
		return (isJSON(trimmed) || bytes.HasPrefix(trimmed, []byte("//")) || bytes.HasPrefix(trimmed, []byte("/*"))) &&
			(bytes.Contains(text, []byte(`"pools"`)) || bytes.Contains(text, []byte(`"PoolRoute`)))
	},
	parse: parseMcrouter,
}

func parseMcrouter(text []byte, m *Map) error {
	plain, err := hujson.Standardize(bytes.Clone(text))
	if err != nil {
		return fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "hujson: "))
	}
	var document map[string]any
	if err := json.Unmarshal(plain, &document); err != nil {
		return jsonError(text, err, 0)
	}
	hashes := map[string]map[string]bool{} // by pool; "" stands for pools that only a macro knows
	pools := map[string]any{}
	if named, ok := document["pools"].(map[string]any); ok {
		maps.Copy(pools, named)
	}
	walkRoutes(document, pools, hashes)
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		servers, err := mcrouterServers(pools[name])
		if err != nil {
			return fmt.Errorf("the pool %s: %w", name, err)
		}
		if len(servers) == 0 { // inherited, or kept in another file
			continue
		}
		found := slices.Sorted(maps.Keys(hashes[name]))
		pool := Pool{Name: name, Servers: servers, Hash: strings.Join(found, " and ")}
		if len(found) == 0 && len(hashes[""]) > 0 {
			pool.Hash = "of a macro"
		}
		m.Pools = append(m.Pools, pool)
	}
	if len(m.Pools) == 0 {
		return errors.New("no pool with servers in it")
	}
	return nil
}

// mcrouterServers reads the servers of a pool: host:port, perhaps with a protocol behind it.
func mcrouterServers(pool any) ([]Server, error) {
	fields, _ := pool.(map[string]any)
	list, _ := fields["servers"].([]any)
	var servers []Server
	for _, entry := range list {
		text, ok := entry.(string)
		addr := text
		if i := strings.LastIndexByte(addr, ']'); strings.Count(addr[max(i, 0):], ":") > 1 {
			host, rest := addr[:max(i, 0)], addr[max(i, 0):]
			parts := strings.SplitN(rest, ":", 3)
			addr = host + parts[0] + ":" + parts[1]
		}
		if !ok || !isAddress(addr) {
			return nil, fmt.Errorf("%q is no server: want host:port", text)
		}
		servers = append(servers, Server{Addr: text, Weight: 1})
	}
	return servers, nil
}

// walkRoutes looks at every route of a document for the hash of its pool, and for pools that are written
// where they are used.
func walkRoutes(v any, pools map[string]any, hashes map[string]map[string]bool) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			walkRoutes(e, pools, hashes)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			walkRoutes(v[name], pools, hashes)
		}
		if v["type"] != "PoolRoute" {
			return
		}
		name := word(v["pool"])
		if inline, ok := v["pool"].(map[string]any); ok {
			if name = word(inline["name"]); name != "" {
				pools[name] = inline
			}
		}
		if strings.ContainsAny(name, "%@") {
			name = ""
		}
		if hash := mcrouterHash(v["hash"]); name != "" || hash != "Ch3" {
			if hashes[name] == nil {
				hashes[name] = map[string]bool{}
			}
			hashes[name][hash] = true
		}
	}
}

// mcrouterHash names the hash of a route.
func mcrouterHash(v any) string {
	switch v := v.(type) {
	case nil:
		return "Ch3"
	case string:
		return v
	case map[string]any:
		hash := word(v["hash_func"])
		if hash == "" {
			hash = "Ch3"
		}
		if v["salt"] != nil {
			hash += " with a salt"
		}
		return hash
	}
	return "unknown"
}
