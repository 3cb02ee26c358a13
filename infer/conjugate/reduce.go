package conjugate

import (
	"fmt"
	"math"
	"strconv"

	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/linalg"
	"glmbatch/internal/vec"
)

// reduction is the posterior in sufficient statistics.
//
// The columns of X are split into F (flat priors, f of them) and G (normal
// priors N(m, S²), g of them); beta_G = m + S·z with z ~ N(0, I), A = G·S and
// ytilde = y − offset − G·m. An orthogonal transformation of the rows brings
// [F A ytilde] to
//
//	R_F  A_F  y_F     f rows: determine beta_F given z and sigma
//	0    A_G  y_G     with A_G = U·diag(s)·Vᵀ of rank r: determine Vᵀz
//	0    0    rest    pure noise
//
// so that, with w = Uᵀ·y_G, ytilde's density given sigma with beta_F
// integrated out is normal with variances sigma² + s_k² in r directions and
// sigma² in noise = n − f − r others, whose squares sum to rss.
//
// A row of frequency w and precision p is brought in once, times √(w·p): w equal
// rows turn into it and w − 1 rows of zeros, which are pure noise. n counts them.
type reduction struct {
	rows         int       // n, counted by frequency
	distinct     int       // rows of the design
	roots        []float64 // √(frequency·precision) by row; nil for ones
	halfLogs     float64   // ½ Σ frequency·log precision
	flat, normal []int
	location     []float64 // m, len g
	scale        []float64 // S, len g
	factors
	noise int
	rss   float64
	sigma prior.Prior
}

// factors are the triangle of the flat directions, and the singular values and vectors of the others.
type factors struct {
	rF   []float64 // f × f upper triangle by column
	aF   []float64 // f × g by column
	yF   []float64 // f
	s, w []float64 // r
	v    []float64 // g × r by column
}

func (p *reduction) f() int { return len(p.flat) }
func (p *reduction) g() int { return len(p.normal) }
func (p *reduction) r() int { return len(p.s) }

// Directions with s ≤ rankTol·s_1 are dropped: such a direction moves eta by at
// most rankTol·s_1 per prior standard deviation. A flat column counts as
// dependent when its sine with the span of the earlier ones is ≤ flatTol.
const (
	rankTol = 1e-13
	flatTol = 1e-11
)

// reduce makes the reduction. Cost: about n·d² multiplications for n > d,
// in one pass over X with d² memory; about n²·d for n ≤ d.
func reduce(data *glm.Data, model *glm.Model) (*reduction, error) {
	p, t, err := begin(data, model)
	if err != nil {
		return nil, err
	}
	if err := p.takeNormal(t); err != nil {
		return nil, err
	}
	return p, nil
}

// begin is reduce up to the normal part, which the triangle has.
func begin(data *glm.Data, model *glm.Model) (*reduction, triangle, error) {
	var t triangle
	p := &reduction{rows: data.Rows(), distinct: data.Rows(), sigma: model.Dispersion}
	p.weigh(data)
	for j, law := range model.Coefficients {
		if law.Kind == prior.Flat {
			p.flat = append(p.flat, j)
			continue
		}
		p.normal = append(p.normal, j)
		p.location = append(p.location, law.Location)
		p.scale = append(p.scale, law.Scale)
	}
	if p.f() > p.distinct {
		return nil, t, improper("%d coefficients have flat priors but there are only %d rows", p.f(), p.distinct)
	}
	if p.distinct > data.Cols() {
		t = p.tall(data)
	} else {
		t = p.wide(data)
	}
	return p, t, p.takeFlat(t, data)
}

// weigh reads the rows' weights.
func (p *reduction) weigh(data *glm.Data) {
	if data.Frequency == nil && data.Precision == nil {
		return
	}
	p.roots = make([]float64, p.distinct)
	total := 0.0
	for i := range p.roots {
		count, precision := 1.0, 1.0
		if data.Frequency != nil {
			count = data.Frequency[i]
		}
		if data.Precision != nil {
			precision = data.Precision[i]
			p.halfLogs = math.FMA(0.5*count, vec.Log(precision), p.halfLogs)
		}
		total += count
		p.roots[i] = math.Sqrt(count) * math.Sqrt(precision)
	}
	p.rows = int(total)
}

// triangle is [F A ytilde] after the rows' transformation: entry (i, j), and
// how many of its rows may be other than zero.
type triangle struct {
	at   func(i, j int) float64
	rows int
}

// blockRows is the number of rows that are reduced at a time.
const blockRows = 512

