package delimited

import (
	"bytes"
	"slices"
	"strings"

	"keyskew/ingest/request"
)

// The columns of the block traces of cloud volumes, which have no header as they are published.
const (
	alibabaNames = "device_id,opcode,offset,length,timestamp"
	tencentNames = "timestamp,offset,size,iotype,volumeid"
)

func alibabaFormat() request.Format {
	return request.Format{
		ID:    "alibaba-block",
		Title: "Alibaba block trace",
		Text: "Five columns between commas, with or without a header: device, R or W, offset, length, time in microseconds. The " +
			"key is device and offset, the tenant the device.",
		Source: "alibaba/block-traces, README",
		Detect: detectAlibaba,
		CutOff: cutOff,
	}
}

func tencentFormat() request.Format {
	return request.Format{
		ID:    "tencent-block",
		Title: "Tencent block trace",
		Text: "Five columns between commas: time in seconds, offset and size in sectors of 512 bytes, 0 for a read and " +
			"1 for a write, volume. The key is volume and offset, the tenant the volume. Without a header five " +
			"numbers are taken for it only where there are ten lines, with reads and writes.",
		Source: "SNIA IOTTA repository, Tencent CBS traces, README",
		Detect: detectTencent,
		CutOff: cutOff,
	}
}

func detectAlibaba(head []byte, s request.Select) request.Detection {
	l := layout{dialect: dialect{delimiter: ','}, columns: newColumns(5, strings.Split(alibabaNames, ","))}
	l.keys = []int{0, 2}
	l.at[tenantRole], l.at[opRole], l.at[sizeRole], l.at[timeRole] = 0, 1, 3, 4
	l.headed(head)
	cut := splitter{dialect: l.dialect}
	d := judge(sampled(head), "not five columns of an Alibaba block trace", func(line []byte) bool {
		if l.header != nil && bytes.Equal(line, l.header) {
			return true
		}
		if cut.cut(line, false) != "" || len(cut.cells) != 5 {
			return false
		}
		c := cut.cells
		return whole(c[0]) && (string(c[1]) == "R" || string(c[1]) == "W") && whole(c[2]) && whole(c[3]) &&
			len(c[4]) == 16 && c[4][0] == '1' && whole(c[4])
	})
	return l.trace(d, head, s)
}

func detectTencent(head []byte, s request.Select) request.Detection {
	l := layout{
		dialect: dialect{delimiter: ','}, columns: newColumns(5, strings.Split(tencentNames, ",")), sectors: true,
		words: map[string]request.Op{"0": request.Read, "1": request.Write},
	}
	l.keys = []int{4, 1}
	l.at[timeRole], l.at[sizeRole], l.at[opRole], l.at[tenantRole] = 0, 2, 3, 4
	l.headed(head)
	cut := splitter{dialect: l.dialect}
	reads, writes := 0, 0
	d := judge(sampled(head), "not five columns of a Tencent block trace", func(line []byte) bool {
		if l.header != nil && bytes.Equal(line, l.header) {
			return true
		}
		if cut.cut(line, false) != "" || len(cut.cells) != 5 {
			return false
		}
		c := cut.cells
		switch string(c[3]) {
		case "0":
			reads++
		case "1":
			writes++
		default:
			return false
		}
		return len(c[0]) == 10 && c[0][0] == '1' && whole(c[0]) && whole(c[1]) && whole(c[2]) && c[2][0] != '0' && whole(c[4])
	})
	const least = 10
	if d.Matched > 0 && l.header == nil && (reads == 0 || writes == 0 || d.Matched < least) {
		return refuse(sampled(head), "too few lines, or no reads or no writes among them, to tell it from other tables")
	}
	return l.trace(d, head, s)
}

// headed takes over the first line as the header if it has the names of the columns.
func (l *layout) headed(head []byte) {
	lines := sampled(head)
	if len(lines) == 0 {
		return
	}
	names := namesOf(cutOnce(lines[0].text, l.dialect))
	if slices.EqualFunc(names, l.names, func(a, b string) bool { return plain(a) == plain(b) }) {
		l.names, l.header = names, bytes.Clone(lines[0].text)
	}
}

// trace finishes the detection of a trace whose columns are known.
func (l layout) trace(d request.Detection, head []byte, s request.Select) request.Detection {
	if problem := l.asked(s); problem != "" {
		d.Reason = problem
		return d
	}
	l.clock = wholeSeconds(head, l.at[timeRole], l.dialect, s)
	d.Mapping = l.mapping(l.clock)
	d.New = func() request.Decoder { return newDecoder(l) }
	return d
}
