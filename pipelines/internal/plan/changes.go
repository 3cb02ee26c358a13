package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"glmbatch/report/record"
)

// parts are those of an identity that can change under one name, in the order in which they are listed.
var parts = []string{"data", "model", "sampler", "length", "chains", "keep", "seed", "versions", "pooled",
	"format"}

// Changes says in what a fit differs from the newest complete one of its name.
func (id Identity) Changes(before record.Stored) []string {
	if before.Identity == nil {
		if before.DataHash != id.Data {
			return []string{"changed data"}
		}
		return []string{"changed settings (an older program stored the fit, without its settings)"}
	}
	var current map[string]json.RawMessage
	if err := json.Unmarshal(id.Record(), &current); err != nil {
		panic("plan: identity does not unmarshal: " + err.Error())
	}
	var out []string
	for _, part := range parts {
		if old, new := before.Identity[part], current[part]; !bytes.Equal(old, new) {
			out = append(out, change(part, old, new))
		}
	}
	if out == nil && !bytes.Equal(before.Identity["start"], current["start"]) {
		out = []string{"changed start"}
	}
	if out == nil { // an older fit than the newest one has this fingerprint's parts
		out = []string{"the stored fit is gone"}
	}
	return out
}

// change words one part: what a number was and is, which keys of a mapping
// differ, or, for a hash, only that it does.
func change(part string, old, new json.RawMessage) string {
	var a, b map[string]json.RawMessage
	if json.Unmarshal(old, &a) == nil && json.Unmarshal(new, &b) == nil {
		return "changed " + part + ": " + strings.Join(differing(a, b), ", ")
	}
	if part == "data" || old == nil {
		return "changed " + part
	}
	return fmt.Sprintf("changed %s: %s → %s", part, old, new)
}

// differing words the keys of two mappings whose values differ, sorted.
func differing(a, b map[string]json.RawMessage) (out []string) {
	both := maps.Clone(b)
	maps.Copy(both, a)
	for _, k := range slices.Sorted(maps.Keys(both)) {
		switch old, new := a[k], b[k]; {
		case bytes.Equal(old, new):
		case len(old) > 0 && len(new) > 0 && len(old)+len(new) < 60:
			out = append(out, fmt.Sprintf("%s %s → %s", strings.ToLower(k), unquote(old), unquote(new)))
		default:
			out = append(out, strings.ToLower(k))
		}
	}
	return out
}

// unquote is a JSON string's text, or any other value as it is written.
func unquote(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(v)
}
