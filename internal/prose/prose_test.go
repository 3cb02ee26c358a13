package prose

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "lower the records of testdata/counts.tsv to the hits found")

const countsFile = "testdata/counts.tsv"

// record is one line of counts.tsv: the hits of a folder, and its files that have any.
type record struct {
	hits  int
	files []string
}

// judged is the text of a repository and what is known of it.
type judged struct {
	rules    []*rule
	finished map[string]bool
	records  map[string]record
}

// faults returns every breach in units, and the records that the units would need.
func (j *judged) faults(units []unit) (faults []string, now map[string]record) {
	now = map[string]record{}
	first := map[string]hit{}
	hits := map[string]map[string]int{}
	for _, u := range units {
		finished := j.finished[u.path] || u.message && j.finished[path.Dir(u.path)]
		if u.message && !finished {
			continue
		}
		if s := longSentence(u.text); finished && !u.message && s != "" {
			faults = append(faults, fmt.Sprintf("%s:%d: a sentence of more than %d words: %q", u.path, u.line, maxWords, s))
		}
		for _, r := range j.rules {
			if r.warns() && !finished {
				continue
			}
			for _, h := range r.find(u) {
				dir := path.Dir(u.path)
				switch {
				case finished:
					faults = append(faults, h.String())
					continue
				case !slices.Contains(j.records[dir].files, path.Base(u.path)):
					faults = append(faults, h.String()+" (the file had no hit)")
				}
				if hits[dir] == nil {
					hits[dir] = map[string]int{}
					first[dir] = h
				}
				hits[dir][path.Base(u.path)]++
			}
		}
	}
	for dir, files := range hits {
		n := 0
		for _, k := range files {
			n += k
		}
		now[dir] = record{n, slices.Sorted(maps.Keys(files))}
		if most := j.records[dir].hits; n > most {
			faults = append(faults, fmt.Sprintf("%s: %d hits, at most %d are recorded; for example %v", dir, n, most, first[dir]))
		}
	}
	return faults, now
}

// lowered returns records that neither list more files nor allow more hits than old.
func lowered(old, now map[string]record) map[string]record {
	out := map[string]record{}
	for dir, was := range old {
		is := now[dir]
		keep := slices.DeleteFunc(slices.Clone(was.files), func(f string) bool { return !slices.Contains(is.files, f) })
		if n := min(was.hits, is.hits); n > 0 && len(keep) > 0 {
			out[dir] = record{n, keep}
		}
	}
	return out
}

func readCounts(t *testing.T) map[string]record {
	t.Helper()
	out := map[string]record{}
	text, err := os.ReadFile(countsFile)
	if errors.Is(err, fs.ErrNotExist) && *update {
		return nil
	}
	must(t, err)
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		n, err := strconv.Atoi(f[1])
		if err != nil || len(f) != 3 {
			t.Fatalf("%s: %s", countsFile, line)
		}
		out[f[0]] = record{n, strings.Fields(f[2])}
	}
	return out
}

func writeCounts(t *testing.T, records map[string]record) {
	t.Helper()
	var b strings.Builder
	for _, dir := range slices.Sorted(maps.Keys(records)) {
		fmt.Fprintf(&b, "%s\t%d\t%s\n", dir, records[dir].hits, strings.Join(records[dir].files, " "))
	}
	must(t, os.WriteFile(countsFile, []byte(b.String()), 0o644))
}

// Finished pages have no hit, new files have none, and the hits of a folder only fall.
func TestProse(t *testing.T) {
	text, err := os.ReadFile("testdata/finished.txt")
	must(t, err)
	j := &judged{readRules(t), map[string]bool{}, readCounts(t)}
	for _, p := range strings.Fields(string(text)) {
		j.finished[p] = true
		if _, err := os.Stat(path.Join(root, p)); err != nil {
			t.Errorf("finished.txt: %v", err)
		}
	}
	units := readUnits(t, root)
	if len(units) < 1000 {
		t.Fatalf("only %d pieces of prose: the rules would hold for nothing", len(units))
	}
	faults, now := j.faults(units)
	if *update {
		if j.records != nil {
			now = lowered(j.records, now)
		}
		writeCounts(t, now)
	}
	for _, f := range faults {
		t.Error(f)
	}
}

// Each of the reasons to fail is seen, and no other.
func TestProseCatches(t *testing.T) {
	j := &judged{readRules(t), map[string]bool{"done.md": true, "done": true}, map[string]record{"p": {1, []string{"a.go", "b.go"}}}}
	const bad = "It is computed anew."
	cases := map[string]struct {
		units []unit
		want  string
	}{
		"clean":          {[]unit{{"done.md", 1, "It is recomputed.", false}, {"p/a.go", 1, bad, false}}, ""},
		"a finished hit": {[]unit{{"done.md", 1, bad, false}}, "done.md:1: anew"},
		"a finished warning": {[]unit{{"done.md", 1, "It ends sooner.", false}, {"p/a.go", 1, "It ends sooner.", false}},
			"done.md:1: w:sooner"},
		"a long sentence":   {[]unit{{"done.md", 1, strings.Repeat("word ", maxWords+1), false}}, "done.md:1: a sentence"},
		"a new file":        {[]unit{{"p/new.go", 1, bad, false}}, "p/new.go:1: anew"},
		"a new folder":      {[]unit{{"q/a.go", 1, bad, false}}, "q/a.go:1: anew"},
		"a message":         {[]unit{{"done/a.go", 1, "It ends sooner.", true}}, "done/a.go:1: w:sooner"},
		"an old message":    {[]unit{{"p/a.go", 1, "It ends sooner. " + bad, true}}, ""},
		"a comment of done": {[]unit{{"done/a.go", 1, "It ends sooner.", false}}, ""},
		"a rise":            {[]unit{{"p/a.go", 1, bad, false}, {"p/b.go", 1, bad, false}}, "p: 2 hits, at most 1"},
	}
	for name, c := range cases {
		got, _ := j.faults(c.units)
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) == 0 || !strings.HasPrefix(got[0], c.want)) {
			t.Errorf("%s: %q, expected %q", name, got, c.want)
		}
	}
	old := map[string]record{"p": {3, []string{"a.go", "b.go"}}, "q": {1, []string{"a.go"}}}
	now := map[string]record{"p": {5, []string{"b.go", "c.go"}}, "r": {1, []string{"a.go"}}}
	if got := fmt.Sprint(lowered(old, now)); got != "map[p:{3 [b.go]}]" {
		t.Errorf("lowered: %s", got)
	}
}

// must ends the test on an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
