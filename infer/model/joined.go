package model

import (
	"fmt"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/family"
	"glmbatch/infer/prior"
	"glmbatch/internal/words"
)

// joined is the likelihood of several responses of each row as a Several: the predictors of one response after those of
// the other. Responses are independent given the predictors, so that a predictor depends on those of its own response
// alone.
type joined []*response

// response is one of several responses.
type response struct {
	family.Several
	name     string
	rows     family.Rows // their dispersions are those of the chain
	from, to int         // its predictors among those of all
	draw     func(s prior.Source, row int, eta []float64, disp [2]float64) float64
}

// newJoined returns the likelihood of the responses of a problem.
func newJoined(p *Problem) (joined, error) {
	var out joined
	from := 0
	for _, own := range p.Responses {
		if own.Family.Support().Classes {
			return nil, words.Hint(fmt.Errorf("response %s is in classes, which are not joined with other responses",
				own.Name), "give it a model of its own")
		}
		if err := own.checkResponse(); err != nil {
			return nil, err
		}
		r := &response{Several: own.Family.Several(), name: own.Name, rows: own.rows(), from: from}
		r.draw = func(s prior.Source, row int, eta []float64, disp [2]float64) float64 {
			draw := func() float64 { return r.Draw(s, eta, disp, r.rows.Attempts(row)) }
			if own.Bounds == nil {
				return draw()
			}
			return own.Family.DrawWithin(&own.Bounds[row], s, draw,
				func(y float64) float64 { return r.CDF(y, eta, disp, r.rows.Attempts(row)) })
		}
		if r.Several == nil {
			of, err := newPointwise(own)
			if err != nil {
				return nil, err
			}
			r.Several = of
			r.draw = func(s prior.Source, row int, eta []float64, disp [2]float64) float64 {
				return of.Pointwise.Draw(s, row, eta[0], disp[:])
			}
		}
		from += len(r.Predictors(nil))
		r.to = from
		r.Prepare(&r.rows)
		out = append(out, r)
	}
	return out, nil
}

// Predictors have names that begin with that of the response.
func (j joined) Predictors([]string) (out []family.Predictor) {
	for _, r := range j {
		for _, of := range r.Predictors(nil) {
			out = append(out, of.OfResponse(r.name))
		}
	}
	return out
}

// of returns the response of a predictor.
func (j joined) of(p int) (k int, r *response) {
	k = slices.IndexFunc(j, func(r *response) bool { return p < r.to })
	return k, j[k]
}

// at returns the rows of response k with the dispersions of a chain.
func (j joined) at(k int, all *family.Rows) *family.Rows {
	rows := j[k].rows
	rows.Disp = all.DispOf(k)
	return &rows
}

func (joined) Prepare(*family.Rows) {}

func (j joined) Start(*family.Rows, int) (out []float64) {
	for _, r := range j {
		out = append(out, r.Start(&r.rows, r.to-r.from)...)
	}
	return out
}

func (j joined) Response(p int, _ *family.Rows) []float64 {
	_, r := j.of(p)
	return r.Response(p-r.from, &r.rows)
}

// Given adds the log likelihoods of the other responses to the base.
func (j joined) Given(p int, all *family.Rows, eta [][]float64, v *family.View) {
	k, r := j.of(p)
	own := v.Part(r.from, r.to)
	r.Given(p-r.from, j.at(k, all), eta[r.from:r.to], own)
	v.Rest, v.Given, v.Base = own.Rest, own.Given, own.Base
	each := make([]float64, len(eta[p]))
	for other, r := range j {
		if other == k {
			continue
		}
		rows := j.at(other, all)
		r.LogLik(rows, 0, eta[r.from:r.to], each)
		rows.CountRows(each)
		v.Base += all.Kernels.Sum(each)
	}
}

// LogLik counts the rows of each response as often as this one has them.
func (j joined) LogLik(all *family.Rows, first int, eta [][]float64, dst []float64) {
	each := make([]float64, len(dst))
	clear(dst)
	for k, r := range j {
		rows, at := j.at(k, all), all.First()+first
		r.LogLik(rows, at, eta[r.from:r.to], each)
		part := rows.Part(at, at+len(dst))
		part.CountRows(each)
		all.Kernels.Axpy(1, each, dst)
	}
}

// Means, CDF and Draw are those of the first response.

func (j joined) Means(eta []float64, disp [2]float64, dst []float64) {
	j[0].Means(eta[:j[0].to], disp, dst)
}

func (j joined) CDF(y float64, eta []float64, disp [2]float64, trials float64) float64 {
	return j[0].CDF(y, eta[:j[0].to], disp, trials)
}

func (j joined) Draw(s prior.Source, eta []float64, disp [2]float64, trials float64) float64 {
	return j[0].Draw(s, eta[:j[0].to], disp, trials)
}

// respond draws the responses of a row, one for each.
func (j joined) respond(s prior.Source, row int, eta []float64, all *family.Rows, dst []float64) {
	for k, r := range j {
		dst[k] = r.draw(s, row, eta[r.from:r.to], all.DispOf(k))
	}
}

// faulty returns the error of a likelihood at predictors, of a family that may have one; nil for others.
func (s *setup) faulty(p *Problem) func(*family.Rows, [][]float64) error {
	if s.joined == nil {
		return p.Family.Likelihood().Faulty
	}
	return func(all *family.Rows, eta [][]float64) error {
		for k, r := range s.joined {
			if faulty := p.Responses[k].Family.Likelihood().Faulty; faulty != nil {
				if err := faulty(s.joined.at(k, all), eta[r.from:r.to]); err != nil {
					return fmt.Errorf("response %s: %w", r.name, err)
				}
			}
		}
		return nil
	}
}

// rename names the dispersions of a predictor by its response, as sigma_b; those of one response keep their names.
func (j joined) rename(p *predictor) {
	if j == nil {
		return
	}
	_, r := j.of(p.place)
	for i := range p.Params {
		if q := &p.Params[i]; q.Kind == infer.Dispersion {
			q.Name += "_" + r.name
		}
	}
}

// whole is the problem with the predictors of all responses. Its own response is the first one.
func (p *Problem) whole() *Problem {
	out := *p
	first := p.Responses[0]
	out.Family, out.Y, out.Predictors = first.Family, first.Y, nil
	for _, own := range p.Responses {
		out.Predictors = append(out.Predictors, own.Predictors...)
	}
	return &out
}

// responseOf returns the problem with the response of predictor k.
func (s *setup) responseOf(k int, p *Problem) *Problem {
	if s.joined == nil {
		return p
	}
	of, _ := s.joined.of(k)
	return p.Responses[of]
}

// takeDisp takes the dispersions of a response from its first predictor.
func (s *setup) takeDisp(rows *family.Rows, p *predictor, disp []float64) {
	k, first := 0, 0
	if s.residuals != nil {
		return // they have the sigmas
	}
	if s.joined != nil {
		of, r := s.joined.of(p.place)
		k, first = of, r.from
	}
	if p.place == first {
		rows.SetDisp(k, disp)
	}
}

// chainRows returns the rows with dispersions for the use of one chain.
func (s *setup) chainRows() family.Rows {
	out := s.rows
	out.Further, out.Residuals = slices.Clone(out.Further), slices.Clone(out.Residuals)
	return out
}
