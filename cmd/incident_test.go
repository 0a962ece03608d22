package cmd

import (
	"bufio"
	"compress/gzip"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"keyskew/formats"
	"keyskew/golden"
)

// What the bundled capture holds is known from the server that was recorded.
func TestIncidentAgainstItsServer(t *testing.T) {
	atRoot(t)
	calls := commandStats(t, "testdata/redis-incident.commandstats.txt")
	delete(calls, "CONFIG RESETSTAT") // before the capture began
	delete(calls, "MONITOR")          // not shown by itself
	total := uint64(0)
	for _, n := range calls {
		total += n
	}
	if len(calls) < 30 || total < 200_000 {
		t.Fatalf("%d commands with %d calls", len(calls), total)
	}
	for name, n := range lineCounts(t, incident) {
		same(t, "lines of "+name, n, calls[name])
	}

	r := analyzed(t, nil, incident)
	in := r.Inputs[0]
	same(t, "requests", uint64(in.Requests), total)
	same(t, "requests + skipped", in.Requests+in.Skipped.Total, in.Lines)
	same(t, "bad lines", in.Skipped.Bad, 0)
	same(t, "out of order", in.OutOfOrder, 0)
	same(t, "truncated", in.Truncated, false)

	// Commands with several keys touch each; all others touch one or none.
	keys := map[string]uint64{"MGET": 4, "MSET": 2}
	for name, n := range r.Totals.ByCommand {
		same(t, name, n, calls[name]*max(1, keys[name]))
	}
	same(t, "kinds of commands", len(r.Totals.ByCommand), len(calls))

	for _, want := range []struct {
		key                  string
		class                string
		reads, writes, polls uint64
		commands             map[string]uint64
	}{
		{"post:48", "read", 60268, 658, 0, map[string]uint64{"GET": 60268, "SET": 658}},
		{"post:48:likes", "write", 0, 14307, 0, map[string]uint64{"INCR": 14307}},
		{"queue:jobs", "poll", 0, 50, 1611, map[string]uint64{"BLPOP": 1611, "RPUSH": 50}},
	} {
		k := keyOf(r, want.key)
		if k == nil {
			// A key with few requests of its own is not listed; its polls are in the totals.
			if want.class != "poll" {
				t.Errorf("%s is not listed", want.key)
			}
			continue
		}
		same(t, want.key+": class", k.Class, want.class)
		same(t, want.key+": reads", k.Reads, want.reads)
		same(t, want.key+": writes", k.Writes, want.writes)
		same(t, want.key+": polls", k.Polls, want.polls)
		same(t, want.key+": kinds of commands", len(k.Commands), len(want.commands))
		for name, n := range want.commands {
			same(t, want.key+": "+name, k.Commands[name], n)
		}
	}
	same(t, "polls", r.Totals.Polls, 1611)
}

// The bundled capture's report, whole: read the difference before an update.
func TestIncidentGolden(t *testing.T) {
	atRoot(t)
	text := mustRun(t, nil, "--width", "100", incident)
	report := mustRun(t, nil, "--format", "json", incident)
	golden.Compare(t, "incident/report.txt", []byte(text))
	golden.Compare(t, "incident/report.json", []byte(report))
	golden.Compare(t, "incident/report_8_shards.txt", []byte(mustRun(t, nil, "--shards", "8", incident)))
	validateText(t, report)
}

// The first answer names what was planted.
func TestIncidentAnswer(t *testing.T) {
	atRoot(t)
	r := analyzed(t, nil, incident)
	same(t, "severity", r.Verdict.Severity, "warning")
	if !strings.HasPrefix(r.Verdict.Text, "post:48 takes ") || r.Verdict.Do == nil || !strings.HasPrefix(*r.Verdict.Do, "post:48: ") {
		t.Errorf("the verdict is %+v", r.Verdict)
	}
	same(t, "keys[0]", r.Keys[0].Key.String(), "post:48")
	same(t, "keys[1]", r.Keys[1].Key.String(), "post:48:likes")
	near(t, "peak rate of post:48", r.Keys[0].PeakRate.Value, 2896)
	if rec := recommendation(r, "post:48"); rec == nil || rec.Fix != "cache" {
		t.Errorf("post:48: %+v", rec)
	}
	if rec := recommendation(r, "post:48:likes"); rec == nil || rec.Fix != "split" {
		t.Errorf("post:48:likes: %+v", rec)
	}
	// Each key of the hash tag alone is cold.
	s := analyzed(t, nil, "--shards", "8", incident)
	for _, k := range s.Keys[:s.Totals.HotKeys] {
		if strings.HasPrefix(k.Key.String(), "{cart:eu}") {
			t.Errorf("%s alone is called hot", k.Key)
		}
	}
}

