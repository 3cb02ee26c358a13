package plot

import (
	"bytes"
	"encoding/xml"
	"flag"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the goldens of testdata; look at them before you commit them")

// pictures are one of each kind of series.
func pictures() map[string]*Plot {
	one := 1.0
	x := []float64{0, 1, 2, 3, 4}
	return map[string]*Plot{
		"curve": {Title: "breaks by tension & <wool>", Panels: []Panel{{X: Axis{Label: "tension"}, Y: Axis{Label: "mean of breaks"},
			Series: []Series{{Name: "wool = A", X: x, Y: []float64{1, 2, 3, 4, 8}, Low: []float64{0, 1, 2, 3, 6}, High: []float64{2, 3, 4, 6, 11}},
				{Name: "wool = B", X: x, Y: []float64{5, 4, 3, 3, 3}, Low: []float64{3, 3, 2, 2, 1}, High: []float64{6, 5, 5, 4, 4}}}}}},
		"points": {Panels: []Panel{{X: Axis{Label: "tension", Names: []string{"L", "M", "H"}}, Y: Axis{Label: "mean of breaks"},
			Series: []Series{{Name: "A", Kind: Points, X: x[:3], Y: []float64{44, 24, 25}, Low: []float64{40, 21, 21}, High: []float64{49, 27, 28}},
				{Name: "B", Kind: Points, X: x[:3], Y: []float64{28, 29, math.NaN()}, Low: []float64{25, 25, 22}, High: []float64{31, 32, math.NaN()}}}}}},
		"names": {Title: "Ratios", Panels: []Panel{{Title: "speed", X: Axis{Label: "times as fast", Log: true, Mark: &one},
			Y: Axis{Names: []string{"nuts than gibbs", strings.Repeat("a long name ", 9)}}, Series: []Series{{Kind: Points,
				X: []float64{2, 30}, Y: []float64{0, 1}, Low: []float64{0.5, 10}, High: []float64{8, 60},
				Inner: [2][]float64{{1.5, 20}, {2.5, 35}}}}}}},
		"bars": {Panels: []Panel{{X: Axis{Label: "response"}, Y: Axis{Label: "rows"}, Series: []Series{
			{Name: "data", Kind: Bars, X: []float64{0, 10, 20, 40}, Y: []float64{5, 9, 2}},
			{Name: "replicates", Kind: Points, X: []float64{5, 15, 30}, Y: []float64{6, 8, 3}, Low: []float64{3, 5, 0}, High: []float64{9, 12, 6}}}}}},
	}
}

// Pictures are as they were looked at; SVG is well-formed, and PNG has the same size times two.
func TestPictures(t *testing.T) {
	for name, p := range pictures() {
		var text, pixels bytes.Buffer
		if err := p.Write(&text, ".svg"); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", name+".svg")
		if *update {
			if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(file); err != nil || !bytes.Equal(want, text.Bytes()) {
			t.Errorf("%s is not what it was (%v)", file, err)
		}
		d := xml.NewDecoder(&text)
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if err := p.Write(&pixels, ".PNG"); err != nil {
			t.Fatal(err)
		}
		if *update {
			_ = os.WriteFile(filepath.Join(os.TempDir(), name+".png"), pixels.Bytes(), 0o644)
		}
		img, err := png.Decode(&pixels)
		if err != nil || img.Bounds().Dx() != 1440 {
			t.Errorf("%s: %v, %v", name, img.Bounds(), err)
		}
	}
	if Check("a.PNG") != nil || Check("a.svg") != nil || Check("a.pdf") == nil || Check("png") == nil {
		t.Error("names of pictures are judged wrongly")
	}
}

// Ticks are at round values inside the axis, at most as many as asked for, and as decimals without noise.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		a      Axis
		values []float64
		want   string
	}{
		{Axis{}, []float64{0, 1}, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{Axis{}, []float64{-0.0301, 0.0298}, "-0.03 -0.02 -0.01 0.00 0.01 0.02 0.03"},
		{Axis{}, []float64{3, 3}, "2.6 2.8 3.0 3.2 3.4"},
		{Axis{Log: true}, []float64{0.9, 120}, "1 2 5 10 20 50 100"},
		{Axis{}, []float64{math.NaN(), math.Inf(1)}, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{Axis{}, []float64{0, 3e7}, "0 5e+06 1e+07 1.5e+07 2e+07 2.5e+07 3e+07"},
	} {
		s := c.a.scale(c.values, 7)
		if got := strings.Join(s.labels, " "); got != c.want {
			t.Errorf("%v: ticks %q, want %q", c.values, got, c.want)
		}
	}
}
