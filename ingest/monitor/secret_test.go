package monitor

import (
	"fmt"
	"strings"
	"testing"

	"keyskew/ingest/request"
	"keyskew/ingest/request/requesttest"
)

// noSecret decodes a capture, and each of its lines alone and damaged, and looks for the words in all
// that leaves the package.
func noSecret(t *testing.T, text string, words ...string) {
	t.Helper()
	check := func(what, out string) {
		t.Helper()
		for _, w := range words {
			if strings.Contains(strings.ToLower(out), strings.ToLower(w)) {
				t.Errorf("%s repeats %q: %s", what, w, out)
			}
		}
	}
	try := func(part string) {
		t.Helper()
		for _, o := range []Options{{}, {SkipUnknown: true}} {
			got, tally := decode(t, o, request.Block{Data: []byte(part), Last: true})
			check("a row", fmt.Sprintf("%+v", got.List))
			check("the tally", fmt.Sprintf("%+v", tally))
		}
		check("what was detected", fmt.Sprintf("%+v", Detect([]byte(part))))
	}
	try(text)
	for line := range strings.Lines(text) {
		try(line)
		line = strings.TrimSuffix(line, "\n")
		try(line + "\n\n")
		try(strings.TrimSuffix(line, `"`))                                 // cut
		try(strings.TrimSuffix(line, `"`) + "\n")                          // not closed
		try(strings.Replace(line, ` [`, `  [`, 1) + "\n")                  // no MONITOR line any more
		try(strings.ReplaceAll(line, `"`, ``) + "\n")                      // no quotes
		try(strings.TrimSuffix(line, `"`) + `"x` + "\n")                   // damaged at the end
		try(strings.Replace(line, `"`+words[0], `"x"`+words[0], 1) + "\n") // damaged in front of it
	}
}

func TestSecrets(t *testing.T) {
	const word = "hunter2"
	for _, command := range []string{
		`"auth" "hunter2"`,
		`"AUTH" "default" "hunter2"`,
		`"hello" "3" "auth" "default" "hunter2"`,
		`"HELLO" "3" "AUTH" "default" "hunter2" "SETNAME" "me"`,
		`"migrate" "h" "1" "" "0" "10" "auth" "hunter2" "keys" "foo" "fl"`,
		`"MIGRATE" "h" "1" "foo" "0" "10" "COPY" "AUTH2" "user" "hunter2"`,
		`"config" "set" "requirepass" "hunter2"`,
		`"CONFIG" "SET" "masterauth" "hunter2"`,
		`"acl" "setuser" "bob" "on" ">hunter2" "~*" "+@all"`,
	} {
		t.Run(command, func(t *testing.T) {
			noSecret(t, at+command+"\n", word)
			noSecret(t, "+"+at+command+"\r\n", word)
			noSecret(t, repr([]byte(at+command))+"\n", word)
			noSecret(t, "1365177870.147208 "+command+"\n", word)
		})
	}
	got, _ := decodeString(t, at+`"migrate" "h" "1" "" "0" "10" "auth" "hunter2" "keys" "foo" "fl"`+"\n")
	requesttest.Same(t, "keys of a MIGRATE", got.Keys(), []string{"foo", "fl"})
}
