package delimited

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"keyskew/ingest/request"
)

// role is what a column is used for.
type role int

const (
	keyRole role = iota
	timeRole
	opRole
	weightRole
	sizeRole
	partitionRole
	tenantRole
	clientRole
	statusRole
	latencyRole
	cacheRole
	ttlRole

	roles = iota
)

// none is the column of a role that the table does not have.
const none = -1

var roleNames = [roles]string{
	"key", "time", "op", "weight", "size", "partition", "tenant", "client", "status", "latency", "cache", "ttl",
}

// aliases are the column names that stand for a role, as spelled by access logs, caches, block traces and
// stores. Case and the signs - _ . and space between words do not matter.
var aliases = aliasTable(map[role]string{
	keyRole: "key k object_id obj_id object id item path uri url request_uri cs-uri-stem cache_key " +
		"partition_key pk row_key anonymized_key block_id lbn lba",
	timeRole: "time ts timestamp @timestamp t datetime date op_time event_time time_local time_iso8601 " +
		"start_time msec time_s time_sec time_ms time_us time_ns ts_s ts_sec ts_ms ts_us ts_ns timestamp_s " +
		"timestamp_ms timestamp_us timestamp_ns time_micros clock_time",
	opRole: "op operation method verb request_method command cmd op_name type io_type",
	sizeRole: "size bytes value_size val_size object_size obj_size body_bytes_sent sc-bytes io_size " +
		"size_bytes value_bytes",
	partitionRole: "partition shard slot node server upstream_addr upstream_host backend target region " +
		"tablet vnode rs_shard_id partition_id shard_id",
	tenantRole: "tenant tenant_id org account customer user user_id client client_id usecase use_case",
	clientRole: "client_ip client_addr client_address remote_addr remote_ip remote_host ip ip_address " +
		"source_ip src_ip peer c-ip",
	weightRole:  "count op_count n weight hits cnt",
	statusRole:  "status code status_code response_code sc-status",
	latencyRole: strings.Join(slices.Sorted(maps.Keys(latencyUnits)), " "),
	cacheRole: "cache_hits cache_hit cache_status cache_result cache hit hit_miss x_cache " +
		"upstream_cache_status",
	ttlRole: strings.Join(slices.Sorted(maps.Keys(ttlUnits)), " "),
})

// latencyUnits are the names of columns that say how long a request took, with their unit in
// nanoseconds. A name that tells no unit is not taken.
var latencyUnits = map[string]int64{
	"latencyns": 1, "latencyus": 1e3, "latencyms": 1e6, "latencys": 1e9, "latencysec": 1e9,
	"durationns": 1, "durationus": 1e3, "durationms": 1e6, "durations": 1e9, "durationsec": 1e9,
	"elapsedns": 1, "elapsedus": 1e3, "elapsedms": 1e6, "elapseds": 1e9,
	"responsetimens": 1, "responsetimeus": 1e3, "responsetimems": 1e6, "responsetimes": 1e9,
	"requesttime": 1e9, "upstreamresponsetime": 1e9, // nginx: seconds
}

// ttlUnits are the names of columns that give lifetimes, with their unit in milliseconds.
var ttlUnits = map[string]int64{
	"ttl": 1000, "ttls": 1000, "ttlsec": 1000, "ttlseconds": 1000, "ttlms": 1, "pttl": 1,
}

func aliasTable(byRole map[role]string) map[string]role {
	out := map[string]role{}
	for r, names := range byRole {
		for name := range strings.FieldsSeq(names) {
			out[plain(name)] = r
		}
	}
	return out
}

// lookup finds a column name in a table of names without allocating.
func lookup(names map[string]role, name []byte) (role, bool) {
	var buffer [32]byte
	n := 0
	for _, c := range bytes.TrimSpace(name) {
		switch {
		case c == '-' || c == '_' || c == '.' || c == ' ':
			continue
		case n == len(buffer):
			return 0, false
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		buffer[n] = c
		n++
	}
	r, ok := names[string(buffer[:n])]
	return r, ok
}

// plain is a column name as the tables of names spell it.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r + ('a' - 'A')
		case r == '-' || r == '_' || r == '.' || r == ' ':
			return -1
		}
		return r
	}, name)
}

// columns says what each column of a table is used for.
type columns struct {
	n     int
	names []string   // as the header spells them; nil without a header
	at    [roles]int // by role, from 0; none where there is none. Not used for keys of several columns.
	ofDay int        // the column of the time of day, where the time's has the date alone; else none
	keys  []int      // the columns of the key
	// assumed says in words why the key column was taken, where nothing named it.
	assumed string
	// left says of roles that no column was taken for, though one has the name, why.
	left []request.Mapped
}

func newColumns(n int, names []string) columns {
	c := columns{n: n, names: names, ofDay: none}
	for r := range c.at {
		c.at[r] = none
	}
	return c
}

// label is a column as the user can name it.
func (c *columns) label(i int) string {
	if c.names != nil && c.names[i] != "" {
		return request.Show([]byte(c.names[i]), maxShown)
	}
	return "column " + strconv.Itoa(i+1)
}

// list names all columns, for messages.
func (c *columns) list() string {
	if c.names == nil {
		return fmt.Sprintf("there is no header: say a number, 1 to %d", c.n)
	}
	labels := make([]string, 0, c.n)
	for i := range c.n {
		if labels = append(labels, c.label(i)); len(labels) == 40 {
			return "columns: " + strings.Join(labels, ", ") + ", ..."
		}
	}
	return "columns: " + strings.Join(labels, ", ")
}

