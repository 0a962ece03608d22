package formats

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"keyskew/golden"
)

// schemaFile is the published schema. It is made from the types and their comments.
var schemaFile = filepath.Join(golden.Root(), "docs", "report.schema.json")

// makeSchema derives the schema from the types. Every field is required; pointers, and lists tagged
// nullable, may be null. Fields of later versions are allowed, since the report grows by adding.
func makeSchema(t *testing.T) []byte {
	t.Helper()
	r := jsonschema.Reflector{Anonymous: true, AllowAdditionalProperties: true, ExpandedStruct: true}
	if err := r.AddGoComments("keyskew", "./", jsonschema.WithFullComment()); err != nil {
		t.Fatal(err)
	}
	comments := map[string]string{}
	for name, text := range r.CommentMap {
		// The package is in this folder, whose path the comment reader does not know.
		comments["keyskew/formats"+strings.TrimPrefix(name, "keyskew")] = strings.Join(strings.Fields(text), " ")
	}
	r.CommentMap = comments
	s := r.Reflect(&Report{})
	s.Title = Schema
	walkStructs(reflect.TypeFor[Report](), map[reflect.Type]bool{}, func(st reflect.Type) {
		def := s
		if st != reflect.TypeFor[Report]() {
			def = s.Definitions[st.Name()]
		}
		for i := range st.NumField() {
			f := st.Field(i)
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Type.Kind() == reflect.Pointer && options == "" {
				p, ok := def.Properties.Get(name)
				if !ok {
					t.Fatalf("no property %s", name)
				}
				def.Properties.Set(name, nullable(p))
			}
		}
	})
	only := func(name string) *jsonschema.Schema { return &jsonschema.Schema{Required: []string{name}} }
	s.Definitions["Bytes"].OneOf = []*jsonschema.Schema{only("text"), only("bytes")}
	version, _ := s.Properties.Get("schema")
	version.Const = Schema
	out, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(out, '\n')
}

func nullable(p *jsonschema.Schema) *jsonschema.Schema {
	out := &jsonschema.Schema{Description: p.Description}
	p.Description = ""
	out.OneOf = []*jsonschema.Schema{p, {Type: "null"}}
	return out
}

func walkStructs(t reflect.Type, seen map[reflect.Type]bool, visit func(reflect.Type)) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		walkStructs(t.Elem(), seen, visit)
	case reflect.Struct:
		if seen[t] {
			return
		}
		seen[t] = true
		visit(t)
		for i := range t.NumField() {
			walkStructs(t.Field(i).Type, seen, visit)
		}
	}
}

func TestSchemaIsCurrent(t *testing.T) {
	got := makeSchema(t)
	if f := flag.Lookup("update"); f.Value.String() == "true" {
		if err := os.WriteFile(schemaFile, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the types give: run go test ./formats -update and read the difference", schemaFile)
	}
}

func TestReportsFollowTheSchema(t *testing.T) {
	doc, err := validator.UnmarshalJSON(bytes.NewReader(makeSchema(t)))
	if err != nil {
		t.Fatal(err)
	}
	c := validator.NewCompiler()
	if err := c.AddResource("report.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("report.json")
	if err != nil {
		t.Fatal(err)
	}
	parse := func(b []byte) any {
		v, err := validator.UnmarshalJSON(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	var sample []byte
	for _, c := range cases {
		var b bytes.Buffer
		if err := JSON(&b, Build(c.make())); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(parse(b.Bytes())); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		sample = b.Bytes()
	}
	for _, c := range []struct{ from, to string }{
		{`"schema": "keyskew.report/1"`, `"schema": "keyskew.report/9"`},
		{`"stopped": false`, `"stopped": "no"`},
		{`"severity": `, `"gravity": `},
		{`"keys": [`, `"keyz": [`},
		{`"share": 0.`, `"share": null, "x": 0.`},
	} {
		bad := bytes.Replace(sample, []byte(c.from), []byte(c.to), 1)
		if bytes.Equal(bad, sample) {
			t.Fatalf("no %s to damage", c.from)
		}
		if schema.Validate(parse(bad)) == nil {
			t.Errorf("the schema takes %s", c.to)
		}
	}
}
