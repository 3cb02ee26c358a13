package spec

import (
	"path/filepath"
	"strings"

	"glmbatch/internal/words"
)

// checker checks what single values cannot show, and resolves what depends on
// several of them.
type checker struct {
	*reporter
	pipeline *Pipeline
	root     *node
	dir      string
}

// source is where a pipeline was read.
type source struct {
	file   string
	places map[string]pos
}

// find returns the place of a path of keys, or of its longest known prefix.
func (s *source) find(path []string) pos {
	for n := len(path); n > 0; n-- {
		if at, ok := s.places[strings.Join(path[:n], pathSeparator)]; ok {
			return at
		}
	}
	return pos{1, 1}
}

// Problem makes a problem at the value under a path of keys, for faults that
// show only later: Problem("no such column", "", "models", "m", "formula").
func (p *Pipeline) Problem(message, hint string, path ...string) Problem {
	at := p.source.find(path)
	return Problem{File: p.source.file, Line: at.line, Column: at.column, Message: message, Hint: hint}
}

// at reports a problem at a path of keys.
func (c *checker) at(message, hint string, path ...string) {
	c.add(c.pipeline.source.find(path), message, hint)
}

// given reports whether the spec itself has a value under a path of keys.
func (c *checker) given(path ...string) bool {
	n := c.root
	for i, key := range path {
		next := n.get(key)
		if next == nil {
			// A shorthand stands for its whole mapping.
			return i > 0 && n.kind <= stringKind && n.kind != nullKind
		}
		n = next
	}
	return true
}

// check runs every check.
func (c *checker) check() {
	p := c.pipeline
	c.checkDatabase()
	for _, d := range p.Datasets {
		c.checkDataset(d)
	}
	for _, m := range p.Matrices {
		c.checkMatrix(m)
	}
	for _, m := range p.Models {
		c.checkModel(m)
		c.matrices(m)
	}
	for _, s := range p.Samplers {
		c.checkSampler(s)
	}
	c.checkRun(c.root.get("run"), &p.Run, "run")
	profiles := c.root.get("profiles")
	for _, prof := range p.Profiles {
		prof.Database, prof.Publish, prof.Report = c.resolve(prof.Database), c.resolve(prof.Publish), c.resolve(prof.Report)
		c.checkRun(profiles.get(prof.Name).get("run"), &prof.Run, "profiles", prof.Name, "run")
	}
	c.lacksOfRun()
	c.expandFits()
}

func (c *checker) checkDatabase() {
	p := c.pipeline
	if strings.HasPrefix(p.Database, ":memory:") {
		c.at("the ledger must be a file, not a database in memory", "", "database")
	}
	c.onDisk(p.Database, "database")
	c.onDisk(p.Publish, "publish")
	c.onDisk(p.Report, "report")
	p.Database = c.resolve(p.Database)
	p.Publish, p.Report = c.resolve(p.Publish), c.resolve(p.Report)
	if p.Publish != "" && filepath.Clean(p.Publish) == filepath.Clean(p.Database) {
		c.at("publish is the database itself", "name another file for the copy", "publish")
	}
	if page := filepath.Clean(p.Report); p.Report != "" &&
		(page == filepath.Clean(p.Database) || p.Publish != "" && page == filepath.Clean(p.Publish)) {
		c.at("report is the database itself, or its published copy", "name another file for the page", "report")
	}
}

// resolve joins a relative path to the spec's folder; "example:NAME" is no path, and the name of an object is whole.
func (c *checker) resolve(path string) string {
	if path == "" || filepath.IsAbs(path) || c.dir == "" || strings.HasPrefix(path, "example:") ||
		words.IsObject(path) {
		return path
	}
	return filepath.Join(c.dir, path)
}

// csvKeys are the options of a data set that only CSV has.
var csvKeys = []string{"separator", "decimal", "null_values", "types"}

func (c *checker) checkDataset(d *Dataset) {
	n := c.root.get("datasets").get(d.Name)
	path := []string{"datasets", d.Name}
	if n.kind <= stringKind { // shorthand: a path and nothing else
		d.Written, d.Path = d.Path, c.resolve(d.Path)
		return
	}
	keys := n.keys()
	if t := n.get("triplets"); t != nil {
		c.triplets(d, t, append(path[:2:2], "triplets"))
	}
	if d.Rows == Factored {
		c.misplaced(n, path, "does not go with rows: factored", "by")
	}
	c.imputations(d, n, path)
	if c.discreteData(d, n, path) {
		return
	}
	hasPath, hasSQL := has(keys, []string{"path"}), has(keys, []string{"sql"})
	if made := n.get("synthetic"); made != nil {
		c.misplaced(n, path, "does not go with synthetic",
			append([]string{"path", "sql", "database", "each"}, csvKeys...)...)
		c.synthetic(&d.Synthetic, made, append(path, "synthetic"))
		return
	}
	switch {
	case hasPath && hasSQL:
		c.at("data set "+quote(d.Name)+" has both path and sql", "keep one of the two", append(path, "sql")...)
	case !hasPath && !hasSQL && n.kind == mapKind:
		c.at("data set "+quote(d.Name)+" has no "+strings.Join(sourceKeys, ", ")+": where its rows come from",
			"give one of them", path...)
	}
	if hasSQL {
		c.misplaced(n, path, "belongs to path, not to sql", d.keysOfPath()...)
		d.Params = n.get("sql").params
	} else {
		c.misplaced(n, path, "belongs to sql, not to path", "database")
	}
	if strings.HasSuffix(strings.ToLower(d.Path), ".parquet") {
		c.misplaced(n, path, "belongs to CSV, not to Parquet", csvKeys...)
	}
	if d.Separator != 0 && string(d.Separator) == d.Decimal {
		c.at("separator and decimal are the same character", "", append(path, "separator")...)
	}
	d.Written, d.Path = d.Path, c.resolve(d.Path)
	c.onDisk(d.Database, append(path, "database")...)
	d.Database = c.resolveDatabase(d.Database)
}

