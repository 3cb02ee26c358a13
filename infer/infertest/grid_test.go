package infertest

import (
	"testing"

	"glmbatch/infer"
	laws "glmbatch/infer/family"
	"glmbatch/infer/prior"
)

// The grid has every family and link with every kind of prior: a new family or
// prior without its cases fails here.
func TestGridCovers(t *testing.T) {
	has := map[string]bool{}
	for _, c := range GridCases() {
		f := c.Model.Family.String()
		for _, p := range c.Model.Coefficients {
			has[f+" coefficients "+string(p.Kind)] = true
		}
		for k, d := range c.Model.Family.Dispersions() {
			has[f+" "+d.Name+" "+string(c.Model.DispersionPrior(k).Kind)] = true
		}
		if _, _, err := c.Simulate(infer.NewStream(1, "grid", c.Name)); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
	want := func(what string) {
		if !has[what] {
			t.Errorf("the grid has no case of %s", what)
		}
	}
	for _, info := range laws.OfOne() {
		for _, link := range info.Links {
			f := info.Name + "(" + link.Name + ")"
			for _, p := range prior.Table() {
				if p.Kind == prior.Flat || p.Kind == prior.SpikeSlab {
					continue // of the first there are no prior draws; the second has no density, and a study in cggibbs
				}
				if p.Coefficient {
					want(f + " coefficients " + string(p.Kind))
				}
				for _, d := range info.Dispersions {
					if d.Real && (p.Kind == prior.Constant || p.Coefficient && !p.Kind.Shrinks()) || !d.Real && p.Dispersion {
						want(f + " " + d.Name + " " + string(p.Kind))
					}
				}
			}
		}
	}
}
