package groups

import (
	"strings"
	"testing"
)

// After each update all caches of the point agree with its values; an error of 1e-6 in one row is found.
func TestPointAgrees(t *testing.T) {
	all := studies()
	// A grouping leaves the rows' numbers to the next one.
	all["negative/crossed"] = newStudy("negative_binomial", "log", 24, [2]int{3, 1}, [2]int{8, 1})
	for name, s := range all {
		k := started(t, s, Options{})
		check := func(update string, ok bool) {
			if err := k.point.Check(); err != nil || !ok {
				t.Fatalf("%s, iteration %d, after %s (%v): %v", name, k.Iteration, update, ok, err)
			}
		}
		for range 45 {
			if k.joint == nil {
				check("the sweep", k.moveFixed())
			} else {
				check("dispersions", k.moveDispersions())
				check("a draw of coefficients", k.drawCoefficients())
			}
			for i, g := range k.groups {
				if g.gram != nil {
					check("a draw of effects", k.drawLevels(g))
					continue
				}
				check("slices of effects", k.sliceLevels(g))
				k.matchLevels(g, i+1 < len(k.groups))
				check("matched moves", true)
			}
			k.point.Revalue()
			check("pairs", k.movePairs())
			for _, g := range k.groups {
				check("scales", k.moveScales(g))
				if g.gram == nil && g.reference != nil && len(g.free) > 0 {
					check("carried effects", k.moveCarried(g))
				}
				check("scales given effects", k.moveGiven(g))
				check("shifts", k.moveShifts(g))
			}
			k.Iteration++
		}
		k.point.Eta()[3] += 1e-6
		if err := k.point.Check(); err == nil || !strings.Contains(err.Error(), "eta of row 3") {
			t.Errorf("%s: an error in row 3 of eta: %v", name, err)
		}
	}
}
