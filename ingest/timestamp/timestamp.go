// Package timestamp reads the parts of which times in logs and traces are made: text comes in, numbers leave.
package timestamp

// Month reads the three letters of an English month, 1 to 12; 0 when it is none.
func Month(b []byte) int {
	const months = "JanFebMarAprMayJunJulAugSepOctNovDec"
	for i := 0; i < len(months); i += 3 {
		if string(b) == months[i:i+3] {
			return i/3 + 1
		}
	}
	return 0
}

// Offset reads the zone behind a time, in seconds east of Greenwich: Z, UTC or GMT, or +01:30, +0130 or
// +01 (ISO 8601).
func Offset(b []byte) (east int, ok bool) {
	switch string(b) {
	case "Z", "z", "UTC", "GMT":
		return 0, true
	}
	if len(b) < 3 || b[0] != '+' && b[0] != '-' {
		return 0, false
	}
	hours, ok := Two(b[1:])
	minutes := 0
	if rest := b[3:]; ok && len(rest) > 0 {
		if rest[0] == ':' {
			rest = rest[1:]
		}
		minutes, ok = Two(rest)
		ok = ok && len(rest) == 2
	}
	if !ok || hours > 24 {
		return 0, false
	}
	east = 3600*hours + 60*minutes
	if b[0] == '-' {
		east = -east
	}
	return east, true
}

// Two reads the two digits that a text begins with.
func Two(b []byte) (n int, ok bool) {
	if len(b) < 2 || b[0]-'0' > 9 || b[1]-'0' > 9 {
		return 0, false
	}
	return int(b[0]-'0')*10 + int(b[1]-'0'), true
}

// Fraction reads the digits behind a decimal point as nanoseconds, and says how many there are; those
// behind the ninth count for nothing.
func Fraction(b []byte) (ns int64, digits int) {
	unit := int64(1e9)
	for digits < len(b) && b[digits]-'0' <= 9 {
		unit /= 10
		ns += int64(b[digits]-'0') * unit
		digits++
	}
	return ns, digits
}

// Shaped says whether a line begins with a shape: 0 stands for a digit, a letter for a letter, anything
// else for itself.
func Shaped(line []byte, shape string) bool {
	if len(line) < len(shape) {
		return false
	}
	for i := range len(shape) {
		c := line[i]
		switch s := shape[i]; {
		case s == '0':
			if c-'0' > 9 {
				return false
			}
		case s|0x20-'a' < 26:
			if c|0x20-'a' >= 26 {
				return false
			}
		case c != s:
			return false
		}
	}
	return true
}
