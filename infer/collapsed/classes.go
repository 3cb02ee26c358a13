package collapsed

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/mixture"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
	"glmbatch/internal/words"
)

// Column is one of several responses of a row that are independent of each other given its component: an item of a
// latent class model. It is of a family of package glm, with Y and Trials; or of categories, with Y; or of counts of
// categories, with Counts.
type Column struct {
	Name   string
	Family glm.Family // of the zero value where there are Categories
	// Y has the response of each row, NaN if it is missing: such a row is classified by its other columns. Of
	// categories it is the place among these, from 0.
	Y      []float64
	Trials []float64 // of binomial
	// Categories are the names of those that a response may be of, at least two.
	Categories []string
	// Counts has how often a row has each category, by category; then Y is nil.
	Counts [][]float64
	// Correlated reports whether the column has a covariance matrix with all others that are correlated. They are
	// gaussian, and the rows and the shape of their priors are equal, see normals.
	Correlated bool
	// Prior is conjugate to the family. Of categories it is dirichlet, with a number for each of them, or one for all.
	Prior Prior
}

// Dirichlet is the distribution of a Prior of categories.
const Dirichlet = "dirichlet"

// Classes are rows with several responses, which are independent given the component. They are read-only.
type Classes struct{ product }

// ClassesOf joins columns. Its error names the column.
func ClassesOf(columns []Column) (*Classes, error) {
	if len(columns) == 0 {
		return nil, errors.New("latent classes: there is no column")
	}
	p := product{}
	names := map[string]bool{}
	for i := range columns {
		c := &columns[i]
		n := c.rows()
		if i == 0 {
			p.n = n
		}
		var err error
		switch {
		case c.Name == "" || names[c.Name]:
			err = errors.New("it needs a name of its own")
		case n != p.n || n == 0:
			err = fmt.Errorf("it has %d rows, and column %q has %d", n, columns[0].Name, p.n)
		default:
			err = p.joinNext(columns, i)
		}
		if err != nil {
			return nil, fmt.Errorf("latent classes: column %q: %w", c.Name, err)
		}
		names[c.Name] = true
	}
	return &Classes{p}, nil
}

// Rows counts the rows.
func (x *Classes) Rows() int { return x.n }

// Layout is where a position of such rows has the parameters of components.
func (x *Classes) Layout(o mixture.Options) *mixture.Layout {
	return &mixture.Layout{Components: o.Components, Of: x.of, Order: mixture.OrderOf(x.of, o.Order),
		Known: o.Known, Process: o.Process, Real: realOf(x.of)}
}

// LogLik writes the log densities of all rows in a component whose parameters a position has, in the order of
// Layout.Of, to dst. theta is used up, scratch as long as dst.
func (x *Classes) LogLik(theta, dst, scratch []float64) {
	for j, p := range x.of {
		if p.Kind == infer.Probability {
			theta[j] = vec.Log(theta[j])
		}
	}
	x.logLik(theta, dst, scratch)
}

// NewClasses returns the sampler of a mixture of rows with several responses. The parameters of a component are those
// of each column in turn: mu1_y, sigma_y1, and for a category its probability, p1_item_category.
//
// The prior of Options is not used. Cost of an iteration: K predictive densities for each row and column, then K
// densities.
//
// Source: Lazarsfeld and Henry (1968), Latent structure analysis; for its Gibbs sampler White and Murphy (2014),
// BayesLCA, doi:10.18637/jss.v061.i13.
func NewClasses(columns []Column, opts Options) (infer.Setup, error) {
	if opts.Prior.Law != "" {
		return nil, errors.New("latent classes: each column has a prior of its own, and there is another one for all")
	}
	x, err := ClassesOf(columns)
	if err != nil {
		return nil, err
	}
	if err := x.whole(); err != nil {
		return nil, err
	}
	return newSetup(&x.product, x.n, opts)
}

// rows counts those of a column.
func (c *Column) rows() int {
	if c.Counts != nil {
		return len(c.Counts[0])
	}
	return len(c.Y)
}

