package spec

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"

	"glmbatch/internal/words"
)

// FitRef is one fit of the spec: a data set, a model and a sampler. (A data set
// with each or by becomes one fit for each file or group when it is read.)
type FitRef struct {
	Dataset *Dataset
	Model   *Model
	Sampler *Sampler
	Gates   Gates
	// Timeout is the entry's, or the run's; 0 for none.
	Timeout time.Duration `json:",omitzero"`
	// Line and Column are the position of the entry under fits; 0 if there is none.
	Line, Column int
}

// Fits lists the fits in order of the entries, and within an entry by data set,
// model and sampler in the order in which the entry names them (a glob: in the
// order of their definition). No two have the same three names.
//
// Where the prior is drawn from, the samplers have no part: each data set and
// model is fitted once, by PriorSampler.
func (p *Pipeline) Fits() []FitRef {
	if !p.Run.Prior() {
		return p.fits
	}
	var out []FitRef
	seen := map[[2]string]bool{}
	for _, f := range p.fits {
		if key := [2]string{f.Dataset.Name, f.Model.Name}; !seen[key] {
			seen[key] = true
			f.Sampler = PriorSampler
			out = append(out, f)
		}
	}
	return out
}

// PriorSampler is the sampler's name in the ledger for draws from the prior.
var PriorSampler = &Sampler{Name: Prior.Name, Method: Prior.Name}

// expandFits fills pipeline.fits from its entries.
func (c *checker) expandFits() {
	p := c.pipeline
	if !c.given("fits") {
		all := Names{"*"}
		p.Entries = []*Entry{{Datasets: all, Models: all, Samplers: all, Gates: p.Gates}}
	} else if len(p.Entries) == 0 && c.root.get("fits").kind == listKind {
		c.at("fits is empty", "leave it out to fit every data set with every model and sampler", "fits")
	}
	seen := map[[3]string]int{} // to the line of the entry
	for i, entry := range p.Entries {
		if !c.misspelt(i) {
			c.expandEntry(i, entry, seen)
		}
	}
	c.checkGates()
}

// misspelt reports whether entry i of fits has an unknown key, which is reported already: without the key the entry
// selects other fits than were meant, and further faults of those are no help.
func (c *checker) misspelt(i int) bool {
	if n := c.root.get("fits"); n != nil && i < len(n.items) {
		known := keysOf(fieldsOf(reflect.TypeFor[Entry]()))
		return slices.ContainsFunc(n.items[i].entries, func(e entry) bool { return !slices.Contains(known, e.key) })
	}
	return false
}

func (c *checker) expandEntry(i int, e *Entry, seen map[[3]string]int) {
	p := c.pipeline
	path := []string{"fits", strconv.Itoa(i)}
	datasets := pick(c, e.Datasets, p.Datasets, func(d *Dataset) string { return d.Name }, append(path, "datasets"))
	models := pick(c, e.Models, p.Models, func(m *Model) string { return m.Name }, append(path, "models"))
	samplers := pick(c, e.Samplers, p.Samplers, func(s *Sampler) string { return s.Name }, append(path, "samplers"))
	at := p.source.find(path)
	if !c.given("fits") {
		at = pos{}
	}
	if len(p.fits)+len(datasets)*len(models)*len(samplers) > maxFits {
		c.add(at, fmt.Sprintf("more than %d fits", maxFits), "split the spec")
		return
	}
	if !c.goTogether(at, datasets, models, samplers) {
		return
	}
	timeout := time.Duration(cmp.Or(e.Timeout, p.Run.Timeout))
	for _, d := range datasets {
		for _, m := range models {
			for _, s := range samplers {
				key := [3]string{d.Name, m.Name, s.Name}
				if line, twice := seen[key]; twice {
					c.add(at, fmt.Sprintf("data set %s with model %s and sampler %s is named a second time; the first is on line %d",
						quote(d.Name), quote(m.Name), quote(s.Name), line), "list each fit once")
					continue
				}
				seen[key] = at.line
				p.fits = append(p.fits, FitRef{d, m, s, e.Gates, timeout, at.line, at.column})
			}
		}
	}
}

// goTogether reports, for each model, the first data set and sampler of an entry that make no fit with it. If all make
// fits, it reports what kinds of the data lack.
func (c *checker) goTogether(at pos, datasets []*Dataset, models []*Model, samplers []*Sampler) bool {
	all := true
	place := func(m *Model) pos {
		if at == (pos{}) {
			return c.pipeline.source.find([]string{"models", m.Name})
		}
		return at
	}
	for _, m := range models {
		same := true
		for _, d := range datasets {
			for _, s := range samplers {
				same = same && c.fits(place(m), d, m, s)
			}
		}
		all = all && same
	}
	for _, m := range models {
		if all {
			c.lacksOfData(place(m), datasets, m)
		}
	}
	return all
}

// pick finds what names mean among all, in order and each once.
func pick[T any](c *checker, names Names, all []*T, nameOf func(*T) string, path []string) []*T {
	var list []*T
	taken := map[string]bool{}
	known := make([]string, len(all))
	for i, one := range all {
		known[i] = nameOf(one)
	}
	for j, name := range names {
		here := append(path[:len(path):len(path)], strconv.Itoa(j))
		found := false
		for i, one := range all {
			// A name with * in it is itself before it is a glob.
			if known[i] != name && (has(known, []string{name}) || !words.Match(name, known[i])) {
				continue
			}
			found = true
			if taken[known[i]] && !words.IsGlob(name) {
				c.at(quote(name)+" is named twice", "remove one of the two", here...)
			}
			if !taken[known[i]] {
				taken[known[i]] = true
				list = append(list, one)
			}
		}
		if !found && len(all) > 0 {
			what := path[len(path)-1]
			if words.IsGlob(name) {
				c.at(quote(name)+" matches none of the "+what, words.DidYouMean(name, what, known), here...)
			} else {
				c.at(quote(name)+" is not one of the "+what, words.DidYouMean(name, what, known), here...)
			}
		}
	}
	return list
}

// checkGates refuses a run that grows until its gates hold if there are none.
func (c *checker) checkGates() {
	p := c.pipeline
	if p.Run.Fixed() || p.Run.Until.ESS > 0 {
		return
	}
	for i, e := range p.Entries {
		if e.Gates.aimless() {
			c.at("every gate is off, so that 'until: gates' would stop at once",
				"leave a gate on, or give run: {until: {ess: 400}}", c.gatesPath(i)...)
			return
		}
	}
}

// aimless reports whether no gate can stop a growing run; drift does not grow less
// with more draws.
func (g Gates) aimless() bool {
	for _, gate := range []Gate{g.RHat, g.ESSBulk, g.ESSTail, g.Divergences} {
		if gate.Strict().On {
			return false
		}
	}
	return true
}

// gatesPath is the path of the gates of an entry: its own, or the pipeline's.
func (c *checker) gatesPath(i int) []string {
	if at := c.root.get("fits"); at != nil && at.items[i].get("gates") != c.root.get("gates") {
		return []string{"fits", strconv.Itoa(i), "gates"}
	}
	return []string{"gates"}
}
