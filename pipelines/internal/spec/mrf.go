package spec

import "strings"

// Edges are the pairs of rows of a data set whose states influence each other: a table, or all rows that are so
// many apart. The zero value has no entries.
type Edges struct {
	Path     string            `yaml:"path" doc:"Parquet or CSV file of the edges, or a glob."`
	SQL      string            `yaml:"sql" doc:"Query instead of path, as for rows."`
	Params   map[string]string `yaml:"-" json:",omitempty"`
	Database string            `yaml:"database" doc:"DuckDB file that sql reads. Left out: an empty database in memory."`
	Steps    []int             `yaml:"steps" doc:"Instead of a table: joins rows at these distances. [1] makes a chain of the rows, [1, 5] one with skip links."`
	ID       string            `yaml:"id" doc:"Column of the data set that names its rows, as the edges do. Left out: id, else numbers from 1."`
	From     string            `yaml:"from" doc:"Column of the edges with the id of one end. Left out: i."`
	To       string            `yaml:"to" doc:"Column of the edges with the id of the other end. Left out: j."`
	More     []string          `yaml:"more" doc:"Columns of the edges with ids of further members, for interaction ising: a term is coupling times weight times the product of their signs."`
	Weight   string            `yaml:"weight" doc:"Column of the edges with factors of the model's coupling. Left out: weight, if there is one, else 1 for each."`
	Table    string            `yaml:"table" doc:"Column of the edges with the name of their table of potentials. Left out: table; for steps the step, such as 1."`
}

// Potentials are tables of pairwise log potentials. The zero value has no tables.
type Potentials struct {
	Path     string            `yaml:"path" doc:"Parquet or CSV file with a row for each table and pair of states, or a glob."`
	SQL      string            `yaml:"sql" doc:"Query instead of path, as for rows."`
	Params   map[string]string `yaml:"-" json:",omitempty"`
	Database string            `yaml:"database" doc:"DuckDB file that sql reads. Left out: an empty database in memory."`
	Table    string            `yaml:"table" doc:"Column with the name of the table. Left out: table, if there is one, else one table for all edges."`
	A        string            `yaml:"a" doc:"Column with the state of the edge's first end, by number from 0 or by label. Left out: a."`
	B        string            `yaml:"b" doc:"Column with the state of the second end. Left out: b."`
	Value    string            `yaml:"value" doc:"Column with the log potential; pairs of states without a row have 0. Left out: value."`
}

// Image is a picture whose pixels are variables, each with four neighbours.
type Image struct {
	Path  string  `yaml:"path" doc:"PNG file of the image in grey; or a Parquet or CSV file with the columns row and col, from 1, and value, an observation. Pixels without a value were not observed. With each: file also a glob."`
	Truth string  `yaml:"truth" doc:"File of the same size with the true states. PNG: from black, the first state, to white, the last. Parquet or CSV: row, col, and as value the state, by number from 0 or by label."`
	Low   float64 `yaml:"low" doc:"Observation that black of a PNG stands for. Left out: -1."`
	High  float64 `yaml:"high" doc:"Observation that white of a PNG stands for. Left out: 1."`
}

// IsGrid reports by its name whether a file of an image is a table of pixels, not a PNG.
func IsGrid(path string) bool {
	path = strings.ToLower(path)
	for _, ending := range []string{".parquet", ".csv", ".tsv", ".csv.gz", ".tsv.gz"} {
		if strings.HasSuffix(path, ending) {
			return true
		}
	}
	return false
}

func (Image) shorthand() string { return "path" }

// Grid is a rectangle of variables that the program makes, each with four
// neighbours.
type Grid struct {
	Rows    int     `yaml:"rows" min:"1" max:"100000" doc:"Rows of variables."`
	Columns int     `yaml:"columns" min:"1" max:"100000" doc:"Columns of variables."`
	Picture string  `yaml:"picture" enum:"shapes" doc:"True states: shapes is a disc, a frame and bars in two states. Left out: none, and no observations."`
	Noise   float64 `yaml:"noise" above:"0" max:"1000000" doc:"Standard deviation of the noise around -1 and 1 of the picture. Left out: 1."`
	Images  int     `yaml:"images" min:"1" max:"10000" doc:"Number of noisy images, a fit each. Left out: one."`
	// Weights is nil or has two numbers.
	Weights []float64 `yaml:"weights" json:",omitempty" doc:"Two numbers, low and high: weights of edges are uniform between them. Left out: 1 for each."`
	Seed    uint64    `yaml:"seed" doc:"Seed of noise and weights, separate from that of the pipeline. Left out: 0."`
}

// Sequences are labelling problems that the program makes: chains of variables with
// normal log potentials.
type Sequences struct {
	Count   int     `yaml:"count" min:"1" max:"10000" doc:"Number of sequences, a fit each. Left out: one."`
	Length  int     `yaml:"length" min:"1" max:"1000000" doc:"Variables of a sequence."`
	States  int     `yaml:"states" min:"2" max:"256" doc:"Labels: what the model's states must be."`
	UnarySD float64 `yaml:"unary_sd" min:"0" max:"1000" doc:"Standard deviation of the log potentials of single variables. Left out: 1."`
	PairSD  float64 `yaml:"pair_sd" min:"0" max:"1000" doc:"Standard deviation of the log potentials of neighbours, one table for all. Left out: 1."`
	Skip    int     `yaml:"skip" min:"2" max:"1000000" doc:"Every third variable is also joined with the one at this distance, with a reward of 1 if they are equal. Left out: no such links."`
	Seed    uint64  `yaml:"seed" doc:"Seed of the potentials. Left out: 0."`
}

// Noise is how observations come about from states.
type Noise struct {
	SD    float64   `yaml:"sd" above:"0" doc:"Standard deviation of an observation around the mean of its state."`
	Means []float64 `yaml:"means" doc:"Mean of observations of each state. Left out: from -1 to 1 in equal steps."`
}

// Anneal are inverse temperatures in equal steps over the first sweeps of a chain;
// the last one holds from there on. Sweeps is 0 for all sweeps of the run.
type Anneal struct {
	From   float64 `yaml:"from" min:"0" max:"1000000" doc:"Inverse temperature of the first sweep. Left out: 0.2."`
	To     float64 `yaml:"to" above:"0" max:"1000000" doc:"Inverse temperature of the last one. Left out: 5."`
	Sweeps int     `yaml:"sweeps" min:"1" max:"1000000000" doc:"Over how many sweeps. Left out: all of the run."`
}

// MRF is the kind of a model of discrete variables.
const MRF = "mrf"

// Discrete reports whether the model is one of discrete variables.
func (m *Model) Discrete() bool { return m.Kind == MRF } //name:ok the kind itself

// Discrete reports whether the data set has variables with neighbours, for models of
// kind mrf.
func (d *Dataset) Discrete() bool {
	return d.Edges.given() || d.Image.Path != "" || d.Grid.Rows > 0 || d.Sequences.Length > 0
}

func (e *Edges) given() bool { return e.Path != "" || e.SQL != "" || len(e.Steps) > 0 }

// ModelStates is the number of states of each variable.
func (m *Model) ModelStates() int { return max(m.States, len(m.Labels)) }
