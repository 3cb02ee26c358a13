package transform

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
)

// badFile is the result of a file of testdata/bad after reading.
type badFile struct {
	file, family, formula string
	spec                  Spec
	want                  []string // parts of the error, or of the warnings
	rows, columns         int      // of the design; 0 means an error is wanted
}

var badFiles = []badFile{
	{"all_missing_column.csv", "binomial", "y ~ .", Spec{}, []string{`column "x2"`, "every value is missing"}, 0, 0},
	{"all_missing_column.csv", "binomial", "y ~ .", Spec{Missing: "drop"}, []string{`column "x2"`, "every value is missing", "no row"}, 0, 0},
	{"constant_column.csv", "binomial", "y ~ .", Spec{Standardize: "center_scale"}, []string{"constant", "x2 (4)", "intercept"}, 12, 3},
	{"constant_column.csv", "binomial", "y ~ .", Spec{Standardize: "max_abs"}, []string{"constant", "x2 (4)"}, 12, 3},
	{"duplicate_columns.csv", "binomial", "y ~ .", Spec{}, []string{`column "x1"`, "two columns have this name"}, 0, 0},
	{"fractional_counts.csv", "poisson", "y ~ .", Spec{}, []string{`dataset "d"`, `column "y"`, "line 10", "2.5 is not allowed"}, 0, 0},
	{"gaussian_zero_variance.csv", "gaussian", "y ~ .", Spec{}, []string{`column "y"`, "no variance", "2.5"}, 0, 0},
	{"header_only.csv", "binomial", "y ~ .", Spec{}, []string{`dataset "d"`, "no rows"}, 0, 0},
	{"huge_values.csv", "binomial", "y ~ .", Spec{}, []string{`column "x1"`, "1.5e+308", "too large"}, 0, 0},
	{"huge_values.csv", "binomial", "y ~ .", Spec{Standardize: "max_abs"}, []string{`column "x1"`, "line 7", "too large"}, 0, 0},
	{"identical_columns.csv", "binomial", "y ~ .", Spec{Standardize: "center_scale"}, []string{"x2 = x1", "sum of their coefficients"}, 12, 3},
	{"missing_cells.csv", "binomial", "y ~ .", Spec{}, []string{`column "x1"`, "line 3", "missing", "missing: drop"}, 0, 0},
	{"missing_cells.csv", "binomial", "y ~ .", Spec{Missing: "drop"}, []string{"4 of 12 rows"}, 8, 3},
	{"missing_response.csv", "binomial", "y ~ .", Spec{}, []string{`no column "y"`, "outcome, x1, x2"}, 0, 0},
	{"missing_response_cell.csv", "binomial", "y ~ .", Spec{}, []string{`column "y"`, "line 6", "missing"}, 0, 0},
	{"missing_response_cell.csv", "binomial", "y ~ .", Spec{Missing: "drop"}, []string{"1 of 12 rows"}, 11, 3},
	{"nan_inf.csv", "binomial", "y ~ .", Spec{}, []string{`column "x1"`, "line 4", "NaN"}, 0, 0},
	{"nan_inf.csv", "binomial", "y ~ .", Spec{Missing: "drop"}, []string{`column "x2"`, "line 6", "infinite"}, 0, 0},
	{"negative_counts.csv", "poisson", "y ~ .", Spec{}, []string{`column "y"`, "line 7", "-3 is not allowed"}, 0, 0},
	{"one_row.csv", "binomial", "y ~ .", Spec{Standardize: "center_scale"}, []string{"one row cannot be standardised"}, 0, 0},
	{"one_row.csv", "binomial", "y ~ .", Spec{}, []string{"constant in all 1 rows"}, 1, 3},
	{"response_all_one.csv", "binomial", "y ~ .", Spec{}, []string{`response "y" is 1 in all`}, 12, 3},
	{"response_all_one.csv", "bernoulli", "y ~ .", Spec{}, []string{`response "y" is 1 in all`}, 12, 3},
	{"response_fraction.csv", "binomial", "y ~ .", Spec{}, []string{`column "y"`, "line 6", "0.5 is not allowed", "y | trials(total)"}, 0, 0},
	{"response_only.csv", "binomial", "y ~ .", Spec{}, nil, 20, 1},
	{"response_only.csv", "binomial", "y ~ . - 1", Spec{}, []string{"nothing to estimate"}, 0, 0},
	{"response_two.csv", "binomial", "y ~ .", Spec{}, []string{`column "y"`, "line 8", "2 is not allowed", "0 to its 1 trial"}, 0, 0},
	{"response_two.csv", "bernoulli", "y ~ .", Spec{}, []string{`column "y"`, "line 8", "2 is not allowed", "0 or 1"}, 0, 0},
	{"separated.csv", "binomial", "y ~ .", Spec{Standardize: "center_scale"}, []string{`"x1" separates the responses perfectly`}, 12, 3},
	{"successes_exceed_trials.csv", "binomial", "successes | trials(trials) ~ .", Spec{}, []string{`column "successes"`, "line 7", "7 is not allowed", "6 trials"}, 0, 0},
	{"text_in_numeric.csv", "binomial", "y ~ .", Spec{}, []string{`column "x2"`, "line 7", `"abc"`}, 0, 0},
	{"nulls.parquet", "binomial", "y ~ .", Spec{}, []string{`column "x1"`, "line 19", "missing"}, 0, 0},
	{"nulls.parquet", "binomial", "y ~ .", Spec{Missing: "drop"}, []string{"1 of 40 rows"}, 39, 3},
	{"text_column.parquet", "binomial", "y ~ .", Spec{}, []string{`column "x2"`, "text", "line 25", `"oops"`}, 0, 0},
	{"text_column.parquet", "binomial", "y ~ x1 + x2", Spec{}, []string{`column "x2"`, "text", "line 25", `"oops"`}, 0, 0},
	{"zero_rows.parquet", "binomial", "y ~ .", Spec{}, []string{"no rows"}, 0, 0},
}

