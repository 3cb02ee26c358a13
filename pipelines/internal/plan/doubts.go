package plan

import (
	"fmt"
	"strings"

	"glmbatch/ingest"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/transform"
)

// doubtsOf are warnings of the groups of a data set, by key: those that are likely to be another one in a different
// spelling, and those that are several names which are one number.
func doubtsOf(ds *spec.Dataset, tables []*ingest.Table) map[string][]string {
	out := map[string][]string{}
	for _, t := range tables {
		out[t.Key] = t.Doubts[:len(t.Doubts):len(t.Doubts)]
	}
	if len(ds.Groups()) == 0 {
		return out
	}
	var names []string
	var rows []int
	at := map[string]int{}
	for i, t := range tables {
		name := strings.ReplaceAll(t.Key, `"`, "") // a key with blanks at its ends has quotes
		at[name] = i
		names, rows = append(names, name), append(rows, int(t.Data.NumRows()))
	}
	of := fmt.Sprintf("by: [%s]", strings.Join(ds.Groups(), ", "))
	for _, p := range words.Alike(names, rows) {
		pair, counts := []string{p.Rare, p.Other}, []int{rows[at[p.Rare]], rows[at[p.Other]]}
		text := transform.Slips(of, "group", pair, counts)
		for _, name := range pair {
			key := tables[at[name]].Key
			out[key] = append(out[key], text...)
		}
	}
	return out
}
