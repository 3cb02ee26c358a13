package html

import (
	"fmt"
	"math"
	"strings"
)

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
