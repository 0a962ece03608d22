package monitor

// Database returns the number of the database that a line names, 0 where it names none; false for a line
// that is no MONITOR line. It reads the front of the line alone, of any framing, so a line whose arguments
// are damaged or cut off has its database too.
func Database(line []byte) (int, bool) {
	f, ok := locate(line)
	return f.head.db, ok
}
