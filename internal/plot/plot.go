package plot

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
)

// Plot is a picture.
type Plot struct {
	Title  string
	Panels []Panel
}

// Panel has one pair of axes.
type Panel struct {
	Title  string
	X, Y   Axis
	Series []Series // at most MostSeries
}

// Axis is a label with a scale. Names are categories at 0, 1, …; on a Y axis from the top.
type Axis struct {
	Label string
	Log   bool // base 10; values are positive
	Names []string
	Mark  *float64 // a reference line at this value
}

// Kind is how a series is drawn.
type Kind int

// The kinds of series.
const (
	Curve  Kind = iota // a line of Y with a band from Low to High
	Points             // a dot with an interval; across the Y axis if that has names
	Bars               // a bar from 0 to Y of each class; X are its ends, one more than Y
)

// Series are values that belong together. NaN values are not drawn.
type Series struct {
	Name      string // in the legend; empty: none
	Kind      Kind
	X, Y      []float64
	Low, High []float64    // ends of the intervals; nil: none
	Inner     [2][]float64 // ends of their middle halves; nil: none
}

// MostSeries is the number of series of a panel with colours of their own.
const MostSeries = 8

// Formats are the extensions that Write knows.
var Formats = []string{".svg", ".png"}

// Check returns an error if a file cannot be a picture by its name.
func Check(file string) error {
	if ext := strings.ToLower(filepath.Ext(file)); !slices.Contains(Formats, ext) {
		return fmt.Errorf("%s: a picture is a file %s", file, "NAME.svg or NAME.png")
	}
	return nil
}

// Sizes in pixels of a picture that is not enlarged.
const (
	width     = 720.0
	plain     = 300.0 // height of the area of a panel without names
	row       = 22.0  // height of a name's row
	textSize  = 13.0
	titleSize = 15.0
	gap       = 14.0
)

// Write draws a picture in the format of an extension.
func (p *Plot) Write(w io.Writer, ext string) error {
	height := gap
	if p.Title != "" {
		height += titleSize + gap
	}
	for i := range p.Panels {
		height += p.Panels[i].height()
	}
	var c canvas = newSVG(width, height)
	if strings.ToLower(ext) == ".png" {
		c = newPNG(width, height)
	}
	y := gap
	if p.Title != "" {
		c.text(gap, y+titleSize, p.Title, style{size: titleSize, ink: black})
		y += titleSize + gap
	}
	for i := range p.Panels {
		p.Panels[i].draw(c, y)
		y += p.Panels[i].height()
	}
	return c.write(w)
}

// legend reports whether a panel names its series.
func (p *Panel) legend() bool {
	return slices.ContainsFunc(p.Series, func(s Series) bool { return s.Name != "" })
}

// head is the height above the area: title, legend and label of the Y axis.
func (p *Panel) head() float64 {
	h := 0.0
	for _, has := range []bool{p.Title != "", p.legend(), p.Y.Label != ""} {
		if has {
			h += textSize + gap/2
		}
	}
	return h + gap/2
}

func (p *Panel) area() float64 {
	if p.Y.Names != nil {
		return row * float64(len(p.Y.Names))
	}
	return plain
}

// height is that of the panel, with the labels of its X axis.
func (p *Panel) height() float64 {
	h := p.head() + p.area() + textSize + 1.5*gap
	if p.X.Label != "" {
		h += textSize + gap/2
	}
	return h
}

// draw puts a panel at a height of the canvas.
func (p *Panel) draw(c canvas, top float64) {
	y := top
	line := func(text string, ink ink) {
		y += textSize
		c.text(gap, y, text, style{size: textSize, ink: ink})
		y += gap / 2
	}
	if p.Title != "" {
		line(p.Title, black)
	}
	if p.legend() {
		y += textSize
		x := gap
		for i, s := range p.Series {
			if s.Name != "" {
				c.fill([]point{{x, y - 9}, {x + 12, y - 9}, {x + 12, y}, {x, y}}, colours[i%len(colours)])
				c.text(x+17, y, s.Name, style{size: textSize, ink: black})
				x += 17 + measure(s.Name, textSize) + 2*gap
			}
		}
		y += gap / 2
	}
	if p.Y.Label != "" {
		line(p.Y.Label, grey)
	}
	xs, ys := p.ranges()
	left := 0.0
	for _, l := range ys.labels {
		left = max(left, measure(l, textSize))
	}
	left = min(left, width*0.45) + 2*gap
	f := &frame{canvas: c, left: left, right: width - 2*gap, top: top + p.head(), x: xs, y: ys, named: p.Y.Names != nil}
	f.bottom = f.top + p.area()
	f.axes(p)
	for i := range p.Series {
		f.series(&p.Series[i], colours[i%len(colours)], p.shift(i))
	}
}

// shift separates the intervals of several series at one place, in pixels.
func (p *Panel) shift(i int) float64 {
	if p.X.Names == nil || p.Series[i].Kind != Points {
		return 0
	}
	return 12 * (float64(i) - float64(len(p.Series)-1)/2)
}

// frame is the area of a panel with its scales.
type frame struct {
	canvas
	left, right, top, bottom float64
	x, y                     scale
	named                    bool // rows have names
}

func (f *frame) at(x, y float64) point {
	return point{f.left + f.x.share(x)*(f.right-f.left), f.bottom - f.y.share(y)*(f.bottom-f.top)}
}

func (f *frame) series(s *Series, colour ink, shift float64) {
	switch s.Kind {
	case Curve:
		f.band(s, colour)
		var line []point
		for i, x := range s.X {
			line = append(line, f.at(x, s.Y[i]))
		}
		f.line(line, 2, colour)
	case Bars:
		for i, v := range s.Y {
			a, b := f.at(s.X[i], 0), f.at(s.X[i+1], v)
			f.fill([]point{{a.x + 0.5, a.y}, {b.x - 0.5, a.y}, {b.x - 0.5, b.y}, {a.x + 0.5, b.y}}, colour.faint(0.45))
		}
	case Points:
		for i := range s.X {
			f.interval(s, i, colour, shift)
		}
	}
}

func (f *frame) band(s *Series, colour ink) {
	if s.Low == nil {
		return
	}
	var around []point
	for i, x := range s.X {
		around = append(around, f.at(x, s.High[i]))
	}
	for i := len(s.X) - 1; i >= 0; i-- {
		around = append(around, f.at(s.X[i], s.Low[i]))
	}
	f.fill(around, colour.faint(0.22))
}

// interval draws a dot and what is around it: of named rows from left to right, else from below to above.
func (f *frame) interval(s *Series, i int, colour ink, shift float64) {
	part := func(low, high []float64, thick float64) {
		if low == nil || math.IsNaN(low[i]) || math.IsNaN(high[i]) {
			return
		}
		a, b := f.at(s.X[i], low[i]), f.at(s.X[i], high[i])
		if f.named {
			a, b = f.at(low[i], s.Y[i]), f.at(high[i], s.Y[i])
		}
		f.line([]point{{a.x + shift, a.y}, {b.x + shift, b.y}}, thick, colour)
	}
	part(s.Low, s.High, 1.5)
	part(s.Inner[0], s.Inner[1], 4)
	if p := f.at(s.X[i], s.Y[i]); !math.IsNaN(p.x + p.y) {
		var round []point
		for k := range 16 {
			sin, cos := math.Sincos(float64(k) * math.Pi / 8)
			round = append(round, point{p.x + shift + 4*cos, p.y + 4*sin})
		}
		f.fill(round, colour)
	}
}
