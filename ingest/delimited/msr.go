package delimited

import (
	"strings"

	"keyskew/ingest/request"
)

const msrNames = "timestamp,hostname,disk_number,type,offset,size,response_time"

func msrFormat() request.Format {
	return request.Format{
		ID:    "msr",
		Title: "MSR Cambridge block trace",
		Text: "Seven columns between commas, no header: time as a Windows file time, host, disk, Read or Write, " +
			"offset, size and response time. The key is the offset; the disks of several hosts in one file are " +
			"told apart by --key hostname,disk_number,offset.",
		Source: "SNIA IOTTA repository, MSR Cambridge traces, README",
		Detect: detectMSR,
		CutOff: cutOff,
	}
}

func detectMSR(head []byte, s request.Select) request.Detection {
	dialect := dialect{delimiter: ','}
	cut := splitter{dialect: dialect}
	d := judge(sampled(head), "not seven columns of an MSR trace", func(line []byte) bool {
		if cut.cut(line, false) != "" || len(cut.cells) != 7 {
			return false
		}
		c := cut.cells
		op := string(c[3])
		return len(c[0]) == 18 && c[0][0] == '1' && whole(c[0]) && whole(c[2]) && whole(c[4]) && whole(c[5]) && whole(c[6]) &&
			(strings.EqualFold(op, "Read") || strings.EqualFold(op, "Write"))
	})
	l := layout{dialect: dialect, columns: newColumns(7, strings.Split(msrNames, ","))}
	l.keys = []int{4}
	l.at[timeRole], l.at[opRole], l.at[sizeRole], l.at[partitionRole] = 0, 3, 5, 1
	return l.trace(d, head, s)
}
