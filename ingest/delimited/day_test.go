package delimited

import (
	"testing"

	"keyskew/ingest/request"
	"keyskew/ingest/request/requesttest"
)

// A date and a time of day in two columns are one time.
func TestDateAndTime(t *testing.T) {
	const want = 1704189845_000000000 // 2024-01-02 10:04:05 UTC
	f := func(text string, s request.Select, at int64, key, from string) {
		t.Helper()
		r, tally, d := detected(t, text, s, "csv")
		requesttest.Same(t, text+": skipped", requesttest.Skips(tally)[reasonTime], 0)
		requesttest.Same(t, text+": time", r.List[0].Time, at)
		requesttest.Same(t, text+": key", r.List[0].Key, key)
		requesttest.Same(t, text+": mapping", mapped(d)["time"], from)
	}
	none := request.Select{}
	f("date,time,key\n2024-01-02,10:04:05,a\n2024-01-02,10:04:06,b\n", none, want, "a", "date, time (ISO 8601)")
	f("key;Time;Date\na;10:04:05.25;2024/01/02\nb;9:04:06;2024/01/03\n", none, want+25e7, "a", "Date, Time (ISO 8601)")
	f("date\ttime\tkey\n20240102\t10:04:05\ta\n20240102\t10:04:06\tb\n", none, want, "a", "date, time (date in 8 digits and time)")
	f("date,time,key\n02.01.2024,10:04:05,a\n", none, want, "a", "date, time (date with the day first and time)")
	f("date,time,key\n02/Jan/2024,10:04:05,a\n", none, want, "a", "date, time (date as in access logs and time)")
	f("date,time,key\n2024-01-02,11:04:05+01:00,a\n", none, want, "a", "date, time (ISO 8601)")
	f("date,time,key\n2024-01-02,10:04:05 AM,a\n2024-01-02,1:04:05 PM,b\n", none, want, "a", "date, time (date, and time of twelve hours)")
	// No header.
	f("2024-01-02,10:04:05,a,GET\n2024-01-02,10:04:06,b,GET\n", none, want, "a", "column 1, column 2 (ISO 8601)")
	f("2024-01-02 10:04:05 a\n2024-01-02 9:04:06 b\n", none, want, "a", "column 1, column 2 (ISO 8601)")
	// What the user says.
	f("day,at,key\n2024-01-02,10:04:05,a\n", request.Select{Time: "day,at"}, want, "a", "day, at (ISO 8601)")
	f("d,t2,key\n01/02/2024,10:04:05,a\n", request.Select{Time: "1,2", TimeFormat: "01/02/2006 15:04:05"}, want, "a",
		"d, t2 (01/02/2006 15:04:05)")
	f("date,time,key\n2024-01-02,0.25,a\n", request.Select{Time: "date"}, 1704153600_000000000, "a", "date (ISO 8601)")
}

func TestDateAndTimeRefused(t *testing.T) {
	for text, want := range map[string]string{
		// A time that is no time of day, and a date that has its time already.
		"date,time,key\n2024-01-02 10:04:05,0.25,a\n": "two columns would do for the time: date (column 1) and time (column 2); say which with --time",
		// Which is the month?
		"date,time,key\n01/02/2024,10:04:05,a\n": `date holds no times that can be read, such as "01/02/2024 10:04:05"; give their layout with --time-format`,
		"date,ts,key\n2024-01-02,10:04:05,a\n":   "two columns would do for the time: date (column 1) and ts (column 2); say which with --time",
	} {
		d := named(t, "csv").Detect([]byte(text), request.Select{})
		requesttest.Same(t, text, d.Reason, want)
	}
	d := named(t, "csv").Detect([]byte("date,time,key\n2024-01-02,10:04:05,a\n"), request.Select{Time: "date,at"})
	requesttest.Same(t, "unknown", d.Reason, `there is no column "date,at" for the time; columns: date, time, key`)
}

// Rows that lack one of the two are skipped, not taken for midnight.
func TestHalfATime(t *testing.T) {
	r, tally, _ := detected(t, "date,time,key\n2024-01-02,10:04:05,a\n2024-01-02,10:04:06,b\n2024-01-02,10:04:07,b\n"+
		"2024-01-02,,c\n,10:04:08,d\n", request.Select{}, "csv")
	requesttest.Same(t, "rows", len(r.List), 3)
	requesttest.Same(t, "skipped", requesttest.Skips(tally), map[request.Reason]int64{reasonTime: 2, reasonHeader: 1})
}