// family is that of a column with its parameters' names, and whether each row has a response; nil if all have.
func (c *Column) family() (f family, of []infer.Parameter, has []bool, err error) {
	if len(c.Categories) > 0 || c.Counts != nil {
		f, has, err = c.categories()
	} else {
		f, has, err = c.regression()
	}
	if err != nil {
		return nil, nil, nil, err
	}
	for _, q := range f.parameters() {
		q.Term = c.Name
		switch q.Kind {
		case infer.Intercept:
			q.Name = c.Name
		case infer.Probability:
			q.Term2 = q.Name
			q.Name = c.Name + "_" + q.Name
		default:
			q.Name += "_" + c.Name
		}
		of = append(of, q)
	}
	return f, of, has, nil
}

// categories are the families of categories.
func (c *Column) categories() (family, []bool, error) {
	k := len(c.Categories)
	d := dirichlet{names: c.Categories, a: c.Prior.Numbers}
	switch {
	case c.Family != glm.Family{}:
		return nil, nil, fmt.Errorf("it has categories, which %s has not", c.Family)
	case k < 2 || len(slices.Compact(slices.Sorted(slices.Values(c.Categories)))) < k:
		return nil, nil, fmt.Errorf("%d categories; there must be at least two, each with a name of its own", k)
	case c.Prior.Law != Dirichlet:
		return nil, nil, words.Hint(fmt.Errorf("the prior of its categories is %q", c.Prior.Law), "take dirichlet")
	case len(d.a) == 1:
		d.a = slices.Repeat(d.a, k)
	case len(d.a) != k:
		return nil, nil, fmt.Errorf("dirichlet has %d numbers for %d categories; it needs one for all, or one for each",
			len(d.a), k)
	}
	for _, a := range d.a {
		if !(a >= least && a <= most) {
			return nil, nil, fmt.Errorf("dirichlet has the number %v; it must be from %v to %v", a, least, most)
		}
		d.total += a
	}
	if c.Counts != nil {
		return c.counts(d)
	}
	f, has := &categorical{d, make([]int32, len(c.Y))}, make([]bool, len(c.Y))
	for i, y := range c.Y {
		if has[i] = !math.IsNaN(y); !has[i] {
			continue
		}
		if y != math.Floor(y) || y < 0 || y >= float64(k) {
			return nil, nil, fmt.Errorf("row %d has category %v; they are numbered from 0 to %d", i+1, y, k-1)
		}
		f.y[i] = int32(y)
	}
	return f, has, nil
}

// counts is the family of counts of categories. A row without any is missing.
func (c *Column) counts(d dirichlet) (family, []bool, error) {
	if len(c.Counts) != len(d.a) || c.Y != nil {
		return nil, nil, fmt.Errorf("it has counts of %d categories, and %d names of categories", len(c.Counts), len(d.a))
	}
	for k, of := range c.Counts {
		if len(of) != len(c.Counts[0]) {
			return nil, nil, fmt.Errorf("%d counts of category %q, and %d of %q", len(of), d.names[k], len(c.Counts[0]),
				d.names[0])
		}
		for i, y := range of {
			if !(y >= 0 && y <= 1<<53) || y != math.Floor(y) {
				return nil, nil, fmt.Errorf("row %d has %v of category %q; counts are whole numbers from 0", i+1, y, d.names[k])
			}
		}
	}
	f := newMultinomial(d, c.Counts)
	has := make([]bool, len(f.trials))
	for i, m := range f.trials {
		has[i] = m > 0
	}
	return f, has, nil
}

// regression is a family of package glm, with 0 instead of a missing response, which each of them has.
func (c *Column) regression() (family, []bool, error) {
	if err := c.Prior.Serves(c.Family); err != nil {
		return nil, nil, err
	}
	if c.Trials != nil && len(c.Trials) != len(c.Y) {
		return nil, nil, fmt.Errorf("%d trials of %d rows", len(c.Trials), len(c.Y))
	}
	data := &glm.Data{Names: []string{interceptOnly[0].Name}, Y: slices.Clone(c.Y), Trials: slices.Clone(c.Trials)}
	x := design.NewDense(len(c.Y), 1)
	has := make([]bool, len(c.Y))
	for i, y := range c.Y {
		x.Values[i] = 1
		if has[i] = !math.IsNaN(y); !has[i] {
			data.Y[i] = 0
			if data.Trials != nil {
				data.Trials[i] = 1
			}
		}
	}
	data.X = x
	f, err := newFamily(c.Family, c.Prior, data)
	return f, has, err
}

