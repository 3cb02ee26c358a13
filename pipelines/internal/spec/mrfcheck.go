package spec

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"glmbatch/internal/words"
)

// sourceKeys name the origin of the rows of a data set: one of them is required.
var sourceKeys = []string{"path", "sql", "synthetic", "image", "grid", "sequences"}

// madeKeys are the sources that are whole: nothing of path and sql goes with them.
var madeKeys = []string{"image", "grid", "sequences"}

// discreteData checks and fills in what a data set has for models of kind mrf. It
// reports whether its rows come from one of madeKeys.
func (c *checker) discreteData(d *Dataset, n *node, path []string) (made bool) {
	sub := func(keys ...string) []string { return append(path[:len(path):len(path)], keys...) }
	var sources []string
	for _, key := range madeKeys {
		if n.get(key) != nil {
			sources = append(sources, key)
		}
	}
	if len(sources) > 0 {
		others := slices.DeleteFunc(slices.Concat(sourceKeys, []string{"database", "by", "triplets", "edges", "tables",
			"rows"}, csvKeys),
			func(key string) bool { return key == sources[0] })
		if sources[0] != "image" {
			others = append(others, "each")
		}
		c.misplaced(n, path, "does not go with "+sources[0], others...)
	}
	switch e := n.get("edges"); {
	case e != nil:
		c.edges(d, e, sub("edges"))
		c.misplaced(n, path, "does not go with edges", "triplets", "synthetic", "each", "rows")
	case n.get("tables") != nil && len(sources) == 0:
		c.at("tables need edges", "give the edges of the model, or steps: [1] for a chain", sub("tables")...)
	}
	if t := n.get("tables"); t != nil && t.kind == mapKind {
		c.oneSource(t, "tables", sub("tables"), "path", "sql")
		p := &d.Tables
		p.Path, p.Database, p.Params = c.resolve(p.Path), c.resolveDatabase(p.Database), paramsOf(t)
		fill(&p.A, "a")
		fill(&p.B, "b")
		fill(&p.Value, "value")
	}
	c.image(&d.Image, n.get("image"), sub("image"), d.Each == "file")
	c.made(d, n, sub)
	return len(sources) > 0
}

// edges checks and fills in the edges of a data set. n is their mapping.
func (c *checker) edges(d *Dataset, n *node, path []string) {
	e := &d.Edges
	if n.kind != mapKind {
		return // reported
	}
	c.oneSource(n, "edges", path, "path", "sql", "steps")
	e.Path, e.Database, e.Params = c.resolve(e.Path), c.resolveDatabase(e.Database), paramsOf(n)
	fill(&e.ID, "id")
	fill(&e.From, "i")
	fill(&e.To, "j")
	for k, s := range e.Steps {
		switch {
		case s < 1:
			c.at(fmt.Sprintf("steps must be at least 1, but one is %d", s), "1 joins each row with the next",
				append(path, "steps", strconv.Itoa(k))...)
		case slices.Contains(e.Steps[:k], s):
			c.at(fmt.Sprintf("step %d is listed twice", s), "remove one of the two",
				append(path, "steps", strconv.Itoa(k))...)
		}
	}
	if n.get("steps") != nil {
		c.misplaced(n, path, "belongs to edges of a table, not to steps", "from", "to", "more", "weight", "table", "id")
	}
}

// oneSource reports a mapping with none or several of its sources.
func (c *checker) oneSource(n *node, name string, path []string, keys ...string) {
	given := 0
	for _, key := range keys {
		if n.get(key) == nil {
			continue
		}
		if given++; given > 1 {
			c.at(name+" have more than one of "+strings.Join(keys, ", "), "keep one of them",
				append(path[:len(path):len(path)], key)...)
		}
	}
	if given == 0 {
		c.at(name+" have none of "+strings.Join(keys, ", "), "write for example "+name+": {path: "+name+".csv}",
			path...)
	}
}

// paramsOf are the values that the query in a mapping has for its templates.
func paramsOf(n *node) map[string]string {
	if q := n.get("sql"); q != nil {
		return q.params
	}
	return nil
}