// find returns the column that the user names: by its name, or by its number from 1.
func (c *columns) find(name string) (int, bool) {
	if i := slices.Index(c.names, name); i >= 0 {
		return i, true
	}
	if i, err := strconv.Atoi(name); err == nil {
		return i - 1, 1 <= i && i <= c.n
	}
	i := slices.IndexFunc(c.names, func(have string) bool { return plain(have) == plain(name) })
	return i, i >= 0
}

// asked takes over the columns that the user names, and returns what is wrong with them.
func (c *columns) asked(s request.Select) string {
	for _, a := range []struct {
		role role
		name string
	}{
		{timeRole, s.Time}, {opRole, s.Op}, {sizeRole, s.Size}, {weightRole, s.Weight},
		{partitionRole, s.Partition}, {tenantRole, s.Tenant}, {clientRole, s.Client},
	} {
		if a.name == "" {
			continue
		}
		i, ok := c.find(a.name)
		if date, ofDay, two := strings.Cut(a.name, ","); !ok && two && a.role == timeRole {
			if i, ok = c.find(date); ok {
				c.ofDay, ok = c.find(ofDay)
			}
		}
		if !ok {
			return c.missing(a.role, a.name)
		}
		c.at[a.role] = i
	}
	if s.Key == "" {
		return ""
	}
	parts := []string{s.Key}
	if _, ok := c.find(s.Key); !ok {
		parts = strings.Split(s.Key, ",")
	}
	c.keys, c.assumed = nil, ""
	for _, part := range parts {
		i, ok := c.find(part)
		if !ok {
			return c.missing(keyRole, part)
		}
		c.keys = append(c.keys, i)
	}
	return ""
}

func (c *columns) missing(r role, name string) string {
	return fmt.Sprintf("there is no column %q for the %s; %s", name, roleNames[r], c.list())
}

// named gives the columns roles by their names; extra has the names of a known trace. It returns what is
// wrong: two columns that would do for one role.
func (c *columns) named(extra map[string]role) string {
	var found [roles][]int
	for i, name := range c.names {
		r, ok := extra[plain(name)]
		if !ok {
			r, ok = aliases[plain(name)]
		}
		if ok && r != roles && !c.taken(i) {
			found[r] = append(found[r], i)
		}
	}
	// A client beside another tenant is a client.
	if t := found[tenantRole]; len(t) == 2 && len(found[clientRole]) == 0 {
		for j, i := range t {
			if p := plain(c.names[i]); p == "client" || p == "clientid" {
				found[tenantRole], found[clientRole] = []int{t[1-j]}, []int{i}
				break
			}
		}
	}
	for r, is := range found {
		if c.at[r] != none || role(r) == keyRole && c.keys != nil || len(is) == 0 {
			continue
		}
		if len(is) > 1 && role(r) >= statusRole {
			c.leave(role(r), "none: "+c.label(is[0])+" and "+c.label(is[1])+" would both do")
			continue
		}
		if role(r) == timeRole && c.dateAndTime(is) {
			continue
		}
		if len(is) > 1 {
			return c.ambiguous(role(r), is[0], is[1])
		}
		if role(r) == keyRole {
			c.keys = is
		} else {
			c.at[r] = is[0]
		}
	}
	return ""
}

// dateAndTime takes two columns that are called date and time for the date and the time of day.
func (c *columns) dateAndTime(is []int) bool {
	if len(is) != 2 {
		return false
	}
	date, ofDay := is[0], is[1]
	if plain(c.names[date]) != "date" {
		date, ofDay = ofDay, date
	}
	if plain(c.names[date]) != "date" || plain(c.names[ofDay]) != "time" {
		return false
	}
	c.at[timeRole], c.ofDay = date, ofDay
	return true
}

func (c *columns) ambiguous(r role, a, b int) string {
	return fmt.Sprintf("two columns would do for the %s: %s (column %d) and %s (column %d); say which with --%s",
		roleNames[r], c.label(a), a+1, c.label(b), b+1, roleNames[r])
}

// lastResort takes a column for the key that has a name which means one only where nothing else does: block
// traces have offsets, but so have logs of messages.
func (c *columns) lastResort() {
	for i, name := range c.names {
		if plain(name) == "offset" && !c.taken(i) {
			c.keys, c.assumed = []int{i}, "assumed: no column has a name that means a key alone"
			return
		}
	}
}

// leave says why a role has no column; there is no flag to choose one for the last few.
func (c *columns) leave(r role, why string) {
	c.at[r] = none
	c.left = append(c.left, request.Mapped{Field: roleNames[r], From: why})
}

// taken says that a column has a role already.
func (c *columns) taken(i int) bool {
	return slices.Contains(c.at[:], i) || slices.Contains(c.keys, i) || i == c.ofDay
}

// free lists the columns without a role.
func (c *columns) free() (out []int) {
	for i := range c.n {
		if !c.taken(i) {
			out = append(out, i)
		}
	}
	return out
}

// mapping says which column is what, in order of importance.
func (c *columns) mapping(clock clock) []request.Mapped {
	var keys []string
	for _, i := range c.keys {
		keys = append(keys, c.label(i))
	}
	key := strings.Join(keys, ", ")
	if c.assumed != "" {
		key += " (" + c.assumed + ")"
	}
	out := []request.Mapped{{Field: roleNames[keyRole], From: key}}
	for r := timeRole; r < roles; r++ {
		if c.at[r] == none {
			continue
		}
		from := c.label(c.at[r])
		if r == timeRole && c.ofDay != none {
			from += ", " + c.label(c.ofDay)
		}
		if r == timeRole {
			from += " (" + clock.words + ")"
		}
		out = append(out, request.Mapped{Field: roleNames[r], From: from})
	}
	return append(out, c.left...)
}

// namesOf are the cells of a header.
func namesOf(cells [][]byte) []string {
	out := make([]string, len(cells))
	for i, cell := range cells {
		out[i] = string(bytes.TrimSpace(cell))
	}
	return out
}
