package discrete

import (
	"database/sql"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"

	"glmbatch/ingest"
	"glmbatch/pipelines/internal/spec"
)

// grids is a folder of images and grids.
type grids struct {
	t   *testing.T
	dir string
}

func (g grids) path(name string) string { return filepath.Join(g.dir, name) }

func (g grids) write(name, text string) {
	g.t.Helper()
	must(g.t, os.WriteFile(g.path(name), []byte(text), 0o644))
}

// png writes an image of 4 × 3 pixels.
func (g grids) png(name string, grey func(pixel int) uint8) {
	g.t.Helper()
	img := image.NewGray(image.Rect(0, 0, 4, 3))
	for pixel := range 12 {
		img.SetGray(pixel%4, pixel/4, color.Gray{Y: grey(pixel)})
	}
	var b strings.Builder
	must(g.t, png.Encode(&b, img))
	g.write(name, b.String())
}

// read reads an image of the folder; truth may be empty.
func (g grids) read(seen, truth string) (*Data, error) {
	i := &spec.Image{Path: g.path(seen), Low: -1, High: 1}
	if truth != "" {
		i.Truth = g.path(truth)
	}
	return FromImage(g.t.Context(), i, ingest.Source{Name: "photo", Path: i.Path})
}

// A grid in Parquet or CSV, its pixels in any order, is the model of the PNG image with
// the same numbers to the last bit, truth included; one other number is another model.
func TestGridIsItsImage(t *testing.T) {
	g := grids{t, t.TempDir()}
	grey := func(pixel int) uint8 { return uint8(23 * pixel) }
	g.png("seen.png", grey)
	g.png("truth.png", func(pixel int) uint8 { return uint8(255 * (pixel / 2 % 2)) })
	seen, truth, labels := "value,row,col\n", "row,col,value\n", "row,col,value,note\n"
	for k := range 12 {
		pixel := 5 * k % 12
		v := math.FMA(float64(grey(pixel))/255, 2, -1)
		seen += fmt.Sprintf("%s,%d,%d\n", strconv.FormatFloat(v, 'g', -1, 64), pixel/4+1, pixel%4+1)
		truth += fmt.Sprintf("%d,%d,%d\n", pixel/4+1, pixel%4+1, pixel/2%2)
		labels += fmt.Sprintf("%d,%d,%s,x\n", pixel/4+1, pixel%4+1, []string{"dark", "light"}[pixel/2%2])
	}
	g.write("seen.csv", seen)
	g.write("truth.csv", truth)
	g.write("labels.csv", labels)
	g.write("other.csv", strings.Replace(seen, "-1,1,1\n", "-1.5,1,1\n", 1))
	g.write("wrong.csv", strings.Replace(truth, "1,1,0\n", "1,1,1\n", 1))
	db, err := sql.Open("duckdb", "")
	must(t, err)
	defer db.Close()
	t.Chdir(g.dir)
	for _, text := range []string{"COPY (FROM 'seen.csv') TO 'seen.parquet' (FORMAT parquet)", "COPY (FROM 'truth.csv') TO 'truth.parquet' (FORMAT parquet)"} {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	hash := func(seen, truth string, labels ...spec.Text) string {
		t.Helper()
		d, err := g.read(seen, truth)
		must(t, err)
		return field(t, d, model(2, func(m *spec.Model) { m.Noise = spec.Noise{SD: 1}; m.Labels = labels })).Hash
	}
	want := hash("seen.png", "truth.png")
	for _, of := range [][2]string{{"seen.csv", "truth.csv"}, {"seen.parquet", "truth.parquet"}, {"seen.png", "truth.csv"}, {"seen.parquet", "truth.png"}} {
		if hash(of[0], of[1]) != want {
			t.Errorf("%s and %s make another model than the PNG images", of[0], of[1])
		}
	}
	if hash("seen.csv", "labels.csv", "dark", "light") != want {
		t.Error("true states by label are others than by number")
	}
	for _, of := range [][2]string{{"other.csv", "truth.csv"}, {"seen.csv", "wrong.csv"}, {"seen.csv", ""}} {
		if hash(of[0], of[1]) == want {
			t.Errorf("%s and %s make the model of other numbers", of[0], of[1])
		}
	}
}

// Pixels without a row or a value were not observed, and their true states are unknown.
func TestGridHasGaps(t *testing.T) {
	g := grids{t, t.TempDir()}
	g.write("seen.csv", "row,col,value\n2,3,\n1,1,0.5\n2,1,7\n")
	g.write("truth.csv", "row,col,value\n2,3,1\n1,1,-1\n1,2,\n")
	d, err := g.read("seen.csv", "truth.csv")
	must(t, err)
	f := field(t, d, model(2, func(m *spec.Model) { m.Noise = spec.Noise{SD: 1} }))
	got := fmt.Sprint(f.Rows, f.Columns, f.Edges, f.Observation, f.Truth)
	if want := "2 3 7 [0.5 NaN NaN 7 NaN NaN] [0 -1 -1 -1 -1 1]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A fault of a grid is reported with its position and remedy.
func TestBadGridIsNamed(t *testing.T) {
	const head, whole = "row,col,value\n", "row,col,value\n1,1,0\n2,2,1\n"
	for _, c := range []struct {
		name, seen, truth string
		words             []string
	}{
		{"cell twice", head + "1,1,0\n2,1,5\n1,1,\n", "", []string{`column "value"`, "row 3 (line 4 of seen.csv)", "row 1, column 1 of the grid", "row 1 (line 2", "remove one"}},
		{"from 0", head + "1,1,0\n0,1,5\n", "", []string{`column "row"`, "line 3", "0 is below 1", "from 1", "add 1"}},
		{"negative", head + "1,1,0\n1,-2,5\n", "", []string{`column "col"`, "line 3", "-2 is below 1"}},
		{"fraction", head + "1,1.5,0\n1,1,5\n", "", []string{`column "col"`, "line 2", "1.5 is no whole number", "whole numbers"}},
		{"no index", head + "1,1,0\n,2,5\n", "", []string{`column "row"`, "line 3", "missing"}},
		{"text index", head + "1,1,0\n1,b,5\n", "", []string{`column "col"`, "line 3", `"b" is not a number`}},
		{"text value", head + "1,1,0\n1,2,grey\n", "", []string{`column "value"`, "line 3", `"grey" is not a number`, "not observed"}},
		{"no column", "row,column,value\n1,1,0\n", "", []string{"seen.csv", `no column "col"`, `"row", "column", "value"`}},
		{"far index", head + "1,1,0\n1,200000000,5\n", "", []string{`column "col"`, "line 3", "200000000 is too many", "100 million"}},
		{"too large", head + "1,1,0\n100000,1,5\n1,100000,5\n", "", []string{`column "row"`, "line 3", "100000 rows × 100000 columns are too many", "100 million"}},
		{"other size", whole, head + "1,1,0\n3,2,1\n", []string{"truth.csv", "2 × 3 pixels", "seen.csv, has 2 × 2", "same size", "empty value"}},
		{"truth twice", whole, head + "1,1,0\n1,1,0\n", []string{"line 3 of truth.csv", "stands here"}},
		{"no state", whole, head + "2,2,7\n1,1,0\n", []string{`column "value"`, "row 2, col 2 of truth.csv", `"7" is no state`, "states are called -1, 1"}},
	} {
		g := grids{t, t.TempDir()}
		g.write("seen.csv", c.seen)
		truth := ""
		if c.truth != "" {
			truth = "truth.csv"
			g.write(truth, c.truth)
		}
		d, err := g.read("seen.csv", truth)
		if err == nil {
			_, err = NewField(t.Context(), d, model(2, nil))
		}
		for _, word := range append(c.words, `dataset "photo"`, "hint: ") {
			if err == nil || !strings.Contains(err.Error(), word) {
				t.Errorf("%s: the error does not have %q: %v", c.name, word, err)
			}
		}
	}
}

// An image of few bytes and many pixels is refused before they take memory.
func TestImageBeyondMemory(t *testing.T) {
	g := grids{t, t.TempDir()}
	g.write("far.csv", "row,col,value\n1,1,0\n9000,9000,1\n")
	file, err := os.Create(filepath.Join(g.dir, "black.png"))
	must(t, err)
	must(t, errors.Join(png.Encode(file, image.NewGray(image.Rect(0, 0, 3000, 3000))), file.Close()))
	for name, want := range map[string]string{
		"far.csv":   "far.csv: an image of 81000000 pixels: the data need about 1.62 GB of memory, and reading may take 100 MB",
		"black.png": "black.png: an image of 9000000 pixels: the data need about 180 MB",
	} {
		src := ingest.Source{Name: "photo", Path: filepath.Join(g.dir, name), MaxBytes: 1e8}
		_, err := FromImage(t.Context(), &spec.Image{Path: src.Path}, src)
		if err == nil || !strings.Contains(err.Error(), `dataset "photo"`) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
