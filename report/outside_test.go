package report

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"glmbatch/infer"
)

// outsideLine is the line of own that only a ledger with draws outside has.
func outsideLine(t *testing.T) (line string) {
	t.Helper()
	l, plain := ledgerBySQL(t), ledgerBySQL(t)
	must(t, l.Write(t.Context(), func(s *Session) error { return seeOutside(t.Context(), s.c, l.path) }))
	lines, comments := parts(t, l)
	was, said := parts(t, plain)
	if comments != said {
		t.Error("the view piece has other comments where there are draws outside")
	}
	for some := range strings.Lines(lines) {
		if !strings.Contains(was, some) {
			line += some
		}
	}
	return line
}

// The definition of the view piece with draws outside is the only part that such a ledger replaces.
func TestOwnPartsOutside(t *testing.T) {
	got := outsideLine(t)
	if *update {
		must(t, os.WriteFile(filepath.Join(*schemaTo, "own_outside.txt"), []byte(got), 0o644))
		return
	}
	if got != ownOutside || strings.Count(got, "\n") != 1 {
		t.Errorf("schema/own_outside.txt differs (make golden writes it anew); a ledger has\n%s", got)
	}
}

// gatherFrom loads fragments of the run r into a ledger.
func gatherFrom(ctx context.Context, l *Ledger, fragments ...*Ledger) error {
	g := Gathering{Run: &Run{ID: "r", Pipeline: "p"}, End: func(*Session) error { return nil }}
	for _, f := range fragments {
		g.Fragments = append(g.Fragments, &Fragment{File: f, Check: func(Contents) error { return nil }})
	}
	return l.Gather(ctx, g)
}

// fragmentOf is a ledger as a shard leaves it, with complete fits of these fingerprints, each a data set of its own.
func fragmentOf(t *testing.T, fingerprints ...string) *Ledger {
	t.Helper()
	l := open(t, Options{Threads: 1})
	must(t, l.Write(t.Context(), func(s *Session) error { return s.Run(t.Context(), &Run{ID: "r", Pipeline: "p"}) }))
	for _, fingerprint := range fingerprints {
		store(t, l, shardFit(fingerprint))
	}
	return l
}

// shardFit is a fit of the run r, with a data set and draws of its own.
func shardFit(fingerprint string) *Fit {
	f := sampleFit(fingerprint)
	f.Dataset, f.RunID = fingerprint, "r"
	shared, shift := f.DrawsOf, float64(fingerprint[len(fingerprint)-1])
	f.DrawsOf = func(yield func(*infer.Columns, error) bool) {
		for block, err := range shared {
			own := *block
			own.Values = slices.Clone(block.Values)
			for i := range own.Values {
				own.Values[i] += shift
			}
			if !yield(&own, err) {
				return
			}
		}
	}
	return f
}

// gathered is a ledger of fragments, with their draws outside or not.
func gathered(t *testing.T, outside bool, fragments ...*Ledger) *Ledger {
	t.Helper()
	l := open(t, Options{Threads: 1, DrawsOutside: outside})
	must(t, gatherFrom(t.Context(), l, fragments...))
	return l
}

// outsideFiles are the files in a ledger's folder of draws, with their sizes.
func outsideFiles(t *testing.T, l *Ledger) (names []string) {
	t.Helper()
	must(t, filepath.WalkDir(drawsFolder(l.path), func(path string, e os.DirEntry, err error) error {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err == nil && !e.IsDir() {
			name, _ := filepath.Rel(drawsFolder(l.path), path)
			names = append(names, name)
		}
		return err
	}))
	return names
}

