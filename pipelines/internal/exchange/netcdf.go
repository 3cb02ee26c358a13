package exchange

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"glmbatch/infer"
	"glmbatch/internal/netcdf"
	"glmbatch/internal/outfile"
	"glmbatch/pipelines/internal/spec"
)

// Fact is an attribute of a fit in files that have such: its Value is a string, a float64 or an int64.
type Fact = netcdf.Attribute

// writeNetCDF writes the groups of ArviZ's InferenceData: posterior and sample_stats, or prior and sample_stats_prior
// of a fit that was drawn from its prior; and those of observations, if these are known.
//
// Schema: https://python.arviz.org/en/stable/schema/schema.html
func writeNetCDF(path string, d *Draws) error {
	stats, err := d.Stats(0)
	if err != nil {
		return err
	}
	names := [...]string{"posterior", "sample_stats"}
	if spec.MethodNamed(d.Method).Prior {
		names = [...]string{"prior", "sample_stats_prior"}
	}
	arrays := d.arrays(names[0])
	groups := []*netcdf.Group{arrays.group}
	found := d.sampleStats(names[1], stats)
	if found.group != nil {
		groups = append(groups, found.group)
	}
	rows := d.observed()
	groups = append(groups, rows.groups...)
	return outfile.Write(path, 0o644, func(f *os.File) error {
		if err := netcdf.Create(f, groups); err != nil {
			return err
		}
		err := d.each(func(m *matrix) error {
			for _, a := range arrays.list {
				if err := a.put(f, m); err != nil {
					return err
				}
			}
			return found.put(f, m)
		})
		return errors.Join(err, rows.put(f))
	})
}

// newGroup is a group over chains and draws.
func (d *Draws) newGroup(name string) (g *netcdf.Group, over []*netcdf.Dimension) {
	over = []*netcdf.Dimension{{Name: "chain", Length: d.Chains}, {Name: "draw", Length: d.Count}}
	return &netcdf.Group{Name: name, Attributes: d.Facts, Dimensions: slices.Clone(over)}, over
}

// arrays are the variables into which parameters are put.
type arrays struct {
	group *netcdf.Group
	over  []*netcdf.Dimension
	list  []filled
	taken map[string]bool // names of variables and dimensions
}

// filled is a variable with the parameters that it has in each draw.
type filled struct {
	to   *netcdf.Variable
	have []int
}

// together are kinds whose parameters are one variable over their names; those of other kinds are a variable
// each, but effects of groups, which have levels and terms.
var together = map[infer.ParameterKind][2]string{
	infer.Intercept: {"beta", "coefficient"}, infer.Coefficient: {"beta", "coefficient"},
	infer.Inclusion:  {"included", "candidate"},
	infer.LocalScale: {"local_scale", "scaled"}, infer.SmoothEffect: {"smooth", "smooth_coefficient"},
}

// arrays finds the variables of the parameters, in their order.
func (d *Draws) arrays(name string) *arrays {
	a := &arrays{taken: map[string]bool{"chain": true, "draw": true}}
	a.group, a.over = d.newGroup(name)
	for _, own := range together {
		a.taken[own[0]], a.taken[own[1]] = true, true
	}
	done := map[string]bool{}
	for i, p := range d.Parameters {
		own, ok := together[p.Kind]
		switch {
		case ok && !done[own[0]]:
			done[own[0]] = true
			have := d.those(func(q infer.Parameter) bool { return together[q.Kind] == own })
			a.add(own[0], have, a.dimension(own[1], d.labels(have)))
		case ok:
		case p.Kind != infer.GroupEffect:
			a.add(a.unique(p.Name), []int{i})
			a.list[len(a.list)-1].to.Attributes = []Fact{{Name: "parameter", Value: p.Name}}
		case !done["of "+p.Grouping]:
			done["of "+p.Grouping] = true
			a.effects(d, p.Grouping)
		}
	}
	return a
}

// those are the places of the parameters that are meant.
func (d *Draws) those(meant func(infer.Parameter) bool) (out []int) {
	for i, p := range d.Parameters {
		if meant(p) {
			out = append(out, i)
		}
	}
	return out
}

func (d *Draws) labels(have []int) []string {
	out := make([]string, len(have))
	for i, at := range have {
		out[i] = d.Parameters[at].Name
	}
	return out
}

