package analyze

import (
	"fmt"
	"testing"

	"keyskew/ingest/request"
)

func TestTemplate(t *testing.T) {
	for key, want := range map[string]string{
		"/users/1093/avatar.png": "/users/{int}/avatar.png",
		"/img/4711.png":          "/img/{int}.png",
		"/":                      "/",
		"":                       "",
		"//a//":                  "//a//",
		"/v1/orders/550e8400-e29b-41d4-a716-446655440000": "/v1/orders/{uuid}",
		"/log/2024-05-06/x":              "/log/{date}/x",
		"/log/20240506":                  "/log/{date}",
		"/n/99999999":                    "/n/{int}",
		"user:42:profile":                "user:{int}:profile",
		"session:9f86d081884c7d65":       "session:{hex}",
		"/d/01ARZ3NDEKTSV4RRFFQ69G5FAV":  "/d/{ulid}",
		"/k/0ujtsYcgvSTl8PAuAdqWYSMnLOv": "/k/{ksuid}",
		"/t/dGhpcyBpcyBh0IHRva2Vu1":      "/t/{id}",
		"/deadbeef":                      "/deadbeef", // a word of hex letters alone
		"/favicon.ico":                   "/favicon.ico",
		"/jquery-3.7.1.min.js":           "/jquery-3.7.1.min.js",
		"\xff\x00/1":                     "\xff\x00/{int}",
	} {
		if got := string(appendTemplate(nil, []byte(key))); got != want {
			t.Errorf("%q: %q, want %q", key, got, want)
		}
	}
}

// Templates are counted beside the keys, never in their place.
func TestGroups(t *testing.T) {
	var rows []row
	for i := range 3000 {
		r := row{key: fmt.Sprintf("/users/%d", i%100), at: start + int64(i)*1e7, offset: int64(i) * 80, op: request.Read}
		if i%3 == 0 {
			r.key, r.op = "/about", request.Write
		}
		rows = append(rows, r)
	}
	c := config()
	c.Template = true
	d := Diagnose(collect(t, c, rows, true, 500, 7), Options{Top: 3, Capacity: Capacity{Kind: Unknown}})
	if len(d.Groups) != 2 || string(d.Groups[0].Name) != "/users/{int}" || d.Groups[0].Count.Value != 2000 ||
		d.Groups[0].Keys.Value != 100 || d.Groups[0].Reads != 2000 || d.Groups[1].Writes != 1000 || d.Groups[1].Keys.Value != 1 {
		t.Errorf("%+v", d.Groups)
	}
	if string(d.Keys[0].Key) != "/about" {
		t.Errorf("the hottest key is %q", d.Keys[0].Key)
	}
	if d := Diagnose(collect(t, config(), rows, true), Options{Top: 3}); d.Groups != nil {
		t.Error("groups that nobody asked for")
	}
}
