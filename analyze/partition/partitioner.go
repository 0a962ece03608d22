package partition

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Partitioner is one way to place keys. It documents itself.
type Partitioner struct {
	ID, Title, Text, Source string
	// Encodings are the ways in which a key's text can become the bytes that are hashed; the first holds
	// where none is named.
	Encodings []Encoding
	// Composite keys may be named as encodings with : between them, one for each column of the key.
	Composite bool
	// Params may follow the ID: "modula,hash=crc".
	Params []Param
	// Shards says that a number of shards is enough, and what a shard is called ("partition").
	Shards string
	// Topologies are the kinds of topology files it takes, by ID.
	Topologies []string
	// Refusal says why nobody outside the store can compute its partitions; "" for all others.
	Refusal string

	build func(o Options) (plan, error)
}

// Param is one parameter of a partitioner.
type Param struct{ Name, Text string }

// Options say which layout of a partitioner to make.
type Options struct {
	// Shards is the number of even partitions, 0 where Map says which there are.
	Shards int
	// Map is what the topology file says, nil for none.
	Map *Map
	// Encoding is the ID of one of the partitioner's encodings, or several with : between them; "" for
	// the first.
	Encoding string
	Params   map[string]string
}

// Partitioners lists every partitioner, those that cannot be computed last.
func Partitioners() []Partitioner {
	return []Partitioner{
		redisCluster, explicit,
		kafkaMurmur2, kafkaCRC32, kafkaFNV1a, kafkaFNV1aReference,
		modCRC32, modFNV1a32, modFNV1a64, modXXH64, modMD5, modSHA1, modInt, jump, rendezvous,
		modula, ketama, ketamaPlain, twemproxy, mcrouter,
		cassandra, scylla, ranges,
		elasticsearch, mongoDB, postgres, citus, kinesis,
		dynamoDB, cosmosDB, firestore, spanner,
	}
}

// Find returns the partitioner with an ID.
func Find(id string) (Partitioner, bool) {
	for _, p := range Partitioners() {
		if p.ID == id {
			return p, true
		}
	}
	return Partitioner{}, false
}

// ParseSpec reads "ID" or "ID,name=value,...". The value of extract is the rest of the text, since regular
// expressions hold commas.
func ParseSpec(spec string) (Partitioner, map[string]string, error) {
	id, rest, _ := strings.Cut(spec, ",")
	p, ok := Find(id)
	if !ok {
		var ids []string
		for _, p := range Partitioners() {
			ids = append(ids, p.ID)
		}
		return p, nil, fmt.Errorf("want one of %s", strings.Join(ids, ", "))
	}
	params := map[string]string{}
	for rest != "" {
		var param string
		if strings.HasPrefix(rest, "extract=") {
			param, rest = rest, ""
		} else {
			param, rest, _ = strings.Cut(rest, ",")
		}
		name, value, ok := strings.Cut(param, "=")
		if !ok || value == "" {
			return p, nil, fmt.Errorf("%q is no parameter: want name=value", param)
		}
		if _, twice := params[name]; twice {
			return p, nil, fmt.Errorf("%s is given twice", name)
		}
		params[name] = value
	}
	return p, params, p.checkParams(params)
}

func (p Partitioner) checkParams(params map[string]string) error {
	var known []string
	for _, param := range p.Params {
		known = append(known, param.Name)
	}
	for _, name := range sortedKeys(params) {
		switch {
		case slices.Contains(known, name):
		case len(known) == 0:
			return fmt.Errorf("%s has no parameters, so no %q", p.ID, name)
		default:
			return fmt.Errorf("%s has no parameter %q; what it has: %s", p.ID, name, strings.Join(known, ", "))
		}
	}
	return nil
}

// Even divides the key space evenly over n partitions, as the store's own tools do.
func (p Partitioner) Even(n int) (*Layout, error) { return p.Layout(Options{Shards: n}) }

// Layout makes the layout that the options describe, or says what they lack or contradict.
func (p Partitioner) Layout(o Options) (*Layout, error) {
	if p.Refusal != "" {
		return nil, fmt.Errorf("%s cannot be computed: %s", p.ID, p.Refusal)
	}
	if err := p.checkSource(o); err != nil {
		return nil, err
	}
	if err := p.checkParams(o.Params); err != nil {
		return nil, err
	}
	encode, err := p.encoder(o.Encoding)
	if err != nil {
		return nil, err
	}
	if o.Encoding == "" {
		o.Encoding = p.Encodings[0].ID
	}
	plan, err := p.build(o)
	if err != nil {
		return nil, err
	}
	if len(plan.parts) > MaxPartitions {
		return nil, fmt.Errorf("%d partitions: at most %d can be told apart", len(plan.parts), MaxPartitions)
	}
	l := newLayout(p, o, plan)
	l.encode = encode
	return l, nil
}

// checkSource checks that the options say which partitions there are, once, and in a way that fits.
func (p Partitioner) checkSource(o Options) error {
	switch {
	case o.Shards != 0 && o.Map != nil:
		return fmt.Errorf("a number of shards and a topology file exclude each other: the topology says how many there are")
	case o.Map != nil && len(p.Topologies) == 0:
		return fmt.Errorf("%s takes no topology file", p.ID)
	case o.Map != nil && !slices.Contains(p.Topologies, o.Map.Kind):
		return fmt.Errorf("%s cannot use a topology file of the kind %s; it takes %s", p.ID, o.Map.Kind, joined(p.Topologies))
	case o.Map != nil || p.ID == Explicit && o.Shards == 0:
		return nil
	case p.ID == Explicit:
		return fmt.Errorf("%s takes no number of shards: the input names them", p.ID)
	case p.Shards == "":
		return fmt.Errorf("%s needs a topology file (%s): a number of shards does not say where keys are", p.ID, joined(p.Topologies))
	case o.Shards == 0 && len(p.Topologies) == 0:
		return fmt.Errorf("%s needs the number of %ss", p.ID, p.Shards)
	case o.Shards == 0:
		return fmt.Errorf("%s needs the number of %ss, or a topology file (%s)", p.ID, p.Shards, joined(p.Topologies))
	case o.Shards < 1 || o.Shards > MaxPartitions:
		return fmt.Errorf("%d shards: between 1 and %d can be told apart", o.Shards, MaxPartitions)
	}
	return nil
}

// encoder finds an encoding, or puts several together.
func (p Partitioner) encoder(id string) (encoder, error) {
	var ids []string
	for _, e := range p.Encodings {
		ids = append(ids, e.ID)
	}
	names := strings.Split(id, ":")
	if id == "" {
		names = ids[:1]
	}
	if len(names) > 1 && !p.Composite {
		return nil, fmt.Errorf("%s has no keys of several columns; its key encodings: %s", p.ID, strings.Join(ids, ", "))
	}
	var found []encoder
	for _, name := range names {
		i := slices.Index(ids, name)
		if i < 0 {
			return nil, fmt.Errorf("%s has no key encoding %q; what it has: %s", p.ID, name, strings.Join(ids, ", "))
		}
		found = append(found, p.Encodings[i].encode)
	}
	if len(found) == 1 {
		return found[0], nil
	}
	return composite(found), nil
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// number reads a parameter that is a number from low to high; def where it is not given.
func (o Options) number(name string, def, low, high int) (int, error) {
	text, ok := o.Params[name]
	if !ok {
		return def, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("%s=%s: want a number from %d to %d", name, text, low, high)
	}
	return n, nil
}