func TestBadFiles(t *testing.T) {
	for _, c := range badFiles {
		t.Run(fmt.Sprintf("%s/%s/%s%s", c.file, c.family, c.spec.Missing, c.spec.Standardize), func(t *testing.T) {
			spec := c.spec
			spec.Dataset, spec.Family, spec.Formula = "d", familyNamed(c.family), mustParse(t, c.formula)
			spec.Locate = func(row int64) string { return fmt.Sprintf("line %d", row+2) }
			d, err := Build(readAny(t, c.file), spec)
			said := ""
			switch {
			case c.rows == 0 && err == nil:
				t.Fatalf("accepted, with warnings %q", d.Warnings)
			case c.rows == 0:
				said = err.Error()
			case err != nil:
				t.Fatal(err)
			default:
				said = strings.Join(append(d.Warnings, d.Notes...), "\n")
				if d.Rows != c.rows || d.Data.Cols() != c.columns || (said == "") != (c.want == nil) {
					t.Errorf("%d × %d with warnings %q, want %d × %d", d.Rows, d.Data.Cols(), said, c.rows, c.columns)
				}
				mustBeFinite(t, d.Data)
			}
			for _, part := range c.want {
				if !strings.Contains(said, part) {
					t.Errorf("%q does not say %q", said, part)
				}
			}
		})
	}
}

// Awkward names come out unchanged, and a column that is called Intercept is
// not the intercept.
func TestNastyNames(t *testing.T) {
	table := readAny(t, "nasty_names.csv")
	d := mustBuild(t, table, "y ~ .", Spec{Family: familyNamed("bernoulli"), Standardize: "center_scale"})
	want := append([]string{"(Intercept)"}, schemaNames(table.Schema())[1:]...)
	if !slices.Equal(d.Data.Names, want) || len(d.Warnings) > 0 {
		t.Errorf("names %q, warnings %q; want %q", d.Data.Names, d.Warnings, want)
	}
	// Each can be named in a formula.
	for _, name := range want[1:] {
		one := mustBuild(t, table, "y ~ "+quoteName(name), Spec{Family: familyNamed("bernoulli")})
		if !slices.Equal(one.Data.Names, []string{"(Intercept)", name}) {
			t.Errorf("%s selects %q", quoteName(name), one.Data.Names)
		}
	}
}

func mustBeFinite(t *testing.T, data *glm.Data) {
	t.Helper()
	for i, v := range slices.Concat(cells(data.X), data.Y, data.Offset, data.Trials) {
		if v-v != 0 {
			t.Fatalf("value %d of the design is %v", i, v)
		}
	}
}

// cells are the numbers of a design, column by column, its zeros too.
func cells(x design.Matrix) []float64 { return design.ToDense(x).Values }

func readAny(t testing.TB, name string) arrow.Table {
	path := filepath.Join("..", "testdata", "bad", name)
	if strings.HasSuffix(name, ".csv") {
		return readCSV(t, path)
	}
	return readParquet(t, path)
}

func readParquet(t testing.TB, path string) arrow.Table {
	t.Helper()
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	table, err := pqarrow.ReadTable(context.Background(), f, parquet.NewReaderProperties(memory.DefaultAllocator),
		pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	must(t, err)
	return table
}

// A count beyond 2^53 is refused for its size, not for being no whole number.
func TestCountsBeyondTheLimit(t *testing.T) {
	big := TableOf([]string{"y", "x", "n"}, 4, func(column, row int) any {
		return []float64{float64(1<<53) * float64(row), float64(row), 1 << 60}[column]
	})
	defer big.Release()
	for formula, c := range map[string]struct{ family, link, frequency, want string }{
		"y ~ x": {"poisson", "log", "", `column "y", row 3: 18014398509481984 is not allowed: counts have a limit of 2^53 = ` +
			"9007199254740992, above which a float64 cannot hold every whole number\nhint: for such counts write log(y)"},
		"x | trials(n) ~ 1": {"binomial", "logit", "", `column "n", row 1: 1152921504606846976 is not allowed: counts have a limit of 2^53`},
		"x ~ 1":             {"gaussian", "identity", "n", `column "n", row 1: 1152921504606846976 is not allowed: counts have a limit of 2^53`},
	} {
		f, err := ParseFormula(formula)
		must(t, err)
		_, err = Build(big, Spec{Formula: f.Weighted(c.frequency, ""), Family: glm.Family{Name: c.family, Link: c.link}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v\nwant %s", formula, err, c.want)
		}
	}
}
