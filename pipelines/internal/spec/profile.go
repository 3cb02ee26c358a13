package spec

import (
	"slices"

	"glmbatch/internal/words"
)

// The two ways to say how long a run is; a profile that uses one replaces the other.
var (
	fixedKeys   = []string{"draws", "warmup"}
	growingKeys = []string{"until", "first", "max_iterations"}
)

// applyProfile gives each profile the keys of run that it does not override, and replaces the pipeline's database
// and run with the chosen profile's.
func applyProfile(r *reporter, root *node, name string) {
	profiles := root.get("profiles")
	for _, p := range profiles.list() {
		run := p.value.get("run")
		if run == nil || run.kind != mapKind {
			if base := root.get("run"); run == nil && base != nil && p.value.kind == mapKind {
				p.value.set("run", base)
			}
			continue
		}
		drop := []string(nil)
		keys := run.keys()
		if has(keys, growingKeys) && !has(keys, fixedKeys) {
			drop = fixedKeys
		}
		if has(keys, fixedKeys) && !has(keys, growingKeys) {
			drop = growingKeys
		}
		p.value.set("run", run.inherit(root.get("run"), drop))
	}
	if name == "" {
		return
	}
	chosen := profiles.get(name)
	if chosen == nil {
		at := pos{1, 1}
		for _, e := range root.entries {
			if e.key == "profiles" {
				at = e.at
			}
		}
		r.add(at, "there is no profile "+quote(name), words.DidYouMean(name, "profiles", profiles.keys()))
		return
	}
	if chosen.get("database") != nil { // these are for the pipeline's own
		root.entries = slices.DeleteFunc(root.entries,
			func(e entry) bool { return e.key == "publish" || e.key == "report" })
	}
	for _, key := range []string{"database", "publish", "report", "run"} {
		if v := chosen.get(key); v != nil {
			root.set(key, v)
		}
	}
}

// inheritGates gives each entry of fits the gates that it does not override.
func inheritGates(root *node) {
	base := root.get("gates")
	if fits := root.get("fits"); fits != nil && base != nil && base.kind == mapKind {
		for _, entry := range fits.items {
			if entry.kind != mapKind {
				continue
			}
			if gates := entry.get("gates"); gates == nil {
				entry.set("gates", base)
			} else if gates.kind == mapKind {
				if drift := gates.get("drift"); drift != nil && drift.kind == mapKind && base.get("drift") != nil {
					gates.set("drift", drift.inherit(base.get("drift"), nil))
				}
				entry.set("gates", gates.inherit(base, nil))
			}
		}
	}
}

func has(keys, some []string) bool {
	return slices.ContainsFunc(some, func(k string) bool { return slices.Contains(keys, k) })
}

// inherit returns n with the entries of base that it does not have, except drop.
func (n *node) inherit(base *node, drop []string) *node {
	merged := *n
	merged.entries = slices.Clone(n.entries)
	for _, e := range base.list() {
		if n.get(e.key) == nil && !slices.Contains(drop, e.key) {
			merged.entries = append(merged.entries, e)
		}
	}
	return &merged
}

// set replaces or adds an entry.
func (n *node) set(key string, value *node) {
	for i := range n.entries {
		if n.entries[i].key == key {
			n.entries[i].value = value
			return
		}
	}
	n.entries = append(n.entries, entry{key: key, at: value.at, value: value})
}
