package synth

import (
	"strconv"
	"strings"
	"time"
)

func csvFormat() Format {
	return Format{
		ID:    "csv",
		Title: "CSV with a header",
		Text: "The columns time (microseconds since 1970), key, op (get, set or incr), size of the value in " +
			"bytes and client_ip. An MGET is three rows, and polls are left out.",
		head:   "time,key,op,size,client_ip\n",
		step:   time.Microsecond,
		spell:  csvOpened,
		name:   asItIs,
		refuse: oneLine,
		lines:  csvLines,
	}
}

func csvLines(c Config) func([]byte, *command) []byte {
	tails := make([]string, c.Clients)
	for i := range tails {
		tails[i] = "," + address(0, i) + "\n"
	}
	return func(b []byte, c *command) []byte {
		b = append(strconv.AppendInt(b, c.micros, 10), ',')
		b = append(b, c.keys[0]...)
		if c.keys[0][0] == '"' {
			b = append(b, '"')
		}
		b = append(append(b, ','), operationNames[c.op]...)
		b = strconv.AppendUint(append(b, ','), c.size, 10)
		return append(b, tails[c.client]...)
	}
}

// csvOpened is a field of RFC 4180, in quotes where it needs them. The closing quote is missing, since
// more of the key may follow: whoever finds the opening one has to add it.
func csvOpened(key string) string {
	if !strings.ContainsAny(key, "\" ,;|") {
		return key
	}
	return `"` + strings.ReplaceAll(key, `"`, `""`)
}
