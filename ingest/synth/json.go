package synth

import (
	"fmt"
	"strconv"
	"time"
)

func jsonFormat() Format {
	return Format{
		ID:    "json",
		Title: "JSON lines",
		Text: "An object a line with ts (RFC 3339, microseconds), key, op (get, set or incr), size of the " +
			"value in bytes and client_ip. An MGET is three lines, and polls are left out.",
		step:   time.Microsecond,
		spell:  jsonEscaped,
		name:   asItIs,
		refuse: textOnly,
		lines:  jsonLines,
	}
}

func jsonLines(c Config) func([]byte, *command) []byte {
	tails := make([]string, c.Clients)
	for i := range tails {
		tails[i] = `,"client_ip":"` + address(0, i) + "\"}\n"
	}
	clock := stamp{layout: "2006-01-02T15:04:05."}
	return func(b []byte, c *command) []byte {
		b = append(b, `{"ts":"`...)
		b = appendSix(clock.append(b, c.micros/1_000_000), c.micros)
		b = append(append(b, `Z","key":"`...), c.keys[0]...)
		b = append(append(b, `","op":"`...), operationNames[c.op]...)
		b = strconv.AppendUint(append(b, `","size":`...), c.size, 10)
		return append(b, tails[c.client]...)
	}
}

// jsonEscaped is a text as it stands between the quotes of a string (RFC 8259, section 7).
func jsonEscaped(key string) string {
	var b []byte
	for _, c := range []byte(key) {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ':
			b = fmt.Appendf(b, `\u%04x`, c)
		default:
			b = append(b, c)
		}
	}
	return string(b)
}
