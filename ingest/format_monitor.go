package ingest

import (
	"keyskew/ingest/monitor"
	"keyskew/ingest/request"
)

// monitorFormat is the entry of Redis MONITOR captures.
func monitorFormat() Format {
	return Format{
		ID:    "monitor",
		Title: "MONITOR capture",
		Text: "What the MONITOR command of Redis, Valkey, KeyDB or Dragonfly prints: through redis-cli " +
			"(also with --csv or --json), from a raw connection, or with a prefix that docker, kubectl, ts " +
			"or journald put in front of each line. Every line is one command with its time, database, " +
			"client and arguments.",
		Source: "Redis command reference, MONITOR; replicationFeedMonitors in the server's replication.c",
		Detect: func(head []byte) Detection {
			s := monitor.Detect(head)
			return Detection{
				Matched:      s.Matched,
				Lines:        s.Lines,
				Framing:      s.Framing,
				FirstBad:     s.FirstBad,
				FirstBadText: s.FirstBadText,
				Reason:       s.Reason,
			}
		},
		NewDecoder: func(o Options) request.Decoder { return monitor.New(o.Monitor) },
		Continues:  monitor.Continues,
		CutOff:     "cut off at the end of the input",
	}
}
