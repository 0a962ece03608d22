package order

import (
	"encoding/hex"
	"strconv"
	"time"
)

// Reading is one way to read an id: what it would be, and the time it would hold, in milliseconds since 1970.
type Reading struct {
	Kind string
	MS   int64
}

// Names of the ids that hold a time.
const (
	UUIDv1, UUIDv6, UUIDv7       = "UUID v1", "UUID v6", "UUID v7"
	ULID, KSUID, ObjectID        = "ULID", "KSUID", "ObjectID"
	Twitter, Discord, Instagram  = "Snowflake (Twitter)", "Snowflake (Discord)", "Snowflake (Instagram)"
	Seconds, Millis              = "Unix seconds", "Unix milliseconds"
	Micros, Nanos                = "Unix microseconds", "Unix nanoseconds"
	Day, Hour, Minute, DayAndSec = "date", "date and hour", "date and minute", "date and second"
)

// snowflakes are the layouts of 64-bit ids with the time in front: bits below it, and its epoch in
// milliseconds. Twitter 2010, Discord (developer reference, "Snowflakes"), Instagram ("Sharding & IDs", 2012).
var snowflakes = [...]struct {
	kind  string
	bits  int
	epoch int64
}{{Twitter, 22, 1288834974657}, {Discord, 22, 1420070400000}, {Instagram, 23, 1314220021721}}

// Readings lists all ways to read an id as one that holds a time.
func Readings(id []byte) []Reading {
	parts := split(nil, id)
	if len(parts) != 1 || parts[0].from != 0 || parts[0].to != len(id) {
		return nil
	}
	return readings(nil, id, parts[0].kind)
}

func readings(dst []Reading, id []byte, k kind) []Reading {
	switch k {
	case uuid:
		return appendUUID(dst, id)
	case ulid:
		return append(dst, Reading{ULID, ulidTime(id)})
	case ksuid:
		if s, ok := ksuidTime(id); ok {
			dst = append(dst, Reading{KSUID, 1000 * s})
		}
	case hexadecimal:
		if len(id) == 24 {
			if s, err := strconv.ParseUint(string(id[:8]), 16, 32); err == nil {
				dst = append(dst, Reading{ObjectID, 1000 * int64(s)})
			}
		}
		if len(id) == 32 {
			return appendUUID(dst, id)
		}
	case dashedDate:
		return appendDate(dst, Day, time.DateOnly, id)
	case number:
		return appendNumber(dst, id)
	}
	return dst
}

// appendNumber reads a decimal number as a time or a Snowflake, by its length.
func appendNumber(dst []Reading, id []byte) []Reading {
	if len(id) > 19 || len(id) < 8 {
		return dst
	}
	v, err := strconv.ParseInt(string(id), 10, 64)
	if err != nil {
		return dst
	}
	switch len(id) {
	case 8:
		dst = appendDate(dst, Day, "20060102", id)
	case 10:
		dst = appendDate(append(dst, Reading{Seconds, 1000 * v}), Hour, "2006010215", id)
	case 12:
		dst = appendDate(dst, Minute, "200601021504", id)
	case 13:
		dst = append(dst, Reading{Millis, v})
	case 14:
		dst = appendDate(dst, DayAndSec, "20060102150405", id)
	case 16:
		dst = append(dst, Reading{Micros, v / 1000})
	case 19:
		dst = append(dst, Reading{Nanos, v / 1e6})
	}
	if len(id) >= 15 && id[0] != '0' {
		for _, s := range snowflakes {
			dst = append(dst, Reading{s.kind, v>>s.bits + s.epoch})
		}
	}
	return dst
}

func appendDate(dst []Reading, kind, layout string, id []byte) []Reading {
	t, err := time.Parse(layout, string(id))
	if err != nil || t.Year() < 1970 || t.Year() > 2099 {
		return dst
	}
	return append(dst, Reading{kind, t.UnixMilli()})
}

// version is that of a UUID of the RFC 9562 variant, with or without dashes; 0 for anything else.
func version(id []byte) int {
	v, variant := 14, 19
	if len(id) == 32 {
		v, variant = 12, 16
	}
	if b := hexDigit(id[variant]); b < 8 || b > 11 {
		return 0
	}
	return hexDigit(id[v])
}

// appendUUID reads the time of a UUID (RFC 9562, sections 5.1, 5.6 and 5.7). Versions 1 and 6 count 100 ns
// since 15 October 1582.
func appendUUID(dst []Reading, id []byte) []Reading {
	var b [16]byte
	digits := make([]byte, 0, 32)
	for _, c := range id {
		if c != '-' {
			digits = append(digits, c)
		}
	}
	if _, err := hex.Decode(b[:], digits); err != nil {
		return dst
	}
	field := func(from, to int) (v int64) {
		for _, c := range b[from:to] {
			v = v<<8 | int64(c)
		}
		return v
	}
	const gregorian = 12219292800000 // from 1582 to 1970, in ms
	switch version(id) {
	case 1:
		ticks := (field(6, 8)&0xfff)<<48 | field(4, 6)<<32 | field(0, 4)
		return append(dst, Reading{UUIDv1, ticks/10000 - gregorian})
	case 6:
		ticks := field(0, 6)<<12 | field(6, 8)&0xfff
		return append(dst, Reading{UUIDv6, ticks/10000 - gregorian})
	case 7:
		return append(dst, Reading{UUIDv7, field(0, 6)})
	}
	return dst
}

// ulidTime is the first ten digits of base 32, 48 bits.
func ulidTime(id []byte) (ms int64) {
	for _, c := range id[:10] {
		ms = ms<<5 | int64(crockford(c))
	}
	return ms
}

// ksuidTime is the first 32 of 160 bits, in seconds since 2014-05-13; false where 27 digits are more than
// 160 bits.
func ksuidTime(id []byte) (seconds int64, ok bool) {
	var b [20]byte
	for _, c := range id {
		carry := uint32(0)
		switch {
		case c <= '9':
			carry = uint32(c - '0')
		case c <= 'Z':
			carry = uint32(c-'A') + 10
		default:
			carry = uint32(c-'a') + 36
		}
		for i := len(b) - 1; i >= 0; i-- {
			carry += uint32(b[i]) * 62
			b[i] = byte(carry)
			carry >>= 8
		}
		if carry > 0 {
			return 0, false
		}
	}
	return 1_400_000_000 + (int64(b[0])<<24 | int64(b[1])<<16 | int64(b[2])<<8 | int64(b[3])), true
}
