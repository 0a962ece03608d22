package synth

import (
	"strconv"
	"time"
)

func monitorFormat() Format {
	return Format{
		ID:    "monitor",
		Title: "MONITOR capture",
		Text: "What redis-cli monitor prints since Redis 6.2.4: GET, SET of 16 bytes, INCR, MGET of three " +
			"keys and BLPOP, with microseconds and client addresses.",
		head:   "OK\n",
		step:   time.Microsecond,
		redis:  true,
		spell:  escaped,
		name:   asItIs,
		refuse: anyKey,
		lines:  monitorLines,
	}
}

func monitorLines(c Config) func([]byte, *command) []byte {
	clients, pollers := monitorClients(0, c.Clients), monitorClients(1, c.Pollers)
	var second int64 // whose digits are in digits
	var digits []byte
	return func(b []byte, c *command) []byte {
		if s := c.micros / 1_000_000; s != second {
			second = s
			digits = append(strconv.AppendInt(digits[:0], s, 10), '.')
		}
		b = appendSix(append(b, digits...), c.micros)
		from := clients
		if c.op == poll {
			from = pollers
		}
		b = append(b, from[c.client]...)
		switch c.op {
		case get:
			b = append(b, `"GET" "`...)
		case set:
			b = append(b, `"SET" "`...)
		case incr:
			b = append(b, `"INCR" "`...)
		case mget:
			b = append(append(b, `"MGET" "`...), c.keys[0]...)
			b = append(append(b, `" "`...), c.keys[1]...)
			b = append(append(b, `" "`...), c.keys[2]...)
			return append(b, "\"\n"...)
		case poll:
			b = append(append(b, `"BLPOP" "`...), c.keys[0]...)
			return append(b, "\" \"1\"\n"...)
		}
		b = append(b, c.keys[0]...)
		if c.op == set {
			b = append(b, `" "`...)
			v := c.value
			for range 16 {
				b = append(b, hexDigits[v>>60])
				v <<= 4
			}
		}
		return append(b, "\"\n"...)
	}
}

// monitorClients returns n clients as they stand in a line.
func monitorClients(net, n int) []string {
	out := make([]string, n)
	for i := range out {
		port := strconv.Itoa(32768 + i*7919%28232) // in the range of Linux
		out[i] = " [0 " + address(net, i) + ":" + port + "] "
	}
	return out
}

const hexDigits = "0123456789abcdef"

// escaped is an argument as Redis prints it in MONITOR between double quotes, with the escapes of
// sdscatrepr (redis/src/sds.c).
func escaped(arg string) string {
	var b []byte
	for _, c := range []byte(arg) {
		switch c {
		case '\\', '"':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		case '\a':
			b = append(b, `\a`...)
		case '\b':
			b = append(b, `\b`...)
		default:
			if c >= ' ' && c <= '~' {
				b = append(b, c)
			} else {
				b = append(b, '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
			}
		}
	}
	return string(b)
}
