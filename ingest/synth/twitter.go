package synth

import (
	"strconv"
	"time"
)

func twitterFormat() Format {
	return Format{
		ID:    "twitter",
		Title: "Twitter cache trace",
		Text: "The seven columns of twitter/cache-trace, no header: time in whole seconds (since 1970), key, " +
			"its size, size of the value, number of the client, operation (get, set or incr) and TTL, which " +
			"is 0 for none. An MGET is three lines, and polls are left out.",
		step:   time.Second,
		spell:  asItIs,
		name:   asItIs,
		refuse: oneLine,
		lines:  twitterLines,
	}
}

func twitterLines(Config) func([]byte, *command) []byte {
	return func(b []byte, c *command) []byte {
		b = append(strconv.AppendInt(b, c.micros/1_000_000, 10), ',')
		b = append(append(b, c.keys[0]...), ',')
		b = append(strconv.AppendInt(b, int64(len(c.keys[0])), 10), ',')
		b = append(strconv.AppendUint(b, c.size, 10), ',')
		b = append(strconv.AppendInt(b, int64(c.client)+1, 10), ',')
		return append(append(b, operationNames[c.op]...), ",0\n"...)
	}
}
