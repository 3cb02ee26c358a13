package html

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
)

// Discrete holds the further content of the page of a fit of discrete variables.
type Discrete struct {
	Variables int64    `json:"variables"`
	Edges     int64    `json:"edges"`
	Labels    []string `json:"labels"`
	LogZ      Number   `json:"log_z"`
	Best      Number   `json:"best"`
	// Pictures are those of an image or grid; none of other data.
	Pictures []Picture `json:"pictures"`
	// Wrong are shares of known states: by marginals, and in the best state; null where
	// they are unknown.
	WrongMarginal Number  `json:"wrong_marginal"`
	WrongBest     Number  `json:"wrong_best"`
	Squared       Number  `json:"squared"`
	Known         int64   `json:"known"`
	Proofs        []Proof `json:"proofs"`
}

// Picture is a grey image with its name and a description.
type Picture struct {
	Title   string `json:"title"`
	Alt     string `json:"alt"`
	Caption string `json:"caption"`
	Data    string `json:"data"` // a PNG as a data URI
	Width   int    `json:"width"`
	Height  int    `json:"height"`
}

// Proof is an error that is proved, or why there is none.
type Proof struct {
	Method  string `json:"method"`
	Bounded string `json:"bounded"`
	Of      string `json:"of"` // variables
	Updates int64  `json:"updates"`
	Bound   Number `json:"bound"`
	Note    string `json:"note"`
}

// MostSide bounds the sides of a picture, in pixels; larger ones are reduced.
const MostSide = 400

// NewPicture draws values, row by row, from low (black) to high (white); NaN is
// mid-grey. Larger pictures than MostSide show means of squares of pixels.
func NewPicture(title, alt, caption string, rows, cols int, values []float64, low, high float64) (Picture, error) {
	step := (max(rows, cols) + MostSide - 1) / MostSide
	h, w := (rows+step-1)/step, (cols+step-1)/step
	img := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetGray(x, y, color.Gray{Y: shade(square(values, rows, cols, y*step, x*step, step), low, high)})
		}
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, img); err != nil {
		return Picture{}, err
	}
	if step > 1 {
		caption += ", reduced"
	}
	return Picture{title, alt, caption, "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes()), w, h}, nil
}

// square is the mean of the numbers in a square of pixels; NaN if there is none.
func square(values []float64, rows, cols, top, left, side int) float64 {
	sum, n := 0.0, 0
	for r := top; r < min(top+side, rows); r++ {
		for c := left; c < min(left+side, cols); c++ {
			if v := values[r*cols+c]; !math.IsNaN(v) {
				sum += v
				n++
			}
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return sum / float64(n)
}

func shade(v, low, high float64) uint8 {
	if math.IsNaN(v) || !(high > low) {
		return math.MaxUint8 / 2
	}
	return uint8(math.Round(math.MaxUint8 * math.Min(1, math.Max(0, (v-low)/(high-low)))))
}

// Draw makes the pictures of an image's layers: observation, truth, best state and mean
// state, by number; layers that are all NaN are left out.
func (d *Discrete) Draw(rows, cols int, layers [][]float64) error {
	last := float64(len(d.Labels) - 1)
	black, white := d.Labels[0], d.Labels[len(d.Labels)-1]
	states := fmt.Sprintf("black is state %s, white %s", black, white)
	probability := fmt.Sprintf("probability of state %s: black 0, white 1", white)
	if last > 1 {
		probability = "mean number of the state: " + states
	}
	for k, of := range []struct{ title, caption string }{
		{"Observation", ""}, {"Truth", states}, {"Most probable state seen", states}, {"Marginals", probability},
	} {
		low, high := 0.0, last
		if k == 0 {
			low, high = span(layers[k])
			of.caption = fmt.Sprintf("from %.3g, black, to %.3g, white", low, high)
		}
		if empty(layers[k]) {
			continue
		}
		alt := fmt.Sprintf("%s, %d × %d pixels: %s", of.title, rows, cols, of.caption)
		p, err := NewPicture(of.title, alt, strings.TrimSpace(of.caption), rows, cols, layers[k], low, high)
		if err != nil {
			return err
		}
		d.Pictures = append(d.Pictures, p)
	}
	return nil
}

func empty(values []float64) bool {
	for _, v := range values {
		if !math.IsNaN(v) {
			return false
		}
	}
	return true
}

// span is the least and the largest number.
func span(values []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if !math.IsNaN(v) {
			low, high = math.Min(low, v), math.Max(high, v)
		}
	}
	return low, high
}
