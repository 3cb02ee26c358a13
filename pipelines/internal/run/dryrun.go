package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"glmbatch/pipelines/internal/assess"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spool"
	"glmbatch/report"
)

// foresee says what a run would do about an identified fit, and why.
func (a *attempt) foresee(id *plan.Identified, stored report.Stored, complete bool) {
	res := a.res
	if complete && !a.Force && !redraws(id.Model, stored) {
		res.Action, res.Verdict, res.Reasons = Skipped, string(stored.Verdict.Grade), stored.Verdict.Reasons
		res.Chains, res.Draws = stored.Chains, stored.Draws
		if id.Gates != *stored.Gates {
			res.Reasons = []string{"changed gates: the verdict would be taken anew"}
		}
		if !slices.Equal(assess.Expressions(id.Model), stored.Derived) {
			res.Reasons = []string{"changed derive: computed anew from the stored draws"}
		}
		return
	}
	res.Action = Planned
	before, known := a.before[id.Key()]
	switch {
	case complete && !a.Force:
		res.Reasons = []string{"changed derive, and the ledger has no draws to compute it from"}
	case complete:
		res.Reasons = []string{"--force"}
	case id.Replicate > 1:
		res.Reasons = []string{"a replicate that is not there"}
	case !known:
		res.Reasons = []string{"new"}
	default:
		res.Reasons = changes(before, id.Identity)
	}
	if id.Start != nil {
		res.Reasons = append(res.Reasons, "would start "+id.Start.Note)
	}
	if !a.Force && spool.Holds(a.world.Root, id.Fingerprint) {
		res.Reasons = append(res.Reasons, "would go on from what a stopped run has drawn")
	}
	if words := id.Foreseen(); words != "" {
		res.Reasons = append(res.Reasons, words)
	}
}

// parts are those of an identity that can change under one name, in the order
// in which they are told.
var parts = []string{"data", "model", "sampler", "length", "chains", "keep", "seed", "versions", "format"}

// changes says in what a fit differs from the newest complete one of its name.
func changes(before report.Stored, now plan.Identity) []string {
	if before.Identity == nil {
		if before.DataHash != now.Data {
			return []string{"changed data"}
		}
		return []string{"changed settings (an older program stored the fit, without its settings)"}
	}
	var current map[string]json.RawMessage
	if err := json.Unmarshal(now.Record(), &current); err != nil {
		panic("run: identity does not unmarshal: " + err.Error())
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
func differing(a, b map[string]json.RawMessage) []string {
	var keys []string
	for k := range a {
		keys = append(keys, k)
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	var out []string
	for _, k := range keys {
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
