package main

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"unicode"

	"glmbatch/pipelines"

	_ "github.com/duckdb/duckdb-go/v2"
)

// tampered are numbers that a stranger may have written into a ledger.
var tampered = []string{"2147483647", "-1", "0", "NULL", "1", "2", "1000000", "-2147483648", "1e308", "'NaN'", "9223372036854775807"}

// askedOfTampered are the verbs that read a ledger.
var askedOfTampered = []string{
	"show --database l.duckdb", "show 1 --database l.duckdb", "show 1 --database l.duckdb --format json", "verify --database l.duckdb",
	"export --database l.duckdb --layout csv --to out", "export --database l.duckdb --layout netcdf --to out2",
	"report --database l.duckdb --output page.html", "predict s.yaml --data new.csv --database l.duckdb", "runs --database l.duckdb",
	"drift --database l.duckdb", "compare --database l.duckdb", "effects s.yaml --database l.duckdb",
}

// FuzzTamperedLedger changes one column of one table of a small ledger to a number, and asks every verb. None of them may
// panic, allocate much, print control characters or end with another code than those of answers and of damage.
func FuzzTamperedLedger(f *testing.F) {
	dir := f.TempDir()
	f.Chdir(dir)
	for name, text := range map[string]string{"s.yaml": `pipeline: s
database: l.duckdb
datasets: {d: {path: "example:pima.csv"}}
models: {m: {formula: type ~ glu, family: bernoulli, prior: {coefficients: "normal(0, 2.5)"}}}
samplers: {gibbs: {method: cggibbs}}
run: {warmup: 50, draws: 100, loo: true, ppc: true}
gates: {rhat: 3, ess_bulk: 1, ess_tail: 1}
`, "new.csv": "glu\n100\n"} {
		must(f, os.WriteFile(name, []byte(text), 0o600))
	}
	if code := run(f.Context(), []string{"run", "s.yaml", "--quiet"}, strings.NewReader(""), os.Stderr, os.Stderr); code > 1 {
		f.Fatal("the run ended with ", code)
	}
	whole, err := os.ReadFile("l.duckdb")
	must(f, err)
	columns := numbersOf(f)
	at := map[string]uint16{}
	for i, c := range columns {
		at[c] = uint16(i)
	}
	// TestTamperedCountsHaveOneCode changes the other counts of fits.
	for c, value := range map[string]uint8{"parameter.parameter_id": 0, "draw_piece.n": 1} {
		if _, ok := at[c]; !ok {
			f.Fatalf("there is no column %s among %v", c, columns)
		}
		f.Add(at[c], value)
	}
	f.Fuzz(func(t *testing.T, column uint16, value uint8) {
		table, name, _ := strings.Cut(columns[int(column)%len(columns)], ".")
		must(t, os.WriteFile("l.duckdb", whole, 0o600))
		change := fmt.Sprintf("UPDATE %s SET %q = %s", table, name, tampered[int(value)%len(tampered)])
		if !tamper(t, change) {
			t.Skip("the engine refuses it")
		}
		for _, args := range askedOfTampered {
			var out, errs bytes.Buffer
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			code := run(t.Context(), strings.Fields(args), strings.NewReader(""), &out, &errs)
			runtime.ReadMemStats(&after)
			if more := after.TotalAlloc - before.TotalAlloc; more > 512<<20 {
				t.Errorf("%s: %s allocates %d MB", change, args, more>>20)
			}
			if code > 2 || strings.Contains(errs.String(), "panic") || strings.Contains(errs.String(), "goroutine ") {
				t.Errorf("%s: %s ends with %d: %s", change, args, code, errs.String())
			}
			if strings.ContainsFunc(out.String()+errs.String(), func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
				t.Errorf("%s: %s prints control characters", change, args)
			}
		}
	})
}

// numbersOf lists the columns of numbers of the tables that have rows.
func numbersOf(f *testing.F) (columns []string) {
	db, err := sql.Open("duckdb", "l.duckdb?access_mode=READ_ONLY")
	must(f, err)
	defer db.Close()
	rows, err := db.Query(`SELECT table_name || '.' || column_name FROM duckdb_columns() JOIN duckdb_tables() USING (table_name)
		WHERE numeric_precision IS NOT NULL AND estimated_size > 0 ORDER BY 1`)
	must(f, err)
	defer rows.Close()
	for rows.Next() {
		var c string
		must(f, rows.Scan(&c))
		columns = append(columns, c)
	}
	return columns
}

// tamper executes a statement on the ledger, and reports whether the engine took it.
func tamper(t *testing.T, statement string) bool {
	db, err := sql.Open("duckdb", "l.duckdb")
	must(t, err)
	_, err = db.Exec(statement)
	if cerr := db.Close(); cerr != nil {
		t.Fatal(cerr)
	}
	return err == nil
}

// A ledger whose records do not count the draws that it holds is damaged to every verb that reads the records.
func TestTamperedCountsHaveOneCode(t *testing.T) {
	t.Chdir(t.TempDir())
	spec := `pipeline: s
database: l.duckdb
datasets: {d: {path: "example:pima.csv"}}
models: {m: {formula: type ~ glu, family: bernoulli, prior: {coefficients: "normal(0, 2.5)"}}}
samplers: {gibbs: {method: cggibbs}}
run: {warmup: 50, draws: 100}
gates: {rhat: 3, ess_bulk: 1, ess_tail: 1}
`
	write(t, ".", "s.yaml", spec)
	write(t, ".", "derived.yaml", strings.Replace(spec, "family:", `derive: {twice: "2 * glu"}, family:`, 1))
	write(t, ".", "new.csv", "glu\n100\n")
	mustCall(t, "run", "s.yaml", "--seed", "2")
	mustCall(t, "run", "s.yaml")
	whole, err := os.ReadFile("l.duckdb")
	must(t, err)
	for i, change := range []string{"n_parameters = 2147483647", "chains = -1", "chains = 3", "draws = 99"} {
		for k, args := range []string{"show", "show 2", "show */*", "verify", "report --output page.html", "report --fit 2 --output page.html", "drift",
			"export --layout csv --to out", "predict s.yaml --data new.csv", "effects s.yaml", "run s.yaml", "run derived.yaml",
			"run s.yaml --dry-run", "retry s.yaml"} {
			if i > 0 && k%3 != i-1 { // all verbs with the first change, each with one of the others
				continue
			}
			must(t, os.WriteFile("l.duckdb", whole, 0o600))
			if !tamper(t, "UPDATE fit SET "+change) {
				t.Fatal("the engine refuses ", change)
			}
			words := strings.Fields(args)
			if words[0] != "predict" && words[0] != "effects" && words[0] != "run" && words[0] != "retry" {
				words = append(words, "--database", "l.duckdb")
			}
			code, out, errs := call(t, words...)
			if code != pipelines.ExitUsage || !strings.Contains(errs, "l.duckdb") || !strings.Contains(errs, "restore a copy") {
				t.Errorf("%s, %s: exit code %d, want 2 and the ledger's name\n%.300s%s", change, args, code, out, errs)
			}
		}
	}
}
