package report

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var storeLedger = flag.Bool("ledger", false,
	"store the fixture of the newest schema version anew; never once that version was released")

// ledgerFixture is a ledger of a schema version as a program wrote it. The first one is frozen when the first
// version is released: until then a change of the schema rewrites it (-ledger), from then on it comes with a
// version and a fixture of its own.
func ledgerFixture(version int) string {
	return filepath.Join("testdata", "ledgers", fmt.Sprintf("%04d.duckdb.gz", version))
}

// fillLedger stores what the fixtures hold: a run of fits with all that a fit can
// have, two nights of one fit that drifts, and discrete variables.
func fillLedger(t *testing.T, l *Ledger) {
	t.Helper()
	storePageNight(t, l, false)
	second := nightFit(12, func(f *Fit) { f.Summaries[0].Mean, f.Rows = 3, 80 })
	second.Start = &Start{Question: "q", From: 6, FromFingerprint: "f11", Known: 2, StepSize: 0.25,
		Note: "around the fit before"}
	store(t, l, nightFit(11, unchanged), second, pixels("a", 0.1, 0.6, 0.5, 0.75, 1, math.NaN()))
}

// answers are the answers of readers of a ledger, which no migration may change.
func answers(t *testing.T, l *Ledger) string {
	t.Helper()
	var b strings.Builder
	must(t, l.Reading(t.Context(), func() error {
		answersTo(t, l, &b)
		return nil
	}))
	return b.String()
}

// answersTo writes the answers.
func answersTo(t *testing.T, l *Ledger, b *strings.Builder) {
	t.Helper()
	ctx := t.Context()
	tell := func(what string, x any, err error) {
		t.Helper()
		must(t, err)
		fmt.Fprintf(b, "%s: %+v\n", what, x)
	}
	page, err := l.Page(ctx, PageOptions{Latest: true})
	tell("page", mustJSON(t, page), err)
	looks, err := l.LookNewest(ctx, "", func(Key) bool { return true })
	tell("looks", mustJSON(t, looks), err)
	nights, err := l.Nights(ctx, time.Time{}, 0)
	tell("nights", mustJSON(t, nights), err)
	drifts, err := l.Drifts(ctx, "", 9)
	tell("drifts", mustJSON(t, drifts), err)
	stored, err := l.Stored(ctx, nil)
	tell("stored", len(stored), err)
	for _, fingerprint := range []string{"f-good", "f-bad", "f12", "f-a"} {
		f := stored[fingerprint]
		tell("parts", mustJSON(t, []any{f, f.Fingerprint, f.DataHash, f.ModelHash, f.Kept, f.Question, f.From, f.Derived,
			f.Identity}), nil)
	}
	earlier, err := l.Earlier(ctx, "p")
	tell("earlier", mustJSON(t, earlier), err)
	fingerprints := []string{"f-good", "f-bad", "f12", "f-a"}
	var ids []int64
	for _, fingerprint := range fingerprints {
		ids = append(ids, stored[fingerprint].ID)
	}
	recalled, err := l.Recall(ctx, ids)
	tell("recalled", len(recalled), err)
	for _, fingerprint := range fingerprints {
		evidence, err := l.Evidence(ctx, fingerprint)
		tell("evidence of "+fingerprint, evidence, err)
		of := recalled[stored[fingerprint].ID]
		tell("recalled of "+fingerprint, []any{of.Parameters, of.StepSizes}, nil)
		tell("recalled data of "+fingerprint, mustJSON(t, of.Data), nil)
	}
	for block, err := range l.Columns(ctx, stored["f-good"], 1<<20) {
		tell("draws", block.Values, err)
	}
}

// Stored ledgers of every version give the answers of a current ledger with the same content: opening one migrates
// it.
func TestStoredLedgers(t *testing.T) {
	fresh := open(t, Options{})
	fillLedger(t, fresh)
	if *storeLedger {
		text, err := os.ReadFile(filepath.Join("..", "CHANGELOG.md"))
		must(t, err)
		if newest := migrations[len(migrations)-1].name; strings.Contains(string(text), "\n## "+newest+",") {
			t.Fatalf("%s is released: its fixture stays as it is", newest)
		}
		keepLedger(t, fresh, ledgerFixture(len(migrations)))
	}
	want := answers(t, fresh)
	for version := 1; version <= len(migrations); version++ {
		packed, err := os.Open(ledgerFixture(version))
		if err != nil {
			t.Fatalf("%v\nrun: go test ./report -run StoredLedgers -ledger, then commit the file", err)
		}
		defer packed.Close()
		r, err := gzip.NewReader(packed)
		must(t, err)
		text, err := io.ReadAll(r)
		must(t, err)
		path := filepath.Join(t.TempDir(), "ledger.duckdb")
		must(t, os.WriteFile(path, text, 0o600))
		l, err := Open(path, Options{Threads: 1})
		must(t, err)
		if got := answers(t, l); got != want {
			t.Errorf("version %d tells other things than a fresh ledger:\n%s", version, firstDifference(got, want))
		}
		wantInt(t, l, len(migrations), "SELECT max(version) FROM schema_version")
	}
}

// keepLedger writes a ledger's file, packed.
func keepLedger(t *testing.T, l *Ledger, to string) {
	t.Helper()
	text, err := os.ReadFile(l.Path())
	must(t, err)
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	must(t, err)
	_, err = w.Write(text)
	must(t, err)
	must(t, w.Close())
	must(t, os.MkdirAll(filepath.Dir(to), 0o755))
	must(t, os.WriteFile(to, b.Bytes(), 0o644))
}

// firstDifference shows where two texts part.
func firstDifference(got, want string) string {
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	around := func(s string) string { return s[max(0, i-80):min(len(s), i+80)] }
	return "got  … " + around(got) + " …\nwant … " + around(want) + " …"
}
