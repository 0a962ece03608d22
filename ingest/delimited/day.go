package delimited

import (
	"bytes"

	"keyskew/ingest/timestamp"
)

// dateTime appends a date and a time of day as one time, the hour with two digits; nothing, which no clock
// reads, if one of them is missing.
func dateTime(dst, date, ofDay []byte) []byte {
	date, ofDay = bytes.TrimSpace(date), bytes.TrimSpace(ofDay)
	if len(date) == 0 || len(ofDay) == 0 {
		return dst
	}
	dst = append(append(dst, date...), ' ')
	if len(ofDay) > 1 && ofDay[1] == ':' {
		dst = append(dst, '0')
	}
	return append(dst, ofDay...)
}

// isDay says that a cell is a date without a time.
func isDay(cell []byte) bool {
	cell = bytes.TrimSpace(cell)
	return len(cell) <= len("2006-01-02") && bytes.IndexByte(cell, ':') < 0
}

// isTimeOfDay says that a cell is a time without a date: 9:05, 09:05:01 or 09:05:01.25.
func isTimeOfDay(cell []byte) bool {
	cell = bytes.TrimSpace(cell)
	return timestamp.Shaped(cell, "00:00") || timestamp.Shaped(cell, "0:00")
}