func (p *reduction) tall(data *glm.Data) triangle {
	k := data.Cols() + 1
	qr := linalg.NewRowQR(k)
	block := make([]float64, min(blockRows, p.distinct)*k)
	for first := 0; first < p.distinct; first += blockRows {
		m := min(blockRows, p.distinct-first)
		p.gather(data, first, m, block[:m*k])
		qr.Push(block[:m*k], m)
	}
	return triangle{qr.At, k}
}

func (p *reduction) wide(data *glm.Data) triangle {
	k := data.Cols() + 1
	block := make([]float64, p.distinct*k)
	p.gather(data, 0, p.distinct, block)
	return triangle{linalg.NewQR(block, p.distinct, k, p.f()).At, p.distinct}
}

// gather writes m rows of [F A ytilde], from row first on, by column.
func (p *reduction) gather(data *glm.Data, first, m int, block []float64) {
	column := func(c int) []float64 { return block[c*m : (c+1)*m] }
	y := column(p.f() + p.g())
	copy(y, data.Y[first:first+m])
	if data.Offset != nil {
		vec.Axpy(-1, data.Offset[first:first+m], y)
	}
	for c, j := range p.flat {
		data.X.Read(j, first, column(c))
	}
	for c, j := range p.normal {
		a := column(p.f() + c)
		data.X.Read(j, first, a)
		vec.Axpy(-p.location[c], a, y)
		for i, v := range a {
			a[i] = p.scale[c] * v
		}
	}
	if p.roots != nil {
		for c := range p.f() + p.g() + 1 {
			for i, root := range p.roots[first : first+m] {
				column(c)[i] *= root
			}
		}
	}
}

// takeFlat copies the first f rows and refuses linearly dependent flat columns.
func (p *reduction) takeFlat(t triangle, data *glm.Data) error {
	f, g := p.f(), p.g()
	p.rF, p.aF, p.yF = make([]float64, f*f), make([]float64, f*g), make([]float64, f)
	for j := range f {
		col := p.rF[j*f : (j+1)*f]
		for i := range f {
			col[i] = t.at(i, j)
		}
		norm := math.Sqrt(vec.SumSquares(col))
		if !(math.Abs(col[j]) > flatTol*norm) {
			name := fmt.Sprint(p.flat[j] + 1)
			if data.Names != nil {
				name = strconv.Quote(data.Names[p.flat[j]])
			}
			return improper("column %s is a linear combination of other columns with flat priors", name)
		}
	}
	for j := range g {
		for i := range f {
			p.aF[j*f+i] = t.at(i, f+j)
		}
	}
	for i := range f {
		p.yF[i] = t.at(i, f+g)
	}
	return nil
}

// takeNormal decomposes the remaining rows and sums up the noise.
func (p *reduction) takeNormal(t triangle) error {
	f, g := p.f(), p.g()
	m := min(t.rows-f, p.distinct-f)
	a, y := make([]float64, m*g), make([]float64, m)
	for i := range m {
		for j := range g {
			a[j*m+i] = t.at(f+i, f+j)
		}
		y[i] = t.at(f+i, f+g)
	}
	total := vec.SumSquares(y)
	if g > 0 && m > 0 {
		svd, err := linalg.NewSVD(a, m, g, rankTol)
		if err != nil {
			return &NumericError{Err: err}
		}
		p.s, p.v, p.w = svd.S, svd.V, make([]float64, svd.Rank)
		for k := range p.w {
			u := svd.U[k*m : (k+1)*m]
			p.w[k] = vec.Dot(u, y)
			vec.Axpy(-p.w[k], u, y) // the residual, without cancellation of squares
		}
	}
	p.noise = p.rows - f - p.r()
	if p.noise > 0 {
		p.rss = vec.SumSquares(y)
	}
	size := total + vec.SumSquares(p.yF)
	if math.IsNaN(size) || math.IsInf(size, 0) {
		return &NumericError{Err: errNotFinite}
	}
	return p.proper(size)
}

// fitTol is the residual norm, relative to that of ytilde, at which a fit
// counts as perfect: what rounding leaves.
const fitTol = 1e-13

// proper refuses posteriors that cannot be normalised. Only sigma's marginal
// can fail once the flat columns are independent: at 0 it behaves as
// sigma^(−noise) if the residual vanishes, at infinity as sigma^−(n−f) times
// the prior.
func (p *reduction) proper(size float64) error {
	if p.noise > 0 && p.rss <= fitTol*fitTol*size {
		return improper("the design fits the response perfectly, with %d rows to spare: sigma's posterior has infinite "+
			"mass at 0", p.noise)
	}
	if left := p.rows - p.f(); p.sigma.Kind == prior.Flat && left < 2 {
		return improper("%d rows less %d coefficients with flat priors leave %d; a flat prior on sigma needs at least 2",
			p.rows, p.f(), left)
	}
	return nil
}
