package partition

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"math"
	"unicode/utf16"
	"unicode/utf8"
)

// Encoding is one way in which the text of a key, as the input has it, becomes the bytes that a partitioner
// hashes. It documents itself.
type Encoding struct {
	ID, Title, Text, Source string
	encode                  encoder
}

// encoder appends the bytes of a key to dst; ok is false for a text that it cannot be. dst is returned in
// any case, for its storage. A nil encoder takes the text as it is.
type encoder func(dst, text []byte) (encoded []byte, ok bool)

// Encodings lists every key encoding.
func Encodings() []Encoding {
	return []Encoding{encUTF8, encInt32, encInt64, encUUID, encHex, encBase64, encObjectID, encDecimal}
}

var (
	encUTF8 = Encoding{
		ID: "utf8", Title: "text as it is",
		Text:   "The bytes of the key as the input has them: text in UTF-8, or any bytes.",
		Source: "StringSerializer of Kafka, text of Cassandra, keys of Redis and memcached",
	}
	encInt32 = Encoding{
		ID: "int32", Title: "decimal number, 4 bytes",
		Text:   "A decimal number as 4 bytes, the most significant first. Numbers outside 32 bits are not placed.",
		Source: "IntegerSerializer of Kafka, int of Cassandra, int4 of PostgreSQL",
		encode: func(dst, text []byte) ([]byte, bool) {
			n, ok := parseInt(text)
			return binary.BigEndian.AppendUint32(dst, uint32(n)), ok && n == int64(int32(n))
		},
	}
	encInt64 = Encoding{
		ID: "int64", Title: "decimal number, 8 bytes",
		Text:   "A decimal number as 8 bytes, the most significant first. Numbers outside 64 bits are not placed.",
		Source: "LongSerializer of Kafka, bigint of Cassandra, int8 of PostgreSQL",
		encode: func(dst, text []byte) ([]byte, bool) {
			n, ok := parseInt(text)
			return binary.BigEndian.AppendUint64(dst, uint64(n)), ok
		},
	}
	encUUID = Encoding{
		ID: "uuid", Title: "UUID, 16 bytes",
		Text:   "A UUID in hexadecimal, with or without hyphens, as 16 bytes.",
		Source: "uuid and timeuuid of Cassandra, uuid of PostgreSQL, UUID (binary subtype 4) of MongoDB",
		encode: appendUUID,
	}
	encHex = Encoding{
		ID: "hex", Title: "bytes in hexadecimal",
		Text:   "An even number of hexadecimal digits, with or without 0x or \\x in front.",
		Source: "ByteArraySerializer of Kafka, blob of Cassandra, bytea of PostgreSQL",
		encode: appendHex,
	}
	encBase64 = Encoding{
		ID: "base64", Title: "bytes in base64",
		Text:   "Base64 of RFC 4648 section 4, with or without its padding.",
		Source: "binary keys in JSON traces",
		encode: func(dst, text []byte) ([]byte, bool) {
			out, err := base64.RawStdEncoding.AppendDecode(dst, bytes.TrimRight(text, "="))
			return out, err == nil
		},
	}
	encObjectID = Encoding{
		ID: "objectid", Title: "ObjectId, 12 bytes",
		Text:   "The 24 hexadecimal digits of a MongoDB ObjectId as 12 bytes.",
		Source: "BSON specification, type 0x07",
		encode: func(dst, text []byte) ([]byte, bool) {
			out, err := hex.AppendDecode(dst, text)
			return out, err == nil && len(text) == 24
		},
	}
	encDecimal = Encoding{
		ID: "decimal", Title: "decimal number, its fraction dropped",
		Text:   "A decimal number that may have a fraction, as the 8 bytes of its whole part: hashed shard keys drop the fraction, so that 2.3 and 2 are one.",
		Source: "MongoDB manual, \"Hashed Indexes\"",
		encode: func(dst, text []byte) ([]byte, bool) {
			whole, fraction, _ := bytes.Cut(text, []byte{'.'})
			if len(bytes.Trim(fraction, "0123456789")) > 0 {
				return dst, false
			}
			n, ok := parseInt(whole)
			return binary.BigEndian.AppendUint64(dst, uint64(n)), ok
		},
	}
)

// as is the same encoding of key texts for a partitioner that hashes other bytes for it.
func (e Encoding) as(encode encoder) Encoding {
	e.encode = encode
	return e
}

// parseInt reads a decimal number of 64 bits. Unlike strconv's it never allocates, for texts that are none.
func parseInt(text []byte) (n int64, ok bool) {
	digits := text
	negative := len(text) > 0 && text[0] == '-'
	if negative || len(text) > 0 && text[0] == '+' {
		digits = text[1:]
	}
	if len(digits) == 0 {
		return 0, false
	}
	var u uint64
	for _, c := range digits {
		if c < '0' || c > '9' || u > math.MaxUint64/10-1 {
			return 0, false
		}
		u = u*10 + uint64(c-'0')
	}
	switch {
	case negative && u <= 1<<63:
		return -int64(u), true
	case !negative && u < 1<<63:
		return int64(u), true
	}
	return 0, false
}

func appendHex(dst, text []byte) ([]byte, bool) {
	if bytes.HasPrefix(text, []byte("0x")) || bytes.HasPrefix(text, []byte(`\x`)) {
		text = text[2:]
	}
	out, err := hex.AppendDecode(dst, text)
	return out, err == nil
}

func appendUUID(dst, text []byte) ([]byte, bool) {
	const hyphenated = 36
	if len(text) != hyphenated {
		out, err := hex.AppendDecode(dst, text)
		return out, err == nil && len(text) == 32
	}
	for i, part := range [...][2]int{{0, 8}, {9, 13}, {14, 18}, {19, 23}, {24, hyphenated}} {
		if i > 0 && text[part[0]-1] != '-' {
			return dst, false
		}
		var err error
		if dst, err = hex.AppendDecode(dst, text[part[0]:part[1]]); err != nil {
			return dst, false
		}
	}
	return dst, true
}

// appendUTF16 writes text as UTF-16, the low byte first, as the strings of Java hold it. Bytes that are no
// UTF-8 become U+FFFD, as in any decoder.
func appendUTF16(dst, text []byte) ([]byte, bool) {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
			dst = binary.LittleEndian.AppendUint16(dst, uint16(high))
			r = low
		}
		dst = binary.LittleEndian.AppendUint16(dst, uint16(r))
	}
	return dst, true
}

// composite puts together the columns of a Cassandra partition key, written with : between them as nodetool
// takes them: for each column the length of its value in 2 bytes, the value, and a zero byte. The last
// column holds what is left, colons included.
func composite(columns []encoder) encoder {
	return func(dst, text []byte) ([]byte, bool) {
		for i, encode := range columns {
			value := text
			if i < len(columns)-1 {
				at := bytes.IndexByte(text, ':')
				if at < 0 {
					return dst, false
				}
				value, text = text[:at], text[at+1:]
			}
			start := len(dst)
			dst = append(dst, 0, 0)
			if encode == nil {
				dst = append(dst, value...)
			} else {
				var ok bool
				if dst, ok = encode(dst, value); !ok {
					return dst, false
				}
			}
			length := len(dst) - start - 2
			if length > math.MaxUint16 {
				return dst, false
			}
			binary.BigEndian.PutUint16(dst[start:], uint16(length))
			dst = append(dst, 0)
		}
		return dst, true
	}
}
