package predictive

import (
	"slices"
	"strconv"

	"glmbatch/infer"
	"glmbatch/infer/glm"
)

// Locate finds the components of a mixture, or else the dispersions of its family, by the facts of the parameters of a
// fit. fixed returns the value of a dispersion that is not a parameter.
func (f *Fit) Locate(family glm.Family, parameters []infer.Parameter, fixed func(name string) (float64, error)) error {
	dispersions := func(number string) (out []Dispersion, err error) {
		for _, d := range family.Dispersions() {
			at := Dispersion{Param: slices.IndexFunc(parameters, func(p infer.Parameter) bool {
				return p.Kind == infer.Dispersion && p.Name == d.Name+number
			})}
			if at.Param < 0 {
				if at.Fixed, err = fixed(d.Name); err != nil {
					return nil, err
				}
			}
			out = append(out, at)
		}
		return out, nil
	}
	for {
		number := strconv.Itoa(len(f.Components) + 1)
		find := func(is func(infer.ParameterKind) bool) int {
			return slices.IndexFunc(parameters, func(p infer.Parameter) bool { return p.Level == number && is(p.Kind) })
		}
		c := Component{Weight: find(func(k infer.ParameterKind) bool { return k == infer.MixtureWeight })}
		if c.Weight < 0 {
			break
		}
		c.First = find(func(k infer.ParameterKind) bool { return k != infer.MixtureWeight && k != infer.Unsorted })
		var err error
		if c.Dispersions, err = dispersions(number); err != nil {
			return err
		}
		f.Components = append(f.Components, c)
	}
	if f.Components != nil {
		return nil
	}
	var err error
	f.Dispersions, err = dispersions("")
	return err
}
