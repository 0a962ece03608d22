// Package rediscmd knows which keys a Redis or Valkey command line touches, and how. An argument
// vector enters, as a server would read it; the positions of its keys leave, each with what the
// command does to that key and with the value algebra of the command, and beside them what the line
// as a whole is: a script, a walk over the keyspace, a holder of credentials, a giver of a lifetime.
//
// The facts (names, key positions, read or write) are those that servers publish through COMMAND and
// COMMAND DOCS. They are kept in commands.tsv and turned into Go by the program in gen. The commands
// whose published positions are incomplete, or whose options change what they do, are resolved by
// hand in rules.go.
package rediscmd

//go:generate go run ./gen

import "keyskew/ingest/request"

// Touch is one key of a command line.
type Touch struct {
	// Arg is the position of the key in the argument vector; the command's name is at 0.
	Arg int
	// Op says what the command does to this key. It is Other for the keys of WATCH, which guard a
	// transaction, and for the first argument of an unknown command, which may do anything. It is Poll
	// for every key of a command that waits for data (BLPOP, BLMOVE, XREAD with BLOCK); inside a
	// transaction or a script such a command does not wait, which the line itself does not show.
	Op request.Op
	// Algebra holds the tag of the command, for keys that it changes (a Poll changes them later), and
	// TogetherKeys for every key of a command whose keys must share a slot. It is zero for a key that
	// is only read alone.
	Algebra request.Algebra
}

// Call is what a command line is, apart from its keys.
type Call struct {
	// ID indexes Names; it is UnknownID for an unknown command.
	ID uint16
	// Known is set when the command is in the table.
	Known bool
	// Script is set for EVAL, EVALSHA, FCALL and their _RO forms: the calls that the script makes
	// follow as lines of their own.
	Script bool
	// Secret is set when arguments hold credentials, or hold a command or a configuration that may
	// (AUTH, HELLO and MIGRATE with AUTH, ACL SETUSER, CONFIG SET): no argument but the keys may be
	// kept or printed.
	Secret bool
	// Keyspace is set when the command walks or clears the keyspace as a whole: KEYS, SCAN, DBSIZE,
	// RANDOMKEY, FLUSHALL, FLUSHDB, SWAPDB, CLUSTERSCAN, SFLUSH, TRIMSLOTS.
	Keyspace bool
	// TTLMillis is the lifetime that the command gives to its keys, in milliseconds from now, at most
	// MaxInt64; -1 when it gives none, gives a point in time (EXAT, PXAT, EXPIREAT) or one that is not
	// positive. Lifetimes of hash fields (HEXPIRE, HSETEX) are not lifetimes of the key.
	TTLMillis int64
}

// UnknownID is the ID of every command that is not in the table.
const UnknownID = 0

// Names returns the names of all commands in upper case ("GET", "OBJECT ENCODING" for a sub-command),
// indexed by ID; the first is "?". The slice is shared: do not modify it.
func Names() []string { return names }

// flags are the properties of a command that do not depend on its arguments.
type flags uint8

const (
	container flags = 1 << iota
	script
	secret
	keyspace
	// clientSplit commands are cut up by cluster clients, one part a slot, so that their keys need not
	// stay together.
	clientSplit
)

// command is one row of the table.
type command struct {
	keys  []keySpec
	rule  rule
	flags flags
}

// Resolve says what a command line is and which of its arguments are keys. The touches are appended to
// dst[:0], in the order of the arguments. A vector that is cut short or malformed is resolved as far
// as it goes: a key that is not there does not appear, and a number of keys larger than the vector
// ends with it. With unknownFirstArg the first argument of an unknown command is taken for a key,
// touched by Other, because nothing says whether it is written; without, it has no keys.
//
// Names are compared without regard to case. A container (OBJECT, XGROUP) is looked up together with
// its sub-command, then alone. Resolve allocates only where dst has to grow.
func Resolve(argv [][]byte, unknownFirstArg bool, dst []Touch) (Call, []Touch) {
	dst = dst[:0]
	call := Call{ID: lookup(argv), TTLMillis: -1}
	if call.ID == UnknownID {
		if unknownFirstArg && len(argv) > 1 {
			dst = append(dst, Touch{Arg: 1, Op: request.Other, Algebra: request.UnknownCommand})
		}
		return call, dst
	}
	c := &table[call.ID]
	call.Known = true
	call.Script = c.flags&script != 0
	call.Secret = c.flags&secret != 0
	call.Keyspace = c.flags&keyspace != 0
	for i := range c.keys {
		dst = c.keys[i].appendTo(dst, argv)
	}
	if c.rule != ruleNone {
		dst = c.rule.apply(argv, &call, dst)
	}
	if len(dst) > 1 && c.flags&clientSplit == 0 {
		for i := range dst {
			dst[i].Algebra |= request.TogetherKeys
		}
	}
	return call, dst
}
