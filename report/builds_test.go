package report

import (
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// unpackLedger returns the path of a copy of a stored ledger.
func unpackLedger(t *testing.T, packed string) string {
	t.Helper()
	f, err := os.Open(packed)
	must(t, err)
	defer f.Close()
	r, err := gzip.NewReader(f)
	must(t, err)
	text, err := io.ReadAll(r)
	must(t, err)
	path := filepath.Join(t.TempDir(), "ledger.duckdb")
	must(t, os.WriteFile(path, text, 0o600))
	return path
}

// Builds before version 3 changed version 2 in place. The fixtures were written by three such builds, each with other
// tables. A ledger of any of them gets what it lacks when it is opened, keeps what it holds, and can be written to.
func TestLedgersOfEarlierBuilds(t *testing.T) {
	fresh := open(t, Options{})
	must(t, fresh.Write(t.Context(), func(*Session) error { return nil }))
	const columns = `SELECT table_name, column_index, column_name, data_type, is_nullable FROM duckdb_columns()
		WHERE NOT internal AND table_name IN (SELECT table_name FROM duckdb_tables()) ORDER BY table_name, column_index`
	wantColumns := fmt.Sprint(textRows(t, fresh, columns))
	for i, build := range []string{"c0c3dc1c", "3f409b20", "1c748e89"} {
		for k, opts := range []Options{{Threads: 1}, {Threads: 1, Later: true}, {Threads: 1, Restore: true}} {
			if k > 0 && k != i { // each build by Open, and two by a later reader or writer
				continue
			}
			t.Run(fmt.Sprintf("%s/%v/%v", build, opts.Later, opts.Restore), func(t *testing.T) {
				path := unpackLedger(t, filepath.Join("testdata", "ledgers", "0002_"+build+".duckdb.gz"))
				l, err := Open(path, opts)
				must(t, err)
				stored, err := l.Stored(t.Context(), nil)
				must(t, err)
				if len(stored) != 7 {
					t.Errorf("%d fits are stored", len(stored))
				}
				lines, _ := parts(t, l)
				if lines != own {
					t.Errorf("its parts are not those of a new ledger:\n%s", firstDifference(lines, own))
				}
				if got := fmt.Sprint(textRows(t, l, columns)); got != wantColumns {
					t.Errorf("its columns are not those of a new ledger:\n%s", firstDifference(got, wantColumns))
				}
				wantInt(t, l, len(migrations), "SELECT max(version) FROM schema_version")
				_, err = l.Page(t.Context(), PageOptions{Latest: true})
				must(t, err)
				must(t, l.Whole(t.Context()))
				store(t, l, sampleFit("new"))
				if stored, err := l.Stored(t.Context(), nil); err != nil || len(stored) != 8 {
					t.Errorf("%d fits are stored: %v", len(stored), err)
				}
			})
		}
	}
}

// Builds before release 0.1.0 wrote version 1 with other tables. Their ledgers are not changed, and the message gives
// the reason.
func TestLedgersBeforeTheFirstRelease(t *testing.T) {
	for _, build := range []string{"f239cc23", "b603a13d"} {
		path := unpackLedger(t, filepath.Join("testdata", "ledgers", "0001_"+build+".duckdb.gz"))
		before, err := os.ReadFile(path)
		must(t, err)
		later, err := Open(path, Options{Threads: 1, Later: true})
		must(t, err)
		_, opened := Open(path, Options{Threads: 1})
		_, stored := later.Stored(t.Context(), nil)
		written := later.Write(t.Context(), func(*Session) error { return nil })
		for verb, err := range map[string]error{"open": opened, "stored": stored, "write": written} {
			if _, is := errors.AsType[*VersionError](err); !is || !IsUnusable(err) ||
				!strings.Contains(err.Error(), `version 1 of its schema is named "first", and this program's is named "0.1.0"`) {
				t.Errorf("%s, %s: %v", build, verb, err)
			}
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
			t.Errorf("%s: the file was changed: %v", build, err)
		}
	}
}

//go:embed schema/versions.txt
var versionsText string

// frozenVersions is the number of schema versions that other people's ledgers can have: those of a release, or of a
// landing on the main branch. Their SQL never changes. A landing that changes the schema adds a version and then sets
// this constant to its number.
const frozenVersions = 4

// TestSchemaVersions compares each version's name and SQL, and the views of the newest one, with the hashes in
// schema/versions.txt. Comments are not compared: they change no result, and an older file keeps its own. The option -update replaces the hash of what is not frozen.
func TestSchemaVersions(t *testing.T) {
	var lines []string
	line := func(version int, name string, sql []string) {
		sum := sha256.Sum256([]byte(strings.Join(append([]string{name}, sql...), "\n")))
		lines = append(lines, fmt.Sprintf("%d %s %x\n", version, name, sum))
	}
	for i, m := range migrations {
		line(i+1, m.name, m.sql())
	}
	isComment := func(text string) bool { return strings.HasPrefix(text, "COMMENT ON ") }
	line(len(migrations), "views", slices.DeleteFunc(slices.Clone(definitions()), isComment))
	want := slices.Collect(strings.Lines(versionsText))
	frozen := frozenVersions
	if frozen == len(migrations) {
		frozen++ // the views
	}
	if len(want) < frozen {
		t.Fatalf("schema/versions.txt has %d versions, and %d are frozen", len(want), frozenVersions)
	}
	for i := range frozen {
		if lines[i] != want[i] {
			t.Errorf("the SQL of version %d changed, and ledgers have it:\ngot  %swant %sput the change into a new version",
				min(i+1, frozenVersions), lines[i], want[i])
		}
	}
	if *update && !t.Failed() {
		must(t, os.WriteFile(filepath.Join(*schemaTo, "versions.txt"), []byte(strings.Join(lines, "")), 0o644))
		return
	}
	if got := strings.Join(lines, ""); got != versionsText {
		t.Errorf("schema/versions.txt differs (make golden replaces the hash of a version that is not frozen):\n%s", got)
	}
}
