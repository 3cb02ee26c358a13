package discrete

import (
	"context"
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
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
)

// maxPixels bounds an image. pixelBytes is what a pixel takes while it is decoded: as the file has it, its number, its
// state.
const maxPixels, pixelBytes = 100_000_000, 20

// memoryForPixels refuses an image of more pixels than there is memory for.
func memoryForPixels(src ingest.Source, pixels int) error {
	err := src.CheckMemory(pixelBytes * int64(pixels))
	if err == nil {
		return nil
	}
	return &ingest.SourceError{Dataset: src.Name, File: filepath.Base(src.Path),
		Err: words.Hint(fmt.Errorf("an image of %d pixels: %w", pixels, err), "give it more with --memory")}
}

// FromImage reads the image of a source, and the true one if there is one. A PNG image has
// observations from low (black) to high (white), and truths from 0 (black) to 1
// (white), which Field makes states of; a grid has both as they are written.
//
// Errors name the data set and the file, and column and row of a grid.
func FromImage(ctx context.Context, i *spec.Image, src ingest.Source) (*Data, error) {
	seen, err := readPicture(ctx, src, false)
	if err != nil {
		return nil, err
	}
	if !spec.IsGrid(src.Path) {
		for k, v := range seen.numbers {
			seen.numbers[k] = math.FMA(v, i.High-i.Low, i.Low)
		}
	}
	d := &Data{Variables: rectangle(src.Name, seen.rows, seen.cols), Warnings: seen.warnings,
		columns: []column{seen.column}}
	if i.Truth == "" {
		return d, nil
	}
	at := src
	at.Path = i.Truth
	truth, err := readPicture(ctx, at, true)
	if err != nil {
		return nil, err
	}
	if err := sameSize(seen, truth, &src, i.Truth); err != nil {
		return nil, err
	}
	d.Warnings, d.columns = append(d.Warnings, truth.warnings...), append(d.columns, truth.column)
	return d, nil
}

// readPicture reads a PNG image or a grid: observations, or true states.
func readPicture(ctx context.Context, src ingest.Source, truth bool) (*picture, error) {
	called, shade := observationColumn, observationColumn
	if truth {
		called, shade = truthColumn, shadeColumn
	}
	if spec.IsGrid(src.Path) {
		return cells(ctx, src, called, truth)
	}
	values, rows, cols, err := grey(src)
	return &picture{column: column{name: shade, numbers: values}, rows: rows, cols: cols}, err
}

// Columns of data that have no header.
const (
	observationColumn = "observation"
	truthColumn       = "truth"
	shadeColumn       = "\x00shade" // grey of the true image, 0 to 1
)

// grey reads a PNG as grey values from 0 to 1, row by row.
func grey(src ingest.Source) (values []float64, rows, cols int, err error) {
	fail := func(err error, hint string) ([]float64, int, int, error) {
		return nil, 0, 0, &ingest.SourceError{Dataset: src.Name, File: filepath.Base(src.Path), Err: words.Hint(err, hint)}
	}
	file, err := os.Open(src.Path)
	if err != nil {
		var cause *os.PathError
		if errors.As(err, &cause) {
			err = cause.Err
		}
		return fail(fmt.Errorf("the image cannot be read: %w", err),
			"name a PNG file, or a grid in a .parquet or .csv file; relative paths count from the spec's folder")
	}
	defer file.Close()
	head, err := png.DecodeConfig(file)
	if err != nil {
		return fail(errors.New("it is not a PNG image"),
			"convert it: other formats are not read, but for grids of numbers in files that end in .parquet or .csv")
	}
	if head.Width*head.Height > maxPixels || head.Width < 1 || head.Height < 1 {
		return fail(fmt.Errorf("%d × %d pixels are too many", head.Width, head.Height),
			"an image has at most 100 million pixels")
	}
	if err := memoryForPixels(src, head.Width*head.Height); err != nil {
		return nil, 0, 0, err
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
