package partition

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// parsePrompt reads a nested reply as redis-cli prints it for people. Every value has its place before it,
// `2) `, below the array that it belongs to: places of one array end in the same column.
func parsePrompt(text []byte) ([]any, error) {
	type array struct {
		column int
		values []any
	}
	var open []array
	// closeDown ends the arrays that are nested deeper than a column; each is the last value of the one
	// around it.
	closeDown := func(column int) {
		for len(open) > 1 && open[len(open)-1].column > column {
			inner := open[len(open)-1].values
			open = open[:len(open)-1]
			outer := &open[len(open)-1]
			outer.values = append(outer.values, inner)
		}
	}
	const deepest = 32
	err := eachLine(text, func(number int, line string) error {
		column, places := 0, 0
		for {
			rest := strings.TrimLeft(line[column:], " ")
			start := len(line) - len(rest)
			digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
			if digits == 0 || digits == len(rest) || rest[digits] != ')' {
				break
			}
			column = start + digits + 1
			places++
			if places == 1 {
				closeDown(column)
			}
			index, _ := strconv.Atoi(rest[:digits])
			switch n := len(open); {
			case n == 0 || open[n-1].column < column:
				if index != 1 || n == deepest || n > 0 && places == 1 {
					return lineError(number, "%q does not follow what stands before it", line)
				}
				open = append(open, array{column: column})
			case open[n-1].column != column || index != len(open[n-1].values)+1:
				return lineError(number, "%q does not follow what stands before it", line)
			}
		}
		if places == 0 {
			return lineError(number, "%q has no place in the reply", line)
		}
		value, err := parseValue(strings.TrimSpace(line[column:]))
		if err != nil {
			return lineError(number, "%w", err)
		}
		inner := &open[len(open)-1]
		inner.values = append(inner.values, value)
		return nil
	})
	if err != nil {
		return nil, err
	}
	closeDown(0)
	return open[0].values, nil
}

// parseValue reads a value as redis-cli prints it for people.
func parseValue(s string) (any, error) {
	switch {
	case strings.HasPrefix(s, "(integer) "):
		return json.Number(strings.TrimPrefix(s, "(integer) ")), nil
	case s == "(nil)":
		return nil, nil
	case s == "(empty array)" || s == "(empty list or set)" || s == "(empty hash)":
		return []any{}, nil
	case strings.HasPrefix(s, `"`):
		text, err := strconv.Unquote(s)
		if err != nil {
			return nil, fmt.Errorf("%s is no string of redis-cli", s)
		}
		return text, nil
	case s == "":
		return nil, errors.New("a place without a value")
	}
	return s, nil
}
