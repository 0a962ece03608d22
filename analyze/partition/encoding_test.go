package partition

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestEncodings(t *testing.T) {
	for _, tt := range []struct{ id, text, want string }{ // want in hexadecimal, "-" for a text that it cannot be
		{"int32", "0", "00000000"}, {"int32", "-1", "ffffffff"}, {"int32", "2147483647", "7fffffff"}, {"int32", "+7", "00000007"},
		{"int32", "-2147483648", "80000000"}, {"int32", "2147483648", "-"}, {"int32", "", "-"}, {"int32", "1a", "-"}, {"int32", "-", "-"},
		{"int64", "1001", "00000000000003e9"}, {"int64", "9223372036854775807", "7fffffffffffffff"},
		{"int64", "-9223372036854775808", "8000000000000000"}, {"int64", "9223372036854775808", "-"},
		{"int64", "-9223372036854775809", "-"}, {"int64", "99999999999999999999999", "-"}, {"int64", " 1", "-"}, {"int64", "0001", "0000000000000001"},
		{"uuid", "00010203-0405-0607-0809-0a0b0c0d0e0f", "000102030405060708090a0b0c0d0e0f"},
		{"uuid", "000102030405060708090A0B0C0D0E0F", "000102030405060708090a0b0c0d0e0f"},
		{"uuid", "00010203-0405-0607-0809-0a0b0c0d0e0", "-"}, {"uuid", "00010203+0405-0607-0809-0a0b0c0d0e0f", "-"},
		{"uuid", "0001020g-0405-0607-0809-0a0b0c0d0e0f", "-"}, {"uuid", "0001", "-"}, {"uuid", "", "-"},
		{"hex", "00ff", "00ff"}, {"hex", "0xFF", "ff"}, {"hex", `\xff`, "ff"}, {"hex", "f", "-"}, {"hex", "zz", "-"}, {"hex", "", ""},
		{"base64", "AAECAw==", "00010203"}, {"base64", "AAECAw", "00010203"}, {"base64", "A*==", "-"}, {"base64", "", ""},
		{"objectid", "010203040506070809101112", "010203040506070809101112"}, {"objectid", "0102", "-"},
		{"decimal", "2.7", "0000000000000002"}, {"decimal", "-2.7", "fffffffffffffffe"}, {"decimal", "7", "0000000000000007"},
		{"decimal", "1.2.3", "-"}, {"decimal", "1e5", "-"}, {"decimal", ".5", "-"},
	} {
		for _, e := range Encodings() {
			if e.ID != tt.id {
				continue
			}
			got, ok := e.encode([]byte("kept"), []byte(tt.text))
			if want, err := hex.DecodeString(tt.want); ok != (err == nil) || ok && string(got) != "kept"+string(want) {
				t.Errorf("%s %q: %x %v, want %s", tt.id, tt.text, got, ok, tt.want)
			}
		}
	}
}

// A composite key can be taken apart again.
func TestComposite(t *testing.T) {
	encode, err := cassandra.encoder("int32:utf8:int64")
	if err != nil {
		t.Fatal(err)
	}
	got, ok := encode(nil, []byte("7:name:-1"))
	if want := "\x00\x04\x00\x00\x00\x07\x00" + "\x00\x04name\x00" + "\x00\x08\xff\xff\xff\xff\xff\xff\xff\xff\x00"; !ok || string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, bad := range []string{"", "7", "7:name", "x:name:1", "7:name:", "7:" + strings.Repeat("n", 1<<16) + ":1"} {
		if got, ok := encode(nil, []byte(bad)); ok {
			t.Errorf("%.20q became %.20q", bad, got)
		}
	}
}

// What a text is encoded as does not depend on what was encoded before, and no text panics.
func TestEncodersAreFunctions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := []byte(rapid.OneOf(rapid.String(), rapid.StringMatching(`[-+]?[0-9]{0,22}(\.[0-9]{0,3})?`), rapid.StringMatching(`[0-9a-f-]{0,40}`)).Draw(t, "key"))
		for _, p := range Partitioners() {
			for _, e := range p.Encodings {
				if e.encode == nil {
					continue
				}
				fresh, ok := e.encode(nil, key)
				again, okAgain := e.encode(make([]byte, 0, 64), key)
				if ok != okAgain || ok && !bytes.Equal(fresh, again) {
					t.Fatalf("%s %s of %q: %x %v, then %x %v", p.ID, e.ID, key, fresh, ok, again, okAgain)
				}
			}
		}
	})
}
