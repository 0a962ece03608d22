package ingest

import (
	"bytes"

	"keyskew/ingest/monitor"
	"keyskew/ingest/request"
)

const monitorID = "monitor"

// monitorFormat is the entry of Redis MONITOR captures.
func monitorFormat() request.Format {
	return request.Format{
		ID:    monitorID,
		Title: "MONITOR capture",
		Text: "What the MONITOR command of Redis, Valkey, KeyDB or Dragonfly prints: through redis-cli " +
			"(also with --csv or --json), from a raw connection, or with a prefix that docker, kubectl, ts " +
			"or journald put in front of each line. Every line is one command with its time, database, " +
			"client and arguments.",
		Source: "Redis command reference, MONITOR; replicationFeedMonitors in the server's replication.c",
		Detect: func(head []byte, sel request.Select) request.Detection {
			s := monitor.Detect(head)
			o := monitor.Options{SkipUnknown: sel.SkipUnknown, Replica: sel.Replica}
			d := request.Detection{
				Matched:      s.Matched,
				Lines:        s.Lines,
				Framing:      s.Framing,
				FirstBad:     s.FirstBad,
				FirstBadText: s.FirstBadText,
				Reason:       s.Reason,
			}
			if onlyBanner(head) {
				d.Lines, d.Matched, d.Framing = 1, 1, monitor.FramingPlain
			}
			if chosen(sel) {
				d.Reason = "it has no columns to choose from: the commands say what their keys are"
				return d
			}
			d.New = func() request.Decoder { return monitor.New(o) }
			if sel.Databases {
				d.New = func() request.Decoder { return newDatabases(monitor.New(o)) }
			}
			return d
		},
		Continues: monitor.Continues,
		CutOff:    "cut off at the end of the input",
	}
}

// onlyBanner says that MONITOR was answered and nothing came: the capture of a server without traffic, and no
// list of a key OK.
func onlyBanner(head []byte) bool {
	banner := string(bytes.TrimPrefix(bytes.TrimSpace(head), []byte("+")))
	return banner == "OK"
}