// allDraws are the draws of all fits by fingerprint, read by blocks of one column and by the chain.
func allDraws(t *testing.T, l *Ledger) string {
	t.Helper()
	fits, err := l.Stored(t.Context(), nil)
	must(t, err)
	var b strings.Builder
	for _, fingerprint := range slices.Sorted(maps.Keys(fits)) {
		f := fits[fingerprint]
		for block, err := range l.Columns(t.Context(), f, 1) {
			must(t, err)
			fmt.Fprintf(&b, "%s %x\n", fingerprint, block.Values)
		}
		chain := make([]float64, f.Parameters*f.Draws)
		must(t, l.ChainDraws(t.Context(), f, 1, chain))
		block := &infer.Columns{First: 1, Params: 1, Chains: f.Chains, Draws: f.Draws}
		must(t, l.ReadDraws(t.Context(), f.ID, block))
		fmt.Fprintf(&b, "%x %x\n", chain, block.Values)
	}
	return b.String()
}

// viewsOfDraws are the answers of the views of draws, without the numbers of fits.
func viewsOfDraws(t *testing.T, l *Ledger) string {
	t.Helper()
	var b strings.Builder
	for _, view := range []string{"draw", "draws", "draws_standardized", "piece"} {
		for _, row := range textRows(t, l, "SELECT d::VARCHAR FROM (SELECT f.fingerprint, d.* EXCLUDE (fit_id) FROM "+view+
			" d JOIN fit f USING (fit_id) ORDER BY ALL) d") {
			fmt.Fprintln(&b, view, row)
		}
	}
	return b.String()
}

// Draws are equal to the last bit, in the ledger and outside, by all ways to read them; so they are where the ledger and
// its folder were moved and called otherwise.
func TestDrawsOutside(t *testing.T) {
	one, two := fragmentOf(t, "f1", "f2", "f3"), fragmentOf(t, "f4")
	in, out := gathered(t, false, one, two), gathered(t, true, one, two)
	if n := len(outsideFiles(t, out)); n != 3 || len(outsideFiles(t, in)) != 0 {
		t.Fatalf("files %v and %v", outsideFiles(t, out), outsideFiles(t, in))
	}
	wantInt(t, out, 0, "SELECT count(*) FROM draw_piece")
	wantDraws, wantViews := allDraws(t, in), viewsOfDraws(t, in)
	for range 2 {
		if got := allDraws(t, out); got != wantDraws {
			t.Errorf("draws are\n%s, want\n%s", got, wantDraws)
		}
		differ(t, viewsOfDraws(t, out), wantViews)
		v, err := out.Verify(t.Context())
		if err != nil || v.Files != 2 || v.Fits != 4 || v.Draws == 0 {
			t.Errorf("verified %+v, %v", v, err)
		}
		moved := filepath.Join(t.TempDir(), "it's moved.duckdb")
		must(t, errors.Join(os.Rename(out.path, moved), os.Rename(drawsFolder(out.path), drawsFolder(moved))))
		out, err = Open(moved, Options{Threads: 1, DrawsOutside: true})
		must(t, err)
	}
	// gather skips fits that it has loaded, and a shard with further fits gets a file of its own.
	must(t, gatherFrom(t.Context(), out, one, two))
	store(t, two, shardFit("f5"))
	must(t, gatherFrom(t.Context(), out, one, two))
	wantInt(t, out, 3, "SELECT count(*) FROM draw_file")
	wantInt(t, out, 5, "SELECT count(DISTINCT fit_id) FROM draws")
}

// Other clients of DuckDB read the views in the ledger's folder, without a word about files.
func TestDrawsOutsideElsewhere(t *testing.T) {
	l := gathered(t, true, fragmentOf(t, "f1", "f2"))
	want := viewsOfDraws(t, l)
	t.Chdir(filepath.Dir(l.path))
	db, c, err := start(t.Context(), filepath.Base(l.path), map[string][]string{"access_mode": {"READ_ONLY"}}, func() {})
	must(t, err)
	defer func() { must(t, errors.Join(c.Close(), db.Close())) }()
	var n int
	must(t, c.QueryRowContext(t.Context(), "SELECT count(*) FROM draws").Scan(&n))
	if n != strings.Count(want, "draws [") {
		t.Errorf("%d draws, want %d", n, strings.Count(want, "draws ["))
	}
}