// image checks and fills in an image. n is its value; nil if there is none.
func (c *checker) image(i *Image, n *node, path []string, each bool) {
	if n == nil {
		return
	}
	if i.Path == "" && n.kind == mapKind && n.get("path") == nil {
		c.at("image lacks the key "+quote("path"), "write image: {path: noisy.png}", path...)
	}
	for _, name := range []*string{&i.Path, &i.Truth} {
		if *name = c.resolve(*name); strings.HasPrefix(*name, "example:") {
			c.at("an image is a PNG file, or a grid in a Parquet or CSV file", "", path...)
		} else if words.IsObject(*name) && !IsGrid(*name) {
			c.at("of object stores grids in Parquet and CSV are read, and no PNG image", "copy it to a file", path...)
		}
	}
	if words.IsGlob(i.Path) && !each {
		c.at("a glob of images needs each: file", "add it: a fit is made for each image", path...)
	}
	if IsGrid(i.Path) {
		for _, key := range []string{"low", "high"} {
			if n.kind == mapKind && n.get(key) != nil {
				c.at(key+" is for the greys of a PNG image; values of a grid are observations as they are",
					"remove it, and describe the observations of each state with noise: {means: …} of the model",
					append(path[:len(path):len(path)], key)...)
			}
		}
		return
	}
	if n.kind != mapKind || n.get("low") == nil {
		i.Low = -1
	}
	if n.kind != mapKind || n.get("high") == nil {
		i.High = 1
	}
	if i.Low == i.High {
		c.at("low and high are the same number", "", path...)
	}
}

// maxMade bounds the variables that grid and sequences make.
const maxMade = 100_000_000

// made checks and fills in what the program makes itself.
func (c *checker) made(d *Dataset, n *node, sub func(keys ...string) []string) {
	if made := n.get("grid"); made != nil && made.kind == mapKind {
		g := &d.Grid
		c.needs(made, "grid", sub("grid"), "rows", "columns")
		if g.Rows > 0 && g.Columns > maxMade/g.Rows {
			c.at("a grid has at most 100 million variables", "take fewer rows or columns", sub("grid")...)
		}
		if g.Picture == "" {
			for _, key := range []string{"noise", "images"} {
				if made.get(key) != nil {
					c.at(key+" needs a picture", "add picture: shapes", sub("grid", key)...)
				}
			}
			if made.get("seed") != nil && g.Weights == nil {
				c.at("seed needs a picture or weights", "add weights: [0, 1]", sub("grid", "seed")...)
			}
		} else if g.Noise == 0 {
			g.Noise = 1
		}
		c.checkWeights(g, sub("grid", "weights"))
	}
	if made := n.get("sequences"); made != nil && made.kind == mapKind {
		s := &d.Sequences
		c.needs(made, "sequences", sub("sequences"), "length", "states")
		for key, at := range map[string]*float64{"unary_sd": &s.UnarySD, "pair_sd": &s.PairSD} { //maporder:ok each is its own
			if made.get(key) == nil {
				*at = 1
			}
		}
		if s.Length > 0 && s.States > maxMade/s.Length {
			c.at("a sequence has at most 100 million log potentials", "take fewer states or a smaller length",
				sub("sequences")...)
		}
	}
}

// checkWeights checks the range of the weights of a grid's edges.
func (c *checker) checkWeights(g *Grid, path []string) {
	switch w := g.Weights; {
	case w == nil:
	case len(w) != 2:
		c.at(fmt.Sprintf("weights are two numbers, low and high, and %d are given", len(w)), "write weights: [0, 1]", path...)
	case !(w[0] < w[1]) || math.Abs(w[0]) > maxWeight || math.Abs(w[1]) > maxWeight:
		c.at(fmt.Sprintf("weights from %v to %v are not a range", w[0], w[1]),
			"give the smaller number first, and none beyond a million", path...)
	case g.Rows > 0 && g.Columns > maxWeighted/g.Rows:
		c.at("a grid whose edges have weights of their own has at most a million variables",
			"take fewer rows or columns", path...)
	}
}

// maxWeight bounds weights of edges, and maxWeighted the variables of a grid whose edges are held one by one.
const maxWeight, maxWeighted = 1e6, 1_000_000

