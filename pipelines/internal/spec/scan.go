package spec

import "slices"

// Scan is the order of updates. The zero value is the systematic scan.
type Scan struct {
	Order string `yaml:"order" enum:"systematic random" json:",omitempty" doc:"Order of coordinates in a sweep: from the first to the last, or as many drawn with replacement. Left out: systematic."`
	For   Names  `yaml:"for" json:",omitempty" doc:"gibbs: ids of variables that matter; an iteration is the shortest list of updates found that is certified for them, and no others are drawn; with order: systematic the shortest systematic one. cggibbs: coefficients that matter, by name or glob, in the basis coordinate: iterations between sweeps update these and what they depend on, by a list chosen for the fewest updates to an effective draw of them. Left out: all, alike."`
	// Within 0 is left out.
	Within float64 `yaml:"within" above:"0" max:"1" json:",omitempty" doc:"gibbs, with for: how near the joint law of these variables comes to the model's within an iteration, from any start, in total variation. Left out: 0.01."`
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
		return
	}
	if s.Method == "gibbs" {
		c.checkCertified(s, path)
		return
	}
	if s.Scan.Within > 0 {
		c.at("within is for method gibbs: scans of cggibbs are chosen for effective draws, and certify nothing",
			"leave it out", append(path, "within")...)
	}
	if s.Scan.Order == "random" {
		c.at("a scan for coefficients is a fixed list, and order is random", "leave one of the two out",
			append(path, "order")...)
	}
	if s.Method == "cggibbs" && !slices.Contains([]string{"", "coordinate"}, s.Basis) {
		c.at("a scan for coefficients needs the basis coordinate", "write basis: coordinate, or leave for out",
			append(path, "for")...)
	}
}

// checkCertified checks a scan that is certified for some variables.
func (c *checker) checkCertified(s *Sampler, path []string) {
	if s.Scan.Order == "random" {
		c.at("a certified scan is a fixed list, and order is random", "leave one of the two out",
			append(path, "order")...)
	}
	if s.Scan.SweepEvery > 0 {
		c.at("sweep_every is for cggibbs", "leave it out", append(path, "sweep_every")...)
	}
	if s.Anneal.To != 0 {
		c.at("a certified scan is of the model at temperature 1, and anneal changes that", "leave one of the two out",
			append(path, "for")...)
	}
	if s.Scan.Within == 0 {
		s.Scan.Within = 0.01
	}
}