// A query of one fit reads a row group of a file, by its number and by its name.
func TestDrawsOutsidePrune(t *testing.T) {
	var names []string
	for i := range 400 {
		names = append(names, fmt.Sprint("f", 1000+i))
	}
	fragment := open(t, Options{Threads: 1})
	must(t, fragment.Write(t.Context(), func(s *Session) error {
		err := s.Run(t.Context(), &Run{ID: "r", Pipeline: "p"})
		var fits []*Fit
		for _, name := range names {
			f := benchFit(8, 500, 4)
			f.Fingerprint, f.Dataset = name, name
			fits = append(fits, f)
		}
		_, errs := s.Fits(t.Context(), fits)
		return errors.Join(append(errs, err)...)
	}))
	l := gathered(t, true, fragment, fragmentOf(t, "f1"))
	var path string
	one(t, l, "SELECT path FROM draw_file ORDER BY bytes DESC LIMIT 1", &path)
	var groups, most int64
	one(t, l, "SELECT count(*) FROM parquet_metadata("+quoteText(filepath.Join(drawsFolder(l.path), path))+
		") WHERE path_in_schema = 'fit_id'", &groups)
	one(t, l, "SELECT max(n) FROM (SELECT count(*) AS n FROM draw_outside JOIN parquet_metadata("+
		quoteText(filepath.Join(drawsFolder(l.path), path))+") ON fit_id BETWEEN stats_min::BIGINT AND stats_max::BIGINT "+
		"WHERE fit_id <= 400 AND path_in_schema = 'fit_id' GROUP BY fit_id)", &most)
	if groups < 8 || most > 2 { // 2 for those on a boundary
		t.Errorf("of %d row groups %d must be read for a fit", groups, most)
	}
	var first string
	one(t, l, "SELECT getvariable('draws')[1]", &first)
	if first != filepath.Join(drawsFolder(l.path), path) {
		t.Errorf("the view begins with %s, and not with the largest file", first)
	}
	for _, where := range []string{"fit_id = 200", "dataset = 'f1199'"} {
		plan := fmt.Sprint(textRows(t, l, "EXPLAIN (ANALYZE, FORMAT json) SELECT sum(value) FROM draws WHERE "+where))
		if !regexp.MustCompile(`"READ_PARQUET"[^}]*fit_id=200`).MatchString(plan) {
			t.Errorf("%s: the plan is\n%s", where, plan)
		}
	}
}

// A file of draws that is lost costs its own fits, and is named with what to do.
func TestDrawsLost(t *testing.T) {
	l := gathered(t, true, fragmentOf(t, "f1", "f2"), fragmentOf(t, "f3"))
	var path string
	one(t, l, "SELECT path FROM draw_file JOIN draw_outside USING (file_id) JOIN fit USING (fit_id) WHERE fingerprint = 'f3'",
		&path)
	path = filepath.Join(drawsFolder(l.path), path)
	whole, err := os.ReadFile(path)
	must(t, err)
	fits, err := l.Stored(t.Context(), nil)
	must(t, err)
	spoilt := slices.Clone(whole)
	spoilt[len(spoilt)/2] ^= 1
	for name, content := range map[string][]byte{"is not there": nil, "bytes and not": whole[:100],
		"is not what was written": spoilt} {
		must(t, removeIfThere(path))
		if content != nil {
			must(t, os.WriteFile(path, content, 0o600))
		}
		v, err := l.Verify(t.Context())
		if damaged, ok := errors.AsType[*NotLedgerError](err); !ok || !damaged.Damaged || len(v.Damage) == 0 ||
			!strings.Contains(v.Damage[0], name) || !strings.Contains(v.Damage[0], path) ||
			!strings.Contains(err.Error(), LostHint) {
			t.Errorf("%s: verified %+v, %v", name, v, err)
		}
		for block, err := range l.Columns(t.Context(), fits["f1"], 1<<20) {
			if err != nil || len(block.Values) == 0 {
				t.Errorf("%s: draws of another fit: %v", name, err)
			}
		}
		if name == "is not what was written" {
			continue // which verify alone looks at
		}
		for _, err := range l.Columns(t.Context(), fits["f3"], 1<<20) {
			if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), LostHint) {
				t.Errorf("%s: draws of its fit: %v", name, err)
			}
		}
		lost, err := l.LostDraws(t.Context())
		if err != nil || len(lost) != 1 || !strings.Contains(lost[fits["f3"].ID], name) {
			t.Errorf("%s: lost are %v, %v", name, lost, err)
		}
		noted := ""
		var b strings.Builder
		must(t, l.Query(t.Context(), &b, QueryOptions{Format: CSV, Note: func(text string) { noted += text }},
			"SELECT count(DISTINCT fit_id) AS fits FROM draws"))
		if b.String() != "fits\n2\n" || !strings.Contains(noted, path) {
			t.Errorf("%s: asked, it says %q, and notes %q", name, b.String(), noted)
		}
	}
}