// A node that has room, as its given capacity says, did not run at its limit.
func TestIncidentWithRoom(t *testing.T) {
	atRoot(t)
	r := analyzed(t, nil, "--shards", "8", "--capacity", "100k", incident)
	if strings.Contains(r.Verdict.Text, "at its limit") {
		t.Errorf("3%% of the capacity, and: %s", r.Verdict.Text)
	}
	same(t, "hot keys", r.Totals.HotKeys, 0)
}

// commandStats reads the calls per command of an INFO commandstats.
func commandStats(t *testing.T, path string) map[string]uint64 {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]uint64{}
	for _, m := range regexp.MustCompile(`(?m)^cmdstat_(\S+?):calls=(\d+),`).FindAllStringSubmatch(string(text), -1) {
		n, err := strconv.ParseUint(m[2], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		calls[strings.ToUpper(strings.ReplaceAll(m[1], "|", " "))] = n
	}
	return calls
}

// lineCounts counts a packed capture's lines per command, by a reading of its own.
func lineCounts(t *testing.T, path string) map[string]uint64 {
	t.Helper()
	f, err := os.Open(filepath.FromSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]uint64{}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		_, command, ok := strings.Cut(lines.Text(), "] \"")
		if !ok {
			continue
		}
		words := strings.SplitN(strings.ToUpper(command), `" "`, 3)
		name := strings.TrimSuffix(words[0], `"`)
		if name == "SCRIPT" || name == "CLIENT" {
			name += " " + strings.TrimSuffix(words[1], `"`)
		}
		counts[name]++
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return counts
}

func keyOf(r *formats.Report, key string) *formats.Key {
	i := slices.IndexFunc(r.Keys, func(k formats.Key) bool { return string(k.Key.Raw()) == key })
	if i < 0 {
		return nil
	}
	return &r.Keys[i]
}

// The load began with the first command that is no ECHO or INFO: from then on 12 s to 34 s the post is viral.
func TestIncidentEpisodes(t *testing.T) {
	atRoot(t)
	r := analyzed(t, nil, incident)
	post, likes := keyOf(r, "post:48"), keyOf(r, "post:48:likes")
	if post == nil || likes == nil || len(post.Episodes) != 1 || len(likes.Episodes) != 1 || likes.FirstTime == nil {
		t.Fatalf("%+v\n%+v", post, likes)
	}
	// The counter gets 200 requests a second from the start of the load, 500 while the post is viral.
	begin := moment(t, *likes.FirstTime)
	e := post.Episodes[0]
	for _, want := range []struct {
		name     string
		at       string
		from, to float64 // seconds after the begin of the load
	}{
		{"ramp", e.RampStart, 11, 13}, {"start", e.Start, 11, 13}, {"peak", e.PeakAt, 12, 34}, {"end", e.End, 33, 35},
	} {
		if got := moment(t, want.at).Sub(begin).Seconds(); got < want.from || got > want.to {
			t.Errorf("%s of post:48 %.1f s after the begin, want %v to %v", want.name, got, want.from, want.to)
		}
	}
	if !e.Ended || e.FromStart || e.ToEnd || *post.HotSeconds < 21 || *post.HotSeconds > 24 || post.EpisodeCount == nil || *post.EpisodeCount != 1 {
		t.Errorf("%+v, hot for %v s", e, *post.HotSeconds)
	}
	if l := likes.Episodes[0]; !l.FromStart || !l.ToEnd || l.Ended {
		t.Errorf("post:48:likes is hot throughout: %+v", l)
	}
}

// The load rises by 2,896 requests a second on the post and 300 on its counter.
func TestIncidentSpike(t *testing.T) {
	atRoot(t)
	r := analyzed(t, nil, incident)
	if len(r.Spikes) != 1 {
		t.Fatalf("%+v", r.Spikes)
	}
	s := r.Spikes[0]
	begin := moment(t, *keyOf(r, "post:48:likes").FirstTime)
	from, to := moment(t, s.Start).Sub(begin).Seconds(), moment(t, s.End).Sub(begin).Seconds()
	if from < 11.5 || from > 13.5 || to < 32.5 || to > 34.5 || !s.Ended {
		t.Errorf("from %.1f s to %.1f s, want 12 to 34: %+v", from, to, s)
	}
	if len(s.ExplainedBy) == 0 || s.ExplainedBy[0].Key.String() != "post:48" || math.Abs(s.ExplainedBy[0].Part-2896./3196) > 0.03 {
		t.Errorf("explained by %+v", s.ExplainedBy)
	}
}

func moment(t *testing.T, stamp string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
