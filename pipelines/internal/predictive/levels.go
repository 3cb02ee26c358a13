package predictive

import (
	"math"
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/internal/variate"
	"glmbatch/report/record"
)

// newLevels draws effects of levels that a fit has not seen, normal(0, D·C·D) at the D and C of each draw, and
// gives a term those from its column at on. stream names the normals of a level: the same level has the same ones,
// whatever else is predicted.
type newLevels struct {
	*record.Group
	at     int
	stream func(path ...string) *infer.Stream
}

// key returns the key of a level's normals.
func (n *newLevels) key(level string) uint64 {
	var terms []string
	for _, sd := range n.SD {
		terms = append(terms, sd.Name)
	}
	return n.stream(n.Grouping, strings.Join(terms, "\x00"), level).Uint64()
}

// factors are the Cholesky factors of D·C·D at each draw, their lower triangles by rows; entry i of draw s is at
// i·size + s.
func (n *newLevels) factors(s singles, size int) []float64 {
	q := len(n.SD)
	out, l := make([]float64, q*(q+1)/2*size), make([]float64, q*q)
	for draw := range size {
		at := 0
		for i := range q {
			rest := 1.0
			for j := range i {
				sum := s[n.Cor[i*(i-1)/2+j]-1][draw]
				for k := range j {
					sum = math.FMA(-l[i*q+k], l[j*q+k], sum)
				}
				l[i*q+j] = 0
				if l[j*q+j] > 0 { // otherwise the terms before j determine it
					l[i*q+j] = sum / l[j*q+j]
				}
				rest = math.FMA(-l[i*q+j], l[i*q+j], rest)
			}
			l[i*q+i] = math.Sqrt(max(0, rest))
			sd := n.SD[i].Of(func(param int) float64 { return s[param][draw] })
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
	for q := range b.Eta {
		for _, of := range b.of.predictors[q].effects {
			if of.law == nil || of.fitted == of.Grouping.Levels() {
				continue
			}
			rows, first := map[int32][]int{}, []int32(nil)
			for i, level := range of.Grouping.Of()[b.First : b.First+b.Rows] {
				if int(level) >= of.fitted {
					if rows[level] == nil {
						first = append(first, level)
					}
					rows[level] = append(rows[level], i)
				}
			}
			factors := of.law.factors(s, e.Size())
			err := e.each(len(first), func(_, i int) {
				r := of.law.draw(of.Levels[first[i]], factors, e.Size())
				for _, row := range rows[first[i]] {
					b.addRow(q, row, of.Effects, r[of.law.at*e.Size():])
				}
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// draw returns the effects of a level at every draw, term by term. Normal s of a term is the draw's own, so that more
// draws leave those before them as they were.
func (n *newLevels) draw(level string, factors []float64, size int) []float64 {
	q, key := len(n.SD), n.key(level)
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

// addRow adds effects at every draw, term by term, to a row of predictor q.
func (b *Block) addRow(q, row int, e *design.Effects, r []float64) {
	for t, column := range e.Columns {
		x := 1.0
		if column != nil {
			x = column[b.First+row]
		}
		for s := range b.Disp {
			eta := &b.Eta[q][s*b.Rows+row]
			*eta = math.FMA(x, r[t*len(b.Disp)+s], *eta)
		}
	}
}
