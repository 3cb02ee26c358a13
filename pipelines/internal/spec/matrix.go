package spec

import (
	"slices"
	"strings"

	"glmbatch/internal/words"
	"glmbatch/transform"
)

// Matrix is a table of the entries of a symmetric matrix over levels of a grouping, which formulas name: the neighbours
// of areas, car(W, gr = area), or a covariance matrix.
type Matrix struct {
	Name     string            `yaml:"-"`
	Path     string            `yaml:"path" doc:"Parquet or CSV file with a row for each entry, or a glob."`
	SQL      string            `yaml:"sql" doc:"Query instead of path, as for rows."`
	Params   map[string]string `yaml:"-" json:",omitempty"`
	Database string            `yaml:"database" doc:"DuckDB file that sql reads. Left out: an empty database in memory."`
	Row      string            `yaml:"row" doc:"Column with one level of an entry. Left out: the first column."`
	Column   string            `yaml:"column" doc:"Column with the other level; a row without it adds a level without entries. Left out: the second column."`
	Value    string            `yaml:"value" doc:"Column with the value. Left out: value, if there is one, else each entry is 1."`
}

func (Matrix) shorthand() string { return "path" }

// checkMatrix resolves the paths of a matrix.
func (c *checker) checkMatrix(m *Matrix) {
	n, path := c.root.get("matrices").get(m.Name), []string{"matrices", m.Name}
	if n.kind == mapKind {
		c.oneSource(n, "entries", path, "path", "sql")
		if n.get("sql") == nil {
			c.misplaced(n, path, "belongs to sql, not to path", "database")
		}
		m.Params = paramsOf(n)
	}
	if strings.HasPrefix(m.Path, "example:") {
		c.at("a matrix is a file or a query", "name a file", append(path, "path")...)
	}
	m.Path, m.Database = c.resolve(m.Path), c.resolveDatabase(m.Database)
}

// Matrices are the names of matrices in the formulas of the model.
func (m *Model) Matrices() (names []string) {
	all, err := transform.ParseResponses(m.Formula)
	if err != nil {
		return nil
	}
	for _, r := range all {
		names = append(names, r.Formula.Matrices()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// matrices looks for matrices that a formula names and the spec does not have.
func (c *checker) matrices(m *Model) {
	var known []string
	for _, one := range c.pipeline.Matrices {
		known = append(known, one.Name)
	}
	for _, name := range m.Matrices() {
		if slices.Contains(known, name) {
			continue
		}
		hint := "give the table of its entries: matrices: {" + name + ": pairs.csv}"
		if known != nil {
			hint = words.DidYouMean(name, "matrices", known)
		}
		c.at("formula: there is no matrix "+quote(name), hint, "models", m.Name, "formula")
	}
}
