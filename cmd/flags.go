package cmd

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// amount is a flag for a number with an optional suffix k, M or G (thousands).
type amount float64

func (a *amount) String() string {
	return strconv.FormatFloat(float64(*a), 'f', -1, 64)
}

func (a *amount) Type() string { return "N" }

func (a *amount) Set(s string) error {
	v, err := parseSuffixed(s, map[string]float64{"k": 1e3, "K": 1e3, "M": 1e6, "m": 1e6, "G": 1e9, "g": 1e9})
	if err != nil {
		return err
	}
	*a = amount(v)
	return nil
}

// size is a flag for a number of bytes.
type size int64

func (s *size) String() string {
	if *s == 0 {
		return ""
	}
	if *s%(1<<20) == 0 {
		return fmt.Sprintf("%dMiB", int64(*s)>>20)
	}
	return strconv.FormatInt(int64(*s), 10)
}

func (s *size) Type() string { return "SIZE" }

func (s *size) Set(text string) error {
	v, err := parseSuffixed(text, map[string]float64{
		"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30,
		"kB": 1e3, "MB": 1e6, "GB": 1e9,
	})
	if err != nil {
		return err
	}
	if v > 1<<50 {
		return fmt.Errorf("%s is more than any machine has", text)
	}
	*s = size(v)
	return nil
}

func parseSuffixed(s string, suffixes map[string]float64) (float64, error) {
	digits := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	factor := 1.0
	if suffix := s[len(digits):]; suffix != "" {
		var ok bool
		if factor, ok = suffixes[suffix]; !ok {
			return 0, fmt.Errorf("unknown suffix %q", suffix)
		}
	}
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
		return 0, fmt.Errorf("%q is no number", s)
	}
	return v * factor, nil
}

// choice is a flag that takes one of a few words.
type choice struct {
	value *string
	of    []string
}

func newChoice(value *string, def string, of ...string) *choice {
	*value = def
	return &choice{value, of}
}

func (c *choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

func (c *choice) Type() string { return strings.Join(c.of, "|") }

func (c *choice) Set(s string) error {
	if !slices.Contains(c.of, s) {
		return fmt.Errorf("want one of %s", strings.Join(c.of, ", "))
	}
	*c.value = s
	return nil
}

// complete offers the words of a choice, or fixed values, to the shell.
func complete(c *cobra.Command, flag string, values []string) {
	err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // the flag does not exist
	}
}

// groups of flags, in the order of the help.
var flagGroups = []string{"Input", "Filters", "Cluster", "Analysis", "Advice", "Output"}

const groupKey = "keyskew_group"

// group names the group that a flag is listed under.
func group(fs *pflag.FlagSet, name string, flags ...string) {
	for _, f := range flags {
		fs.SetAnnotation(f, groupKey, []string{name})
	}
}

// quote quotes an argument for a POSIX shell, where that is needed.
func quote(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,@%+", r))
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
