package plot

import (
	"math"
	"strconv"
)

// scale maps values to shares of an axis.
type scale struct {
	low, high float64 // on the scale of a logarithm if log
	log, down bool
	ticks     []float64
	labels    []string
}

func (s *scale) share(v float64) float64 {
	if s.log {
		v = math.Log10(v)
	}
	share := (v - s.low) / (s.high - s.low)
	if s.down {
		return 1 - share
	}
	return share
}

// ranges are the scales of a panel: as wide as what is drawn.
func (p *Panel) ranges() (x, y scale) {
	var xs, ys []float64
	for _, s := range p.Series {
		xs, ys = append(xs, s.X...), append(ys, s.Y...)
		to := &ys
		if p.Y.Names != nil {
			to = &xs
		}
		*to = append(append(*to, s.Low...), s.High...)
		if s.Kind == Bars {
			ys = append(ys, 0)
		}
	}
	x, y = p.X.scale(xs, 7), p.Y.scale(ys, 6)
	y.down = p.Y.Names != nil
	return x, y
}

func (a *Axis) scale(values []float64, most int) scale {
	if a.Names != nil {
		s := scale{low: -0.5, high: float64(len(a.Names)) - 0.5, labels: a.Names}
		for i := range a.Names {
			s.ticks = append(s.ticks, float64(i))
		}
		return s
	}
	if a.Mark != nil {
		values = append(values, *a.Mark)
	}
	s := scale{low: math.Inf(1), high: math.Inf(-1), log: a.Log}
	for _, v := range values {
		if a.Log {
			v = math.Log10(v)
		}
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			s.low, s.high = min(s.low, v), max(s.high, v)
		}
	}
	if s.low > s.high {
		s.low, s.high = 0, 1
	}
	if s.low == s.high {
		s.low, s.high = s.low-0.5, s.high+0.5
	}
	margin := 0.04 * (s.high - s.low)
	s.low, s.high = s.low-margin, s.high+margin
	s.round(most)
	return s
}

// round places at most most ticks at round values.
func (s *scale) round(most int) {
	if s.log && s.high-s.low > 0.7 {
		for e := math.Floor(s.low); e <= s.high; e++ {
			for _, m := range []float64{1, 2, 5} {
				v := m * math.Pow(10, e)
				if l := math.Log10(v); l >= s.low && l <= s.high && (m == 1 || s.high-s.low < 2.5) {
					s.ticks, s.labels = append(s.ticks, v), append(s.labels, strconv.FormatFloat(v, 'g', 6, 64))
				}
			}
		}
		return
	}
	low, high := s.low, s.high
	if s.log {
		low, high = math.Pow(10, low), math.Pow(10, high)
	}
	step := math.Pow(10, math.Floor(math.Log10((high-low)/float64(most))))
	for _, m := range []float64{1, 2, 5, 10} {
		if (high-low)/(m*step) <= float64(most) {
			step *= m
			break
		}
	}
	digits := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	for k := math.Ceil(low / step); k*step <= high; k++ {
		v := k * step
		label := strconv.FormatFloat(v+0, 'f', digits, 64)
		if math.Abs(v) >= 1e6 || digits > 5 && v != 0 {
			label = strconv.FormatFloat(v, 'g', 4, 64)
		}
		s.ticks, s.labels = append(s.ticks, v), append(s.labels, label)
	}
}

// axes draws the lines, ticks and labels around a panel's area, and its reference lines.
func (f *frame) axes(p *Panel) {
	small := style{size: textSize, ink: black}
	for i, v := range f.y.ticks {
		at := f.at(0, v).y
		if p.X.Names != nil || !f.named {
			f.line([]point{{f.left, at}, {f.right, at}}, 1, pale)
		}
		small.anchor = 2
		f.text(f.left-gap/2, at+textSize*0.35, shortened(f.y.labels[i], f.left-gap), small)
	}
	each := 1 + int(float64(len(f.x.ticks))*40/(f.right-f.left)) // of names that would lie over each other
	widest := (f.right - f.left) / float64(max(1, len(f.x.ticks)))
	for i, v := range f.x.ticks {
		at := f.at(v, 0).x
		if p.X.Names == nil {
			f.line([]point{{at, f.top}, {at, f.bottom}}, 1, pale)
		}
		small.anchor = 1
		if i%each == 0 {
			f.text(at, f.bottom+textSize+gap/3, shortened(f.x.labels[i], widest*float64(each)-4), small)
		}
	}
	f.line([]point{{f.left, f.bottom}, {f.right, f.bottom}}, 1, grey)
	if m := p.X.Mark; m != nil {
		at := f.at(*m, 0).x
		f.line([]point{{at, f.top}, {at, f.bottom}}, 1.5, grey)
	}
	if m := p.Y.Mark; m != nil {
		at := f.at(0, *m).y
		f.line([]point{{f.left, at}, {f.right, at}}, 1.5, grey)
	}
	if p.X.Label != "" {
		f.text((f.left+f.right)/2, f.bottom+2*textSize+gap, p.X.Label, style{size: textSize, ink: grey, anchor: 1})
	}
}

// shortened is a label that is at most so wide, with its middle left out.
func shortened(label string, most float64) string {
	r := []rune(label)
	for n := len(r); measure(label, textSize) > most && n > 3; n-- {
		label = string(r[:n/2]) + "…" + string(r[len(r)-(n-1)/2:])
	}
	return label
}