// A folder of draws that leads elsewhere is refused, and so is a file outside it.
func TestDrawsFence(t *testing.T) {
	l := gathered(t, true, fragmentOf(t, "f1"))
	link := filepath.Join(drawsFolder(l.path), "elsewhere.parquet")
	must(t, os.Symlink("/etc/passwd", link))
	if _, err := l.Stored(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "elsewhere.parquet") {
		t.Errorf("with a link: %v", err)
	}
	must(t, os.Remove(link))
	outside := filepath.Join(filepath.Dir(l.path), "other.parquet")
	must(t, os.WriteFile(outside, []byte("x"), 0o600))
	must(t, l.Write(t.Context(), func(s *Session) error {
		return execute(t.Context(), s.c, "UPDATE draw_file SET path = '../other.parquet', bytes = 1")
	}))
	fits, err := l.Stored(t.Context(), nil)
	must(t, err)
	for _, err := range l.Columns(t.Context(), fits["f1"], 1<<20) {
		if err == nil || !strings.Contains(err.Error(), "outside the ledger's folder") {
			t.Errorf("a file elsewhere: %v", err)
		}
	}
}

// A file that no transaction names, as a kill leaves it, belongs to no fit, and is removed by the next gather or
// prune; a foreign file stays.
func TestStrayDraws(t *testing.T) {
	fragment := fragmentOf(t, "f1", "f2")
	l := gathered(t, true, fragment)
	want := viewsOfDraws(t, l)
	folder := drawsFolder(l.path)
	file := filepath.Join(folder, outsideFiles(t, l)[1])
	text, err := os.ReadFile(file)
	must(t, err)
	for name, clean := range map[string]func() error{
		"gather": func() error { return gatherFrom(t.Context(), l, fragment) },
		"prune": func() error {
			_, err := l.Prune(t.Context(), "", 1)
			return err
		},
	} {
		for _, stray := range []string{"r/9.parquet", "r/0.parquet.new", "r9/0.parquet", "mine.txt"} {
			path := filepath.Join(folder, stray)
			must(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, text, 0o600)))
		}
		if _, err := l.Stored(t.Context(), nil); err != nil {
			t.Error(err)
		}
		must(t, os.Remove(filepath.Join(folder, "r/0.parquet.new")))
		must(t, clean())
		if got := outsideFiles(t, l); len(got) != 3 || !slices.Contains(got, "mine.txt") {
			t.Errorf("after %s there are %v", name, got)
		}
		differ(t, viewsOfDraws(t, l), want)
	}
}

// A migration leaves the draws of files in the views.
func TestDrawsOutsideMigrated(t *testing.T) {
	l := gathered(t, true, fragmentOf(t, "f1", "f2"))
	want := viewsOfDraws(t, l)
	undo := []string{"DELETE FROM schema_version WHERE version > 2"}
	for _, of := range tables {
		for _, c := range slices.Backward(of.columns) {
			if of.since <= 2 && c.since > 2 {
				undo = append(undo, "ALTER TABLE "+of.name+" DROP COLUMN "+c.name)
			}
		}
		if of.since > 2 {
			undo = append(undo, "DROP TABLE "+of.name)
		}
	}
	stranger(t, l, undo...)
	l, err := Open(l.path, Options{Threads: 1})
	must(t, err)
	wantInt(t, l, len(migrations), "SELECT max(version) FROM schema_version")
	differ(t, viewsOfDraws(t, l), want)
}