// product is several families whose responses are independent given the component. Statistics and theta are those of
// one family after the other.
type product struct {
	n     int
	parts []part
	of    []infer.Parameter
	sizes int
}

// part is one family of a product.
type part struct {
	family
	has         []bool // nil if all rows have a response
	theta, stat [2]int // from … to
}

// joinNext adds column i; the first one that is correlated brings the others.
func (p *product) joinNext(columns []Column, i int) error {
	c := &columns[i]
	if !c.Correlated {
		f, of, has, err := c.family()
		if err != nil {
			return err
		}
		p.join(f, of, has)
		return nil
	}
	var joint []*Column
	for k := range columns {
		if columns[k].Correlated {
			joint = append(joint, &columns[k])
		}
	}
	if joint[0] != c {
		return nil
	}
	for _, other := range joint {
		if len(other.Y) != len(c.Y) {
			return fmt.Errorf("%d rows of %q, and %d of %q", len(c.Y), c.Name, len(other.Y), other.Name)
		}
	}
	f, err := newNormals(joint)
	if err != nil {
		return err
	}
	has := make([]bool, len(c.Y))
	for i := range has {
		has[i] = slices.ContainsFunc(f.y, func(y []float64) bool { return !math.IsNaN(y[i]) })
	}
	p.join(f, f.parameters(), has)
	return nil
}

// join adds a family, and whether each row has a response of it; nil if all have.
func (p *product) join(f family, of []infer.Parameter, has []bool) {
	own := part{family: f, theta: [2]int{len(p.of), len(p.of) + len(of)}, stat: [2]int{p.sizes, p.sizes + f.size()}}
	if slices.Contains(has, false) {
		own.has = has
	}
	p.of, p.sizes = append(p.of, of...), own.stat[1]
	p.parts = append(p.parts, own)
}

// whole refuses a row with some of the correlated columns: its statistics are not those of the prior.
func (p *product) whole() error {
	for k := range p.parts {
		f, ok := p.parts[k].family.(*normals)
		for i := 0; ok && i < p.n; i++ {
			for j, y := range f.y {
				if math.IsNaN(y[i]) && p.parts[k].seen(i) {
					return fmt.Errorf("row %d lacks %q, and has other correlated columns", i+1, f.names[j])
				}
			}
		}
	}
	return nil
}

func (q *part) at(s statistics) statistics { return s[q.stat[0]:q.stat[1]] }

func (q *part) own(theta []float64) []float64 { return theta[q.theta[0]:q.theta[1]] }

func (q *part) seen(i int) bool { return q.has == nil || q.has[i] }

func (p *product) parameters() []infer.Parameter { return p.of }

func (p *product) size() int { return p.sizes }

func (p *product) add(s statistics, i int, sign float64) {
	for k := range p.parts {
		if q := &p.parts[k]; q.seen(i) {
			q.add(q.at(s), i, sign)
		}
	}
}

func (p *product) predictive(s statistics, i int) (sum float64) {
	for k := range p.parts {
		if q := &p.parts[k]; q.seen(i) {
			sum += q.predictive(q.at(s), i)
		}
	}
	return sum
}

func (p *product) draw(from variate.Source, s statistics, theta []float64) {
	for k := range p.parts {
		q := &p.parts[k]
		q.draw(from, q.at(s), q.own(theta))
	}
}

func (p *product) logPrior(theta []float64) (sum float64) {
	for k := range p.parts {
		q := &p.parts[k]
		sum += q.logPrior(q.own(theta))
	}
	return sum
}

func (p *product) logLik(theta, dst, scratch []float64) {
	clear(dst)
	for k := range p.parts {
		q := &p.parts[k]
		q.logLik(q.own(theta), scratch, nil)
		for i, l := range scratch {
			if q.seen(i) {
				dst[i] += l
			}
		}
	}
}

// far is the mean over the columns; a missing response is half-way to all.
func (p *product) far(i, j int) (sum float64) {
	for k := range p.parts {
		if q := &p.parts[k]; q.seen(i) && q.seen(j) {
			sum += q.far(i, j)
		} else {
			sum += 0.5
		}
	}
	return sum / float64(len(p.parts))
}
