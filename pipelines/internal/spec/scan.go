package spec

import (
	"fmt"
	"slices"
)

// Scan is the order of updates. The zero value is the systematic scan.
type Scan struct {
	Order string `yaml:"order" enum:"systematic random" json:",omitempty" doc:"Order of coordinates in a sweep: from first to last, or drawn with replacement. Left out: systematic."`
	For   Names  `yaml:"for" json:",omitempty" doc:"gibbs: ids of variables that matter; an iteration is the shortest certified list of updates. cggibbs: coefficients that matter, by name or glob, in the basis coordinate: iterations between sweeps update these and what they depend on. Left out: all, alike."`
	// Within 0 is left out.
	Within  float64   `yaml:"within" above:"0" max:"1" json:",omitempty" doc:"gibbs, with for: largest total variation between the joint distribution of these variables after an iteration and the model's. Left out: 0.01."`
	Weights []float64 `yaml:"weights" json:",omitempty" doc:"gibbs, with for: weights of these variables, in the order of for; the weighted sum of the probabilities that coupled chains differ is certified. Left out: 1 for each, total variation."`
	// Rounds 0 is left out, as are Updates and Iterate.
	Rounds  int   `yaml:"rounds" min:"1" max:"1000" json:",omitempty" doc:"gibbs, with for: most passes of the descent that improves a list. Left out: 20."`
	Updates int   `yaml:"updates" min:"1" max:"4194304" json:",omitempty" doc:"gibbs, with for, instead of within: the length of the list; with order: systematic updates in turn that end with the last variable, with order: random drawn uniformly. Left out: as many as within takes."`
	List    Names `yaml:"list" json:",omitempty" doc:"gibbs, with for: this list of updates, of variables by id, is certified. Left out: a list is chosen."`
	Iterate int   `yaml:"iterate" min:"1" max:"4194304" json:",omitempty" doc:"gibbs, with for: the length of one list that is repeated as often as within takes. Left out: every update is chosen."`
	// Inflate 0 is left out.
	Inflate float64 `yaml:"inflate" above:"1" max:"100" json:",omitempty" doc:"gibbs, with for: factor of the bounds of influences when the list is chosen, to measure the cost of loose bounds. Left out: 1."`
	// SweepEvery 0 leaves it to cggibbs.
	SweepEvery int `yaml:"sweep_every" min:"1" max:"64" json:",omitempty" doc:"With for: iterations from one sweep over all coordinates to the next. Left out: chosen with the list, at most 64."`
}

func (Scan) shorthand() string { return "order" }

// checkScan checks what a scan's keys say together, and with the sampler's others.
func (c *checker) checkScan(s *Sampler) {
	path := []string{"samplers", s.Name, "scan"}
	if len(s.Scan.For) == 0 {
		if s.Scan.Within > 0 {
			c.at("within goes with for", "name the variables that matter, or remove it", append(path, "within")...)
		}
		if s.Scan.SweepEvery > 0 {
			c.at("sweep_every goes with for", "name the coefficients that matter, or remove it",
				append(path, "sweep_every")...)
		}
		for _, key := range s.Scan.certifies() {
			c.at(key+" goes with for", "name the variables that matter, or remove it", append(path, key)...)
		}
		return
	}
	if s.Of().Certifies {
		c.checkCertified(s, path)
		return
	}
	if s.Scan.Within > 0 {
		c.at("within is for method gibbs: scans of cggibbs are chosen for effective draws, and certify nothing",
			"leave it out", append(path, "within")...)
	}
	for _, key := range s.Scan.certifies() {
		c.at(key+" is for method gibbs", "leave it out", append(path, key)...)
	}
	if s.Scan.Order == "random" {
		c.at("a scan for coefficients is a fixed list, and order is random", "leave one of the two out",
			append(path, "order")...)
	}
	if s.Of().Coordinates && !slices.Contains([]string{"", "coordinate"}, s.Basis) {
		c.at("a scan for coefficients needs the basis coordinate", "write basis: coordinate, or leave for out",
			append(path, "for")...)
	}
}