// onDisk refuses the name of an object where a file is meant.
func (c *checker) onDisk(path string, place ...string) {
	if words.IsObject(path) {
		c.at(quote(path)+" is an object of a store, and this is a file", "name a file; data sets alone are read from a store",
			place...)
	}
}

// resolveDatabase is resolve for what a query reads, which may be in memory.
func (c *checker) resolveDatabase(path string) string {
	if strings.HasPrefix(path, ":memory:") {
		return path
	}
	return c.resolve(path)
}

// misplaced reports those of keys that n has.
func (c *checker) misplaced(n *node, path []string, why string, keys ...string) {
	for _, e := range n.list() {
		if has([]string{e.key}, keys) {
			c.add(e.at, e.key+" "+why, "remove it")
		}
	}
}

func (c *checker) checkSampler(s *Sampler) {
	n, of := c.root.get("samplers").get(s.Name), s.Of()
	if s.Name == PriorSampler.Name {
		c.at("a sampler cannot be called prior: draws from the prior are stored under that name",
			"name it otherwise; run: {sample: prior} draws from the prior", "samplers", s.Name)
	}
	if a := n.get("anneal"); a != nil && a.kind == mapKind {
		if a.get("from") == nil {
			s.Anneal.From = 0.2
		}
		if a.get("to") == nil {
			s.Anneal.To = 5
		}
	}
	if of.takes("joint") && s.Joint != "" && s.Joint != "off" && s.Basis != "rotated" && s.Basis != "auto" {
		c.at("joint is for the bases rotated and auto", "write basis: auto, or leave joint out", "samplers", s.Name,
			"joint")
	}
	//name:ok a value of slow
	if of.takes("slow") && (s.Slow == "on" || s.Slow == "nuts") && s.Basis != "" && s.Basis != "coordinate" {
		c.at("slow: "+s.Slow+" is for the basis coordinate",
			"leave slow out: basis auto takes slow directions where they serve", "samplers", s.Name, "slow")
	}
	for _, e := range n.list() {
		others := methodsThat(func(m Method) bool { return m.takes(e.key) })
		if s.Method != "" && !of.takes(e.key) && others != nil {
			c.add(e.at, e.key+" is an option of "+strings.Join(others, " and ")+", but the method is "+s.Method,
				"remove it, or write method: "+others[0])
		}
	}
	c.checkScan(s)
	c.checkBlocks(s)
	if of.Hamiltonian && s.Basis != "" && s.Basis != "coordinate" && s.Basis != "reduced" {
		c.at("method "+s.Method+" has no basis "+s.Basis, "write basis: reduced or coordinate, or method: cggibbs",
			"samplers", s.Name, "basis")
	}
}

// checkRun checks the lengths of a run against each other. n is its mapping,
// overrides included.
func (c *checker) checkRun(n *node, r *Run, path ...string) {
	keys := n.keys()
	fixed := has(keys, []string{"draws"})
	if r.Prior() && r.LOO.On {
		c.at("loo needs the posterior, and sample is prior", "leave one of the two out", append(path, "sample")...)
	}
	if r.Prior() && r.KFold != (KFold{}) {
		c.at("kfold needs the posterior, and sample is prior", "leave one of the two out", append(path, "sample")...)
	}
	if r.KFold.Folds > 0 && r.KFold.By != "" {
		c.at("kfold has folds and by, which are two ways to leave rows out", "leave one of them out",
			append(path, "kfold")...)
	}
	for _, e := range n.list() {
		switch {
		case fixed && has([]string{e.key}, growingKeys):
			c.add(e.at, e.key+" and draws exclude each other",
				"draws fixes the length; until, first and max_iterations let it grow")
		case !fixed && e.key == "warmup":
			c.add(e.at, "warmup needs draws",
				"give draws, the number kept after warm-up; a growing run finds its own warm-up")
		}
	}
	if fixed {
		if r.WarmupGiven = has(keys, []string{"warmup"}); !r.WarmupGiven {
			r.Warmup = r.Draws
		}
		r.Until, r.First, r.MaxIterations = Until{}, 0, 0
		return
	}
	if r.First > r.MaxIterations && r.MaxIterations > 0 {
		if has(keys, []string{"first"}) {
			c.at("first exceeds max_iterations", "the first check would never be reached", append(path, "first")...)
		}
		r.First = r.MaxIterations
	}
}