// effects adds those of a grouping as levels × terms, or by their names where some level has not every term.
func (a *arrays) effects(d *Draws, grouping string) {
	have := d.those(func(q infer.Parameter) bool { return q.Kind == infer.GroupEffect && q.Grouping == grouping })
	var levels, terms []string
	type cell struct{ level, term string }
	at, seen := map[cell]int{}, map[cell]bool{}
	for _, i := range have {
		p := d.Parameters[i]
		if l := (cell{level: p.Level}); !seen[l] {
			seen[l], levels = true, append(levels, p.Level)
		}
		if !slices.Contains(terms, p.Term) {
			terms = append(terms, p.Term)
		}
		at[cell{p.Level, p.Term}] = i
	}
	name := a.unique("r_" + grouping)
	if len(at) != len(have) || len(levels)*len(terms) != len(have) {
		a.add(name, have, a.dimension(a.unique(grouping+"_effect"), d.labels(have)))
		return
	}
	have = have[:0]
	for _, l := range levels {
		for _, t := range terms {
			have = append(have, at[cell{l, t}])
		}
	}
	a.add(name, have, a.dimension(a.unique(grouping+"_level"), levels), a.dimension(a.unique(grouping+"_term"), terms))
}

// unique is a name for s that no variable or dimension has.
func (a *arrays) unique(s string) string {
	name := netcdf.Name(s)
	for i := 2; a.taken[name]; i++ {
		name = netcdf.Name(s) + "_" + strconv.Itoa(i)
	}
	a.taken[name] = true
	return name
}

func (a *arrays) dimension(name string, labels []string) *netcdf.Dimension {
	d := &netcdf.Dimension{Name: name, Length: len(labels), Labels: labels}
	a.group.Dimensions = append(a.group.Dimensions, d)
	return d
}

func (a *arrays) add(name string, have []int, over ...*netcdf.Dimension) {
	v := &netcdf.Variable{Name: name, Over: append(slices.Clone(a.over), over...)}
	a.group.Variables = append(a.group.Variables, v)
	a.list = append(a.list, filled{v, have})
}

// piece is about how many values are turned around at once.
const piece = 1 << 16

// put writes what the variable has of a chain: the ledger has a parameter's draws together, the file a draw's
// parameters.
func (a filled) put(f *os.File, m *matrix) error {
	k := len(a.have)
	step := max(1, piece/k)
	values := make([]float64, 0, min(step, m.Count)*k)
	for from := 0; from < m.Count; from += step {
		values = values[:0]
		for i := from; i < min(from+step, m.Count); i++ {
			for _, p := range a.have {
				values = append(values, m.values[p*m.Count+i])
			}
		}
		if err := a.to.Put(f, (m.chain*m.Count+from)*k, values); err != nil {
			return err
		}
	}
	return nil
}

// sampleStat is a statistic of every draw under its name in the schema.
type sampleStat struct {
	statistic
	kind  netcdf.Kind
	moves bool // known of samplers that move along trajectories
}

var sampleStats = []sampleStat{
	{statistic{"lp", hamiltonian[0].of}, netcdf.Float64, false},
	{densities[0], netcdf.Float64, false},
	{densities[1], netcdf.Float64, false},
	{statistic{"acceptance_rate", hamiltonian[1].of}, netcdf.Float64, true},
	{statistic{"step_size", hamiltonian[2].of}, netcdf.Float64, true},
	{statistic{"tree_depth", hamiltonian[3].of}, netcdf.Int64, true},
	{statistic{"n_steps", hamiltonian[4].of}, netcdf.Int64, true},
	{statistic{"diverging", hamiltonian[5].of}, netcdf.Bool, true},
	{statistic{"energy", hamiltonian[6].of}, netcdf.Float64, true},
}

// found are the statistics that a fit has.
type found struct {
	group *netcdf.Group // nil: none
	list  []sampleStat
}

// sampleStats finds those of a fit by the statistics of its first chain: what a sampler does not have is left out.
func (d *Draws) sampleStats(name string, first []infer.Info) (out found) {
	if len(first) == 0 {
		return out
	}
	moves := slices.ContainsFunc(first, func(i infer.Info) bool { return i.Leapfrogs > 0 })
	var over []*netcdf.Dimension
	out.group, over = d.newGroup(name)
	for _, s := range sampleStats {
		if moves || !s.moves {
			out.list = append(out.list, s)
			out.group.Variables = append(out.group.Variables, &netcdf.Variable{Name: s.name, Over: over, Kind: s.kind})
		}
	}
	return out
}

func (s found) put(f *os.File, m *matrix) error {
	if s.group == nil {
		return nil
	}
	if len(m.stats) == 0 {
		return fmt.Errorf("%s: chain %d has no statistics, and the first one has", m.Title, m.chain+1)
	}
	values := make([]float64, m.Count)
	for j, stat := range s.list {
		for i := range values {
			values[i] = stat.of(&m.stats[i])
		}
		if err := s.group.Variables[j].Put(f, m.chain*m.Count, values); err != nil {
			return err
		}
	}
	return nil
}
