package plan

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"glmbatch/ingest"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/transform"
)

// ReadingOf is how a data set of a spec is read.
func ReadingOf(ds *spec.Dataset) *transform.Reading {
	out := &transform.Reading{Decimal: ds.Decimal, Types: ds.Types}
	if ds.Separator != 0 {
		out.Separator = string(rune(ds.Separator))
	}
	if len(ds.NullValues) > 0 {
		var listed []string
		for _, v := range ds.NullValues {
			listed = append(listed, string(v))
		}
		out.NullValues = ingest.NullValues(listed)
	}
	return out
}

// ReadingWords is a reading as a spec would have it.
func ReadingWords(r *transform.Reading) string {
	var out []string
	for _, key := range []struct{ name, value string }{{"separator", r.Separator}, {"decimal", r.Decimal}} {
		if key.value != "" {
			out = append(out, fmt.Sprintf("%s: %q", key.name, key.value))
		}
	}
	usual := ingest.DefaultNullValues()
	own := slices.DeleteFunc(slices.Clone(r.NullValues), func(s string) bool { return slices.Contains(usual, s) })
	if len(own) > 0 {
		out = append(out, fmt.Sprintf("null_values: %q", own))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Types)) {
		out = append(out, fmt.Sprintf("%s is %s", name, r.Types[name]))
	}
	return cmp.Or(strings.Join(out, ", "), "nothing is declared")
}

// readAs sets how a source is read.
func readAs(src *ingest.Source, r *transform.Reading) {
	src.NullValues, src.Types = r.NullValues, maps.Clone(r.Types)
	for _, c := range r.Separator {
		src.Separator = c
	}
	for _, c := range r.Decimal {
		src.Decimal = c
	}
}

// ReadLike sets a source to be read as the data of a stored fit were, whose record has no Reading of its own if an
// earlier program stored it: then reading is how its data set is read now. Types of columns that the source does not
// have are passed over.
func ReadLike(src *ingest.Source, record *transform.Record, reading *transform.Reading) {
	if record.Reading != nil {
		reading = record.Reading
	}
	readAs(src, reading)
	types, choose := maps.Clone(reading.Types), src.Columns
	if types == nil {
		types = map[string]string{}
	}
	maps.Copy(types, record.Types())
	src.Types = types
	src.Columns = func(schema *ingest.Schema) ([]string, error) {
		maps.DeleteFunc(types, func(name, _ string) bool { return !schema.HasField(name) })
		return choose(schema)
	}
}

// marshalDesign is a design record as the ledger keeps it, with how the data were read.
func (u *Unit) marshalDesign(r *transform.Record) ([]byte, error) {
	stored := *r
	stored.Reading = ReadingOf(u.Dataset)
	return json.Marshal(&stored)
}