// dropFits removes fits as later nights do that replace them.
func dropFits(t *testing.T, l *Ledger, where string) {
	t.Helper()
	must(t, l.Write(t.Context(), func(s *Session) error {
		var gone []string
		err := read(t.Context(), s.c, &gone, "SELECT fingerprint FROM fit WHERE "+where)
		return errors.Join(err, s.remove(t.Context(), &replacing{complete: gone, ids: make([]int64, len(gone))}))
	}))
}

// Prune removes files of which no fit is left, and rewrites those that have few; with the last one the ledger has
// draws of its own again.
func TestPruneOutside(t *testing.T) {
	l := gathered(t, true, fragmentOf(t, "f1", "f2", "f3"), fragmentOf(t, "f4"))
	var digests = func(where string) string {
		return textOf(t, l, "SELECT string_agg(concat_ws(',', fingerprint, parameter_id, chain, iteration, value), ';' "+
			"ORDER BY fingerprint, parameter_id, chain, iteration) FROM draw JOIN fit USING (fit_id) WHERE "+where)
	}
	f3, f4 := digests("fingerprint = 'f3'"), digests("fingerprint = 'f4'")
	before := drawBytes(l.path)
	dropFits(t, l, "fingerprint = 'f4'")
	p, err := l.Prune(t.Context(), "", 1)
	if err != nil || p.After >= p.Before || len(outsideFiles(t, l)) != 2 || drawBytes(l.path) >= before {
		t.Errorf("pruned %+v, %v: %v", p, err, outsideFiles(t, l))
	}
	dropFits(t, l, "fingerprint IN ('f1', 'f2')")
	before = drawBytes(l.path)
	if _, err := l.Prune(t.Context(), "", 1); err != nil || drawBytes(l.path) >= before {
		t.Errorf("a file of few fits was not written anew: %v", err)
	}
	if got := digests("true"); got != f3 || got == f4 {
		t.Errorf("draws are %s, want %s", got, f3)
	}
	dropFits(t, l, "true")
	if _, err := l.Prune(t.Context(), "", 1); err != nil || len(outsideFiles(t, l)) != 0 {
		t.Errorf("%v: there are %v", err, outsideFiles(t, l))
	}
	wantInt(t, l, 0, "SELECT count(*) FROM draws")
	must(t, l.Write(context.Background(), func(s *Session) error { return nil }))
}

// A copy that is published has its files of draws, those that prune removes from the ledger too.
func TestPublishOutside(t *testing.T) {
	l := gathered(t, true, fragmentOf(t, "f1", "f2"), fragmentOf(t, "f3"))
	want, to := viewsOfDraws(t, l), filepath.Join(t.TempDir(), "copy.duckdb")
	for range 2 {
		must(t, l.Publish(t.Context(), to))
		copied, err := Open(to, Options{Threads: 1})
		must(t, err)
		differ(t, viewsOfDraws(t, copied), want)
		if v, err := copied.Verify(t.Context()); err != nil || v.Files != 2 {
			t.Errorf("the copy: %+v, %v", v, err)
		}
	}
	dropFits(t, l, "fingerprint = 'f3'")
	_, err := l.Prune(t.Context(), "", 1)
	must(t, err)
	copied, err := Open(to, Options{Threads: 1})
	must(t, err)
	differ(t, viewsOfDraws(t, copied), want)
	want = viewsOfDraws(t, l)
	for _, files := range []int{3, 2} { // the one before is left to its readers
		must(t, l.Publish(t.Context(), to))
		differ(t, viewsOfDraws(t, copied), want)
		if got := outsideFiles(t, copied); len(got) != files {
			t.Errorf("beside the copy are %v, want %d files", got, files)
		}
	}
}
