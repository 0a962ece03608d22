package request

// Op says what a request does to its key.
type Op uint8

// The four kinds of touch. A count of touches is the sum over all four.
const (
	// Other touches a key without reading or writing its value (WATCH).
	Other Op = iota
	// Read leaves the value as it was (GET, HGETALL, EXISTS, TTL).
	Read
	// Write may change the value or its lifetime (SET, INCR, DEL, EXPIRE, LPOP).
	Write
	// Poll is a blocking command (BLPOP, XREAD BLOCK): it shows when it is issued, not when it is
	// served, so an idle consumer looks busy. Polls are counted, but enter no rate and no share.
	Poll

	// Ops is the number of kinds.
	Ops = 4
)

// String returns the name used in every output.
func (o Op) String() string {
	switch o {
	case Read:
		return "read"
	case Write:
		return "write"
	case Poll:
		return "poll"
	default:
		return "other"
	}
}
