package partition

import (
	"bytes"
	"fmt"
	"regexp"
)

// extractor returns the part of a key that is hashed.
type extractor func(key []byte) []byte

func wholeKey(key []byte) []byte { return key }

// extractor reads the parameter extract.
func (o Options) extractor() (extractor, error) {
	switch text := o.Params["extract"]; text {
	case "":
		return wholeKey, nil
	case "tag":
		return between('{', '}'), nil
	default:
		re, err := regexp.Compile(text)
		if err != nil {
			return nil, fmt.Errorf("extract=%s: %w", text, err)
		}
		return func(key []byte) []byte {
			if found := re.Find(key); found != nil {
				return found
			}
			return key
		}, nil
	}
}

// between is the rule of hash tags, for any two marks: what lies between the first opening mark and the
// first closing mark after it, when that is not empty; else the whole key.
func between(opening, closing byte) extractor {
	return func(key []byte) []byte {
		start := bytes.IndexByte(key, opening)
		if start < 0 {
			return key
		}
		length := bytes.IndexByte(key[start+1:], closing)
		if length <= 0 {
			return key
		}
		return key[start+1 : start+1+length]
	}
}
