package predictive

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/internal/variate"
)

// Effects says where the group-level effects of one of the data's Effects stand among the draws.
type Effects struct {
	// First is the first of their columns; the others follow by term, then by level. −1 where their draws are not kept.
	First int
	// Fitted is how many levels the fit has: those from there on are new ones, and have effects of 0 where New is nil.
	Fitted int
	New    *NewLevels
}

// NewLevels draws effects of levels that a fit has not seen, normal(0, D·C·D) at the D and C of each draw.
type NewLevels struct {
	SD []Dispersion // the diagonal of D, by term
	// Cor has the columns of the correlations, those of the lower triangle of C in rows.
	Cor []int
	// Key names the normals of a level: the same level has the same ones, whatever is predicted beside it.
	Key func(level string) uint64
}

// EffectsOf finds the group-level effects of data among the parameters of a fit. Fitted is how many levels of each of
// the data's Effects the fit has; nil stands for all. Those that none of the rows needs may be missing.
func EffectsOf(data *glm.Data, fitted []int, parameters []infer.Parameter) (out []Effects, err error) {
	missing, needed := 0, 0
	for k, e := range data.Effects {
		at := Effects{Fitted: e.Grouping.Levels()}
		if fitted != nil {
			at.Fitted = fitted[k]
		}
		is := func(p infer.Parameter) bool {
			return p.Kind == infer.GroupEffect && p.Grouping == e.Group && slices.Contains(e.Terms, p.Term)
		}
		at.First = slices.IndexFunc(parameters, is)
		want, n := len(e.Terms)*at.Fitted, 0
		for at.First >= 0 && n < want && at.First+n < len(parameters) && is(parameters[at.First+n]) {
			n++
		}
		needed += want
		if n < want {
			at.First = -1
			if slices.ContainsFunc(e.Grouping.Of(), func(l int32) bool { return int(l) < at.Fitted }) {
				missing += want - n
			}
		}
		out = append(out, at)
	}
	if missing > 0 {
		return nil, fmt.Errorf("the draws have %d group-level effects of %d that the linear predictor needs",
			needed-missing, needed)
	}
	return out, nil
}

// NewLevelsOf finds what draws effects of new levels of one of the data's Effects. Fixed is the value of a standard
// deviation that is no parameter; stream gives the random stream that a path names.
func NewLevelsOf(e *design.Effects, parameters []infer.Parameter, fixed func(term string) (float64, error),
	stream func(path ...string) *infer.Stream) (*NewLevels, error) {
	find := func(kind infer.ParameterKind, term, beside string) int {
		return slices.IndexFunc(parameters, func(p infer.Parameter) bool {
			return p.Kind == kind && p.Grouping == e.Group && p.Term == term && p.Beside == beside
		})
	}
	out := &NewLevels{Key: func(level string) uint64 {
		return stream(e.Group, strings.Join(e.Terms, "\x00"), level).Uint64()
	}}
	for i, term := range e.Terms {
		sd := Dispersion{Param: find(infer.GroupSD, term, "")}
		if sd.Param < 0 {
			var err error
			if sd.Fixed, err = fixed(term); err != nil {
				return nil, err
			}
		}
		out.SD = append(out.SD, sd)
		for _, before := range e.Terms[:i] {
			at := find(infer.GroupCorrelation, before, term)
			if at < 0 {
				return nil, fmt.Errorf("the draws have no correlation of %s and %s of %s", before, term, e.Group)
			}
			out.Cor = append(out.Cor, at)
		}
	}
	return out, nil
}

// factors are the Cholesky factors of D·C·D at each draw, their lower triangles by rows; entry i of draw s stands at
// i·size + s.
func (n *NewLevels) factors(s singles, size int) []float64 {
	q := len(n.SD)
	out, l := make([]float64, q*(q+1)/2*size), make([]float64, q*q)
	for draw := range size {
		at := 0
		for i := range q {
			rest := 1.0
			for j := range i {
				sum := s[n.Cor[i*(i-1)/2+j]][draw]
				for k := range j {
					sum = math.FMA(-l[i*q+k], l[j*q+k], sum)
				}
				l[i*q+j] = 0
				if l[j*q+j] > 0 { // else the terms before j tell it
					l[i*q+j] = sum / l[j*q+j]
				}
				rest = math.FMA(-l[i*q+j], l[i*q+j], rest)
			}
			l[i*q+i] = math.Sqrt(max(0, rest))
			sd := n.SD[i].of(func(param int) float64 { return s[param][draw] })
			for j := range i + 1 {
				out[at*size+draw] = sd * l[i*q+j]
				at++
			}
		}
	}
	return out
}

// addNew adds the effects of new levels to the rows of a block. Cost: O(rows·q + levels·q²) for each draw.
func (e *Evaluator) addNew(b *Block, s singles) error {
	for k, of := range e.data.Effects {
		law, fitted := e.Effects[k].New, e.Effects[k].Fitted
		if law == nil || fitted == of.Grouping.Levels() {
			continue
		}
		rows, first := map[int32][]int{}, []int32(nil)
		for i, level := range of.Grouping.Of()[b.First : b.First+b.Rows] {
			if int(level) >= fitted {
				if rows[level] == nil {
					first = append(first, level)
				}
				rows[level] = append(rows[level], i)
			}
		}
		factors := law.factors(s, e.Size())
		err := e.each(len(first), func(_, i int) {
			r := law.draw(of.Levels[first[i]], factors, e.Size())
			for _, row := range rows[first[i]] {
				b.addRow(row, of, r)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// draw returns the effects of a level at every draw, term by term. Normal s of a term is the draw's own, so that more
// draws leave those before them as they were.
func (n *NewLevels) draw(level string, factors []float64, size int) []float64 {
	q, key := len(n.SD), n.Key(level)
	z, r := make([]float64, size), make([]float64, q*size)
	for j := range q {
		variate.NormalsAt(key, uint64(j), 0, z)
		for i := j; i < q; i++ {
			l := factors[(i*(i+1)/2+j)*size:]
			for s, v := range z {
				r[i*size+s] = math.FMA(l[s], v, r[i*size+s])
			}
		}
	}
	return r
}

// addRow adds effects at every draw, term by term, to a row of the block.
func (b *Block) addRow(row int, e *design.Effects, r []float64) {
	for t, column := range e.Columns {
		x := 1.0
		if column != nil {
			x = column[b.First+row]
		}
		for s := range b.Disp {
			eta := &b.Eta[s*b.Rows+row]
			*eta = math.FMA(x, r[t*len(b.Disp)+s], *eta)
		}
	}
}