// needs reports keys that a mapping lacks.
func (c *checker) needs(n *node, name string, path []string, keys ...string) {
	for _, key := range keys {
		if n.get(key) == nil {
			c.at(name+" lacks the key "+quote(key), "write for example "+key+": 20", path...)
		}
	}
}

// fill sets text that was left out.
func fill(at *string, leftOut string) {
	if *at == "" {
		*at = leftOut
	}
}

// discreteKeys are those of models of kind mrf alone; kindless of both kinds.
var (
	discreteKeys = []string{"states", "labels", "interaction", "coupling", "field", "fields", "observation", "noise",
		"truth", "watch"}
	kindlessKeys = []string{"kind"}
)

// checkKind reports keys of the other kind of model, and checks those of kind mrf.
func (c *checker) checkKind(m *Model) {
	n := c.root.get("models").get(m.Name)
	if c.unknownKind(m) {
		return
	}
	for _, e := range n.list() {
		switch discrete := has(discreteKeys, []string{e.key}); {
		case has(kindlessKeys, []string{e.key}) || !has(keysOf(fieldsOf(typeOf[Model]())), []string{e.key}):
		case m.Discrete() && !discrete:
			c.add(e.at, e.key+" is for generalised linear models, but model "+quote(m.Name)+" is of kind mrf",
				"remove it, or remove kind: mrf")
		case !m.Discrete() && discrete:
			c.add(e.at, e.key+" is for models of kind mrf", "remove it, or add kind: mrf")
		}
	}
	if m.Discrete() {
		c.checkDiscrete(m, n)
	}
}

// unknownKind reports whether a model's kind does not exist, which is an error already.
func (c *checker) unknownKind(m *Model) bool {
	return m.Kind == "" && c.given("models", m.Name, "kind")
}

// checkDiscrete checks and fills in a model of kind mrf.
func (c *checker) checkDiscrete(m *Model, n *node) {
	path := []string{"models", m.Name}
	sub := func(key string) []string { return append(path[:2:2], key) }
	switch {
	case len(m.Labels) == 1 || len(m.Labels) > 256:
		c.at(fmt.Sprintf("there are %d labels", len(m.Labels)), "a variable has 2 to 256 states", sub("labels")...)
	case m.States > 0 && len(m.Labels) > 0 && m.States != len(m.Labels):
		c.at(fmt.Sprintf("there are %d labels for %d states", len(m.Labels), m.States), "leave states out",
			sub("labels")...)
	}
	for k, label := range m.Labels {
		if slices.Contains(m.Labels[:k], label) {
			c.at("label "+quote(string(label))+" stands twice", "", sub("labels")...)
		}
	}
	if m.ModelStates() == 0 {
		m.States = 2
	}
	q := m.ModelStates()
	m.States = q
	if m.Interaction == "ising" && q != 2 {
		c.at(fmt.Sprintf("ising has two states, not %d", q), "write interaction: potts, or leave it out",
			sub("interaction")...)
	}
	if m.Interaction == "" {
		m.Interaction = "potts"
		if q == 2 {
			m.Interaction = "ising"
		}
	}
	if m.Coupling == nil {
		one := 1.0
		m.Coupling = &one
	}
	if len(m.Fields) > 0 && len(m.Fields) != q {
		c.at(fmt.Sprintf("there are %d fields for %d states", len(m.Fields), q), "name a column for each state",
			sub("fields")...)
	}
	if len(m.Fields) > 0 && m.Field != "" {
		c.at("field and fields exclude each other", "keep one of the two", sub("field")...)
	}
	noise := n.get("noise")
	if noise != nil && noise.kind == mapKind && noise.get("sd") == nil {
		c.at("noise lacks the key "+quote("sd"), "write for example noise: {sd: 1}", sub("noise")...)
	}
	if len(m.Noise.Means) > 0 && len(m.Noise.Means) != q {
		c.at(fmt.Sprintf("there are %d means for %d states", len(m.Noise.Means), q), "give one for each state",
			sub("noise")...)
	}
	if m.Observation != "" && noise == nil {
		c.at("observation needs noise: how far it lies from its state", "add noise: {sd: 1}", sub("observation")...)
	}
}
