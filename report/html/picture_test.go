package html

import (
	"encoding/base64"
	"image/png"
	"math"
	"strings"
	"testing"
)

// A picture has the grey of each pixel, or of the mean of squares where it is reduced.
func TestPictureIsTheValues(t *testing.T) {
	values := []float64{0, 0.5, 1, 2, math.NaN(), -1}
	p, err := NewPicture("t", "a", "c", 2, 3, values, 0, 1)
	must(t, err)
	if got := greys(t, p); string(got) != string([]byte{0, 128, 255, 255, 127, 0}) {
		t.Errorf("greys %v", got)
	}
	wide := make([]float64, 2*2*MostSide)
	for i := range wide {
		wide[i] = float64(i % 2)
	}
	if p, err = NewPicture("t", "a", "c", 2, 2*MostSide, wide, 0, 1); err != nil || p.Width != MostSide || p.Height != 1 ||
		p.Caption != "c, reduced" {
		t.Fatalf("%d × %d, %s, %v", p.Width, p.Height, p.Caption, err)
	}
	for _, g := range greys(t, p) {
		if g != 128 {
			t.Fatalf("a reduced pixel is %d", g)
		}
	}
}

func greys(t *testing.T, p Picture) (out []byte) {
	t.Helper()
	data, ok := strings.CutPrefix(p.Data, "data:image/png;base64,")
	img, err := png.Decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	for y := range p.Height {
		for x := range p.Width {
			r, _, _, _ := img.At(x, y).RGBA()
			out = append(out, byte(r>>8))
		}
	}
	return out
}

// Layers without a number have no picture; a layer with gaps has one.
func TestEmptyLayersAreLeftOut(t *testing.T) {
	nan := math.NaN()
	d := &Discrete{Labels: []string{"off", "on"}}
	layers := [][]float64{{nan, nan}, {nan, 1}, {nan, nan}, {0, 1}}
	must(t, d.Draw(1, 2, layers))
	var titles []string
	for _, p := range d.Pictures {
		titles = append(titles, p.Title)
	}
	if got := strings.Join(titles, ","); got != "Truth,Marginals" {
		t.Errorf("pictures of %s", got)
	}
}
