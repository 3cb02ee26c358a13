package discrete

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"

	"glmbatch/ingest"
	"glmbatch/pipelines/internal/spec"
)

// mostPixels bounds an image.
const mostPixels = 100_000_000

// FromImage reads a PNG image, and the true one if there is one: observations from
// low (black) to high (white), truths from 0 (black) to 1 (white), which Field makes
// states of.
func FromImage(name string, i *spec.Image, path string) (*Data, error) {
	pixels, rows, cols, err := grey(name, path)
	if err != nil {
		return nil, err
	}
	d := &Data{Name: name, N: rows * cols, Rows: rows, Columns: cols}
	observed := make([]float64, d.N)
	for k, v := range pixels {
		observed[k] = math.FMA(v, i.High-i.Low, i.Low)
	}
	d.columns = []column{{name: observationColumn, numbers: observed}}
	if i.Truth != "" {
		truth, r, c, err := grey(name, i.Truth)
		if err != nil {
			return nil, err
		}
		if r != rows || c != cols {
			return nil, &ingest.SourceError{Dataset: name, File: filepath.Base(i.Truth),
				Err:  fmt.Errorf("the true image has %d × %d pixels, and the observed one, %s, has %d × %d", c, r, filepath.Base(path), cols, rows),
				Hint: "give both the same size"}
		}
		d.columns = append(d.columns, column{name: shadeColumn, numbers: truth})
	}
	return d, nil
}

// Columns of data that have no header.
const (
	observationColumn = "observation"
	truthColumn       = "truth"
	shadeColumn       = "\x00shade" // grey of the true image, 0 to 1
)

// grey reads a PNG as grey values from 0 to 1, row by row.
func grey(dataset, path string) (values []float64, rows, cols int, err error) {
	fail := func(err error, hint string) ([]float64, int, int, error) {
		return nil, 0, 0, &ingest.SourceError{Dataset: dataset, File: filepath.Base(path), Err: err, Hint: hint}
	}
	file, err := os.Open(path)
	if err != nil {
		var cause *os.PathError
		if errors.As(err, &cause) {
			err = cause.Err
		}
		return fail(fmt.Errorf("the image cannot be read: %w", err), "name a PNG file; relative paths count from the spec's folder")
	}
	defer file.Close()
	head, err := png.DecodeConfig(file)
	if err != nil {
		return fail(errors.New("it is not a PNG image"), "convert it: other formats are not read")
	}
	if head.Width*head.Height > mostPixels || head.Width < 1 || head.Height < 1 {
		return fail(fmt.Errorf("%d × %d pixels are too many", head.Width, head.Height), "an image has at most 100 million pixels")
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return fail(err, "")
	}
	img, err := png.Decode(file)
	if err != nil {
		return fail(fmt.Errorf("the PNG image is damaged: %w", err), "write it again")
	}
	return shades(img), head.Height, head.Width, nil
}

// shades are the grey values of an image, from 0 to 1.
func shades(img image.Image) []float64 {
	b := img.Bounds()
	out := make([]float64, 0, b.Dx()*b.Dy())
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			g := color.Gray16Model.Convert(img.At(x, y)).(color.Gray16)
			out = append(out, float64(g.Y)/math.MaxUint16)
		}
	}
	return out
}
