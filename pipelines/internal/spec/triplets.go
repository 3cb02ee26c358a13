package spec

import "strings"

// Triplets are the non-zeros of further columns of a data set. The zero value has none of them.
type Triplets struct {
	Path    string `yaml:"path" doc:"Parquet or CSV file of the triplets, or a glob."`
	Row     string `yaml:"row" doc:"Column of rows, by number from 1, or by the data's column of this name. Left out: row."`
	Col     string `yaml:"col" doc:"Column of column numbers, from 1. Left out: col."`
	Value   string `yaml:"value" doc:"Column of values. Left out: value."`
	Prefix  string `yaml:"prefix" doc:"Names of the columns are prefix and number. Left out: x."`
	Columns int    `yaml:"columns" min:"1" max:"16777216" doc:"Number of columns. Left out: as many as the largest number."`
}

// triplets fills in what a data set's key triplets leaves out. n is its mapping.
func (c *checker) triplets(d *Dataset, n *node, path []string) {
	t := &d.Triplets
	if n.kind != mapKind {
		return // reported
	}
	if t.Path == "" {
		c.at("triplets lack the key "+quote("path"), "write triplets: {path: words.coo.parquet}", path...)
	}
	fill(&t.Row, "row")
	fill(&t.Col, "col")
	fill(&t.Value, "value")
	fill(&t.Prefix, "x")
	t.Path = c.resolve(t.Path)
	if strings.HasPrefix(t.Path, "example:") {
		c.at("triplets are a file", "", append(path, "path")...)
	}
	set := c.root.get("datasets").get(d.Name)
	c.misplaced(set, path[:2], "does not go with triplets: their rows are those of one table", "by", "each",
		"synthetic", "rows")
}

// Sparse says how a design is stored: auto, true or false.
type Sparse string

func (s *Sparse) decodeNode(d *decoder, n *node, f field, _ []string) {
	switch yes, err := n.boolean(); {
	case err == nil && yes:
		*s = "true"
	case err == nil:
		*s = "false"
	case n.text == "auto":
		*s = "auto"
	default:
		d.wrongKind(n, f, "auto, true or false")
	}
}
