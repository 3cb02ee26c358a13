package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2" // dbt-duckdb's engine
	"github.com/goccy/go-yaml"
)

const dbtFolder = "../../deploy/dbt/"

// dbtFile holds the part of the project's YAML that the test runs.
type dbtFile struct {
	Sources []struct {
		Name, Database, Schema string
		Tables                 []struct{ Name string }
	}
	Models []struct {
		Name    string
		Columns []struct {
			Name  string
			Tests []any `yaml:"data_tests"`
		}
	}
}

func readYAML(t *testing.T, name string, to any) {
	t.Helper()
	text, err := os.ReadFile(dbtFolder + name)
	if err == nil {
		err = yaml.Unmarshal(text, to)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

var dbtCall = regexp.MustCompile(`{{ (\w+)\('(\w+)'(?:, '(\w+)')?\) }}`)

// dbtSQL is a file of the project with what dbt puts for source and ref.
func dbtSQL(t *testing.T, path string, f *dbtFile) string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	out := dbtCall.ReplaceAllStringFunc(string(text), func(call string) string {
		m := dbtCall.FindStringSubmatch(call)
		for _, s := range f.Sources {
			for _, table := range s.Tables {
				if m[1] == "source" && s.Name == m[2] && table.Name == m[3] {
					return s.Database + "." + s.Schema + "." + table.Name
				}
			}
		}
		for _, model := range f.Models {
			if m[1] == "ref" && model.Name == m[2] {
				return "main." + model.Name
			}
		}
		return call
	})
	if strings.Contains(out, "{{") {
		t.Fatalf("%s asks for what the project does not have:\n%s", path, out)
	}
	return out
}

// The project of deploy/dbt, carried out as dbt-duckdb does: the ledger attached for reading, models as tables of the
// warehouse, tests as queries that find nothing, or else what is wrong. dbt itself is not started.
func TestDBT(t *testing.T) {
	root, err := filepath.Abs(".")
	must(t, err)
	dir := t.TempDir()
	t.Chdir(dir)
	mustCall(t, "run", "quickstart", "--quiet")
	t.Chdir(root)
	var f dbtFile
	readYAML(t, "models/glmbatch.yml", &f)
	var profiles map[string]struct {
		Outputs map[string]struct {
			Attach []struct {
				Alias    string
				ReadOnly bool `yaml:"read_only"`
			}
		}
	}
	readYAML(t, "profiles.yml", &profiles)
	project := map[string]any{}
	readYAML(t, "dbt_project.yml", &project)
	attached := profiles[project["profile"].(string)].Outputs["dev"].Attach
	if len(attached) != 1 || attached[0].Alias != f.Sources[0].Database || !attached[0].ReadOnly {
		t.Fatalf("attached are %v, and the source is in %s", attached, f.Sources[0].Database)
	}

	ledger := filepath.Join(dir, "posteriors.duckdb")
	if rows, found := dbtRun(t, ledger, &f); rows == 0 || len(found) > 0 {
		t.Errorf("a good night has %d rows, and of tests %v", rows, found)
	}
	alter(t, ledger, "UPDATE fit SET verdict = 'fail'")
	if rows, found := dbtRun(t, ledger, &f); rows > 0 || found["fits_are_good"] == 0 {
		t.Errorf("a bad night has %d rows, and of tests %v", rows, found)
	}
}

// dbtRun builds the models and returns how many rows effects has, and each failing test.
func dbtRun(t *testing.T, ledger string, f *dbtFile) (rows int, found map[string]int) {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	must(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	ask := func(query string) (n int) {
		t.Helper()
		if err := db.QueryRow("SELECT count(*) FROM (" + query + ")").Scan(&n); err != nil {
			t.Fatalf("%v\n%s", err, query)
		}
		return n
	}
	if _, err := db.Exec("ATTACH '" + ledger + "' AS " + f.Sources[0].Database + " (READ_ONLY)"); err != nil {
		t.Fatal(err)
	}
	found = map[string]int{}
	for _, m := range f.Models {
		if _, err := db.Exec("CREATE TABLE " + m.Name + " AS " + dbtSQL(t, dbtFolder+"models/"+m.Name+".sql", f)); err != nil {
			t.Fatal(err)
		}
		for _, c := range m.Columns {
			for _, test := range c.Tests {
				where := c.Name + " IS NULL"
				if values, ok := test.(map[string]any); ok {
					var list []string
					for _, v := range values["accepted_values"].(map[string]any)["values"].([]any) {
						list = append(list, "'"+v.(string)+"'")
					}
					where = c.Name + " NOT IN (" + strings.Join(list, ", ") + ")"
				} else if test != "not_null" {
					t.Fatalf("the test %v is not known here", test)
				}
				if n := ask("SELECT * FROM " + m.Name + " WHERE " + where); n > 0 {
					found[m.Name+"."+c.Name] = n
				}
			}
		}
	}
	tests, err := filepath.Glob(dbtFolder + "tests/*.sql")
	if err != nil || len(tests) == 0 {
		t.Fatal("there are no tests", err)
	}
	for _, path := range tests {
		if n := ask(dbtSQL(t, path, f)); n > 0 {
			found[strings.TrimSuffix(filepath.Base(path), ".sql")] = n
		}
	}
	return ask("SELECT * FROM effects"), found
}

// alter writes to a ledger behind the program's back.
func alter(t *testing.T, ledger, statement string) {
	t.Helper()
	db, err := sql.Open("duckdb", ledger)
	if err == nil {
		_, err = db.Exec(statement)
	}
	must(t, err)
	must(t, db.Close())
}
