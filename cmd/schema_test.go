package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"

	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"keyskew/formats"
	"keyskew/golden"
)

// schema is the published schema of the JSON report.
var schema = sync.OnceValues(func() (*validator.Schema, error) {
	text, err := os.ReadFile(filepath.Join(golden.Root(), "docs", "report.schema.json"))
	if err != nil {
		return nil, err
	}
	doc, err := validator.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := validator.NewCompiler()
	if err := c.AddResource("report.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("report.json")
})

// validate holds a report against the published schema.
func validate(t testing.TB, r *formats.Report) {
	t.Helper()
	var b bytes.Buffer
	if err := formats.JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	validateText(t, b.String())
}

func validateText(t testing.TB, report string) {
	t.Helper()
	s, err := schema()
	if err != nil {
		t.Fatal(err)
	}
	v, err := validator.UnmarshalJSON(bytes.NewReader([]byte(report)))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		t.Errorf("the report does not follow docs/report.schema.json: %v", err)
	}
}
