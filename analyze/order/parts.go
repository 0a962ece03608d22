package order

import (
	"bytes"
	"cmp"
)

// kind says what a part of a key looks like.
type kind uint8

const (
	word kind = iota
	number
	dashedDate // 2026-03-01
	uuid
	ulid
	ksuid
	hexadecimal
	mixed // letters and digits without a known form
)

// placeholders stand for the parts that vary.
var placeholders = [...]string{
	word: "{name}", number: "{int}", dashedDate: "{date}", uuid: "{uuid}", ulid: "{ulid}", ksuid: "{ksuid}",
	hexadecimal: "{hex}", mixed: "{id}",
}

// part is key[from:to].
type part struct {
	from, to int
	kind     kind
}

// alphanumeric reports whether a byte belongs to a part; all others separate. Bytes of other scripts do.
func alphanumeric(c byte) bool { return c-'0' <= 9 || c|0x20-'a' <= 25 || c >= 0x80 }

// split appends the parts of a key. The digits at the end of a word are a part of their own (user42).
func split(dst []part, key []byte) []part {
	for i := 0; i < len(key); {
		if !alphanumeric(key[i]) {
			i++
			continue
		}
		if n := dashed(key[i:]); n > 0 {
			k := uuid
			if n == len("2026-03-01") {
				k = dashedDate
			}
			dst = append(dst, part{i, i + n, k})
			i += n
			continue
		}
		end := i
		for end < len(key) && alphanumeric(key[end]) {
			end++
		}
		k := kindOf(key[i:end])
		if k == word {
			digits := end
			for digits > i && key[digits-1]-'0' <= 9 {
				digits--
			}
			dst = append(dst, part{i, digits, word})
			if digits < end {
				dst = append(dst, part{digits, end, number})
			}
		} else {
			dst = append(dst, part{i, end, k})
		}
		i = end
	}
	return dst
}

// dashed returns the length of a UUID or a date that a text begins with, 0 for neither.
func dashed(s []byte) int {
	if len(s) >= 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' && (len(s) == 36 || !alphanumeric(s[36])) {
		digits := 0
		for _, c := range s[:36] {
			if hexDigit(c) >= 0 {
				digits++
			}
		}
		if digits == 32 {
			return 36
		}
	}
	if len(s) >= 10 && s[4] == '-' && s[7] == '-' && (len(s) == 10 || s[10]-'0' > 9) {
		for i, c := range s[:10] {
			if i != 4 && i != 7 && c-'0' > 9 {
				return 0
			}
		}
		return 10
	}
	return 0
}

// kindOf says what a run of letters and digits looks like. Lengths: ULID 26 characters of Crockford's base 32
// of which the first is at most 7; KSUID 27 of base 62.
func kindOf(s []byte) kind {
	var digits, lower, upper, hex, base32, other int
	for _, c := range s {
		switch {
		case c-'0' <= 9:
			digits++
		case c-'a' <= 25:
			lower++
		case c-'A' <= 25:
			upper++
		default:
			other++
		}
		if hexDigit(c) >= 0 {
			hex++
		}
		if crockford(c) >= 0 {
			base32++
		}
	}
	n := len(s)
	switch {
	case digits == n:
		return number
	case n > 3 && s[0] == '0' && s[1]|0x20 == 'x' && hex == n-1: // 0x1ffeb, where only the x is none
		return hexadecimal
	case digits == 0 || other > 0:
		return word
	case n == 26 && base32 == n && s[0] <= '7':
		return ulid
	case n == 27 && lower > 0 && upper > 0:
		return ksuid
	case n >= 8 && hex == n:
		return hexadecimal
	case n >= 16 && digits >= 2 && (lower > 0 && upper > 0 || digits >= n/4):
		return mixed
	}
	return word
}

// appendShape appends a key with the parts that vary replaced; with words, the words too.
func appendShape(dst, key []byte, parts []part, words bool) []byte {
	at := 0
	for _, p := range parts {
		dst = append(dst, key[at:p.from]...)
		if p.kind == word && !words {
			dst = append(dst, key[p.from:p.to]...)
		} else if p.from < p.to {
			dst = append(dst, placeholders[p.kind]...)
		}
		at = p.to
	}
	return append(dst, key[at:]...)
}

// compareNumbers orders digits by their value.
func compareNumbers(a, b []byte) int {
	a, b = bytes.TrimLeft(a, "0"), bytes.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), bytes.Compare(a, b))
}

// compareByNumbers orders keys of one family part by part, numbers by value.
func compareByNumbers(a, b *member) int {
	for i := range min(len(a.parts), len(b.parts)) {
		p, q := a.parts[i], b.parts[i]
		x, y := a.key[p.from:p.to], b.key[q.from:q.to]
		c := 0
		if p.kind == number && q.kind == number {
			c = compareNumbers(x, y)
		} else {
			c = bytes.Compare(x, y)
		}
		if c != 0 {
			return c
		}
	}
	return bytes.Compare(a.key, b.key)
}

func hexDigit(c byte) int {
	switch {
	case c-'0' <= 9:
		return int(c - '0')
	case c|0x20-'a' <= 5:
		return int(c|0x20-'a') + 10
	}
	return -1
}

// crockford is the value of a digit of Crockford's base 32, which has no I, L, O and U.
func crockford(c byte) int {
	if c-'0' <= 9 {
		return int(c - '0')
	}
	const letters = "abcdefghjkmnpqrstvwxyz"
	if i := bytes.IndexByte([]byte(letters), c|0x20); i >= 0 && c|0x20-'a' <= 25 {
		return i + 10
	}
	return -1
}