// checkCertified checks a scan that is certified for some variables.
func (c *checker) checkCertified(s *Sampler, path []string) {
	if s.Scan.Order == "random" && s.Scan.Updates == 0 {
		c.at("a random scan is certified for a number of updates", "give updates, or leave order out",
			append(path, "order")...)
	}
	if s.Scan.SweepEvery > 0 {
		c.at("sweep_every is for cggibbs", "leave it out", append(path, "sweep_every")...)
	}
	if s.Anneal.To != 0 {
		c.at("a certified scan is of the model at temperature 1, and anneal changes that", "leave one of the two out",
			append(path, "for")...)
	}
	c.checkBudget(s, path)
	if s.Scan.Within == 0 && s.Scan.Updates == 0 && len(s.Scan.List) == 0 {
		s.Scan.Within = 0.01
	}
}

// checkBudget checks what a certified scan says of its length, its weights and its search.
func (c *checker) checkBudget(s *Sampler, path []string) {
	o := &s.Scan
	switch {
	case len(o.Weights) > 0 && slices.Equal(o.For, Names{"*"}):
		c.at("weights go with names, and for is \"*\"", "name the variables, or leave weights out",
			append(path, "weights")...)
	case len(o.Weights) > 0 && len(o.Weights) != len(o.For):
		c.at(fmt.Sprintf("%d weights for %d variables", len(o.Weights), len(o.For)), "give each its weight",
			append(path, "weights")...)
	}
	for _, w := range o.Weights {
		if !(w > 0 && w <= 1e6) {
			c.at(fmt.Sprintf("a weight is %v", w), "give numbers above 0, up to 1000000", append(path, "weights")...)
			break
		}
	}
	if o.Updates > 0 && o.Within > 0 {
		c.at("updates and within both give the length of the list", "leave one of the two out", append(path, "updates")...)
	}
	if o.Updates > 0 && o.Iterate > 0 {
		c.at("updates and iterate both give the length of the list", "leave one of the two out", append(path, "updates")...)
	}
	c.checkUnchosen(o, path)
}

// checkUnchosen checks a certified scan that is not chosen: systematic, random, or given as a list.
func (c *checker) checkUnchosen(o *Scan, path []string) {
	if len(o.List) > 0 {
		for key, given := range map[string]bool{"order": o.Order != "", "within": o.Within > 0, "updates": o.Updates > 0,
			"rounds": o.Rounds > 0, "iterate": o.Iterate > 0, "inflate": o.Inflate > 0} {
			if given {
				c.at("list gives all updates of the scan, and "+key+" is for scans that are made",
					"leave one of the two out", append(path, key)...)
			}
		}
	}
	if o.Order == "" {
		return
	}
	if o.Iterate > 0 {
		c.at("a "+o.Order+" scan repeats itself", "leave one of iterate and order out", append(path, "iterate")...)
	}
	if o.Inflate > 0 {
		c.at("a "+o.Order+" scan is not chosen by bounds", "leave one of inflate and order out",
			append(path, "inflate")...)
	}
	if o.Rounds > 0 {
		c.at("a "+o.Order+" scan is not improved", "leave one of rounds and order out", append(path, "rounds")...)
	}
}

// certifies lists the keys that only a certified scan has, besides within, as far as they are given.
func (s *Scan) certifies() []string {
	var out []string
	for _, k := range []struct {
		key   string
		given bool
	}{{"weights", len(s.Weights) > 0}, {"rounds", s.Rounds > 0}, {"updates", s.Updates > 0}, {"iterate", s.Iterate > 0},
		{"inflate", s.Inflate > 0}, {"list", len(s.List) > 0}} {
		if k.given {
			out = append(out, k.key)
		}
	}
	return out
}
