package spec

// Synthetic describes data that the program makes: independent columns x1, x2 … and a response y with known
// coefficients. The zero value describes no data.
type Synthetic struct {
	Rows     int     `yaml:"rows" min:"1" max:"10000000" doc:"Rows."`
	Columns  int     `yaml:"columns" min:"1" max:"1000000" doc:"Columns x1, x2 … Each depends on its number and the seed only."`
	Seed     uint64  `yaml:"seed" doc:"Seed of the data, separate from that of the pipeline. Left out: 0."`
	Family   string  `yaml:"family" enum:"bernoulli poisson gaussian" doc:"Distribution of y, canonical link; gaussian with standard deviation 1. Left out: bernoulli."`
	Effect   float64 `yaml:"effect" min:"0" max:"1000" doc:"Standard deviation of the true coefficients, normal around 0. Left out: 1."`
	Relevant int     `yaml:"relevant" min:"1" doc:"Number of columns with an effect on y, the first ones. Left out: all."`
	Rest     string  `yaml:"rest" enum:"irrelevant collinear zero" doc:"The columns after the relevant ones: noise, copies of x1, or zeros. Left out: irrelevant."`
	Density  float64 `yaml:"density" above:"0" max:"1" doc:"Share of cells that are not zero. Left out: 1."`
}

// maxCells bounds the cells of synthetic data, which are made in memory.
const maxCells = 100_000_000

// synthetic fills in what a data set's key synthetic leaves out, and checks the
// rest. n is its mapping.
func (c *checker) synthetic(s *Synthetic, n *node, path []string) {
	if n.kind != mapKind {
		return // reported
	}
	for _, key := range []string{"rows", "columns"} {
		if n.get(key) == nil {
			c.at("synthetic lacks the key "+quote(key), "write for example "+key+": 100", path...)
		}
	}
	if s.Rows > 0 && s.Columns > maxCells/s.Rows {
		c.at("synthetic data have at most 100 million cells", "take fewer rows or columns", path...)
	}
	if n.get("rest") != nil && n.get("relevant") == nil {
		c.at("rest needs relevant: how many columns come before the rest", "", append(path, "rest")...)
	}
	fill(&s.Family, "bernoulli")
	if n.get("effect") == nil {
		s.Effect = 1
	}
	if s.Density == 0 {
		s.Density = 1
	}
	if s.Relevant == 0 || s.Relevant > s.Columns {
		s.Relevant = s.Columns
	}
	fill(&s.Rest, "irrelevant")
}
