package plot

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

type point struct{ x, y float64 }

// ink is a colour with an opacity.
type ink struct {
	r, g, b uint8
	alpha   float64
}

func (i ink) faint(alpha float64) ink { i.alpha = alpha; return i }

var (
	black = ink{0x22, 0x22, 0x22, 1}
	grey  = ink{0x66, 0x66, 0x66, 1}
	pale  = ink{0xe6, 0xe6, 0xe6, 1}
)

// colours are distinct for readers with a colour vision deficiency.
//
// Source: Okabe and Ito (2008), Color Universal Design.
var colours = []ink{{0x00, 0x72, 0xb2, 1}, {0xd5, 0x5e, 0x00, 1}, {0x00, 0x9e, 0x73, 1}, {0xcc, 0x79, 0xa7, 1},
	{0xe6, 0x9f, 0x00, 1}, {0x56, 0xb4, 0xe9, 1}, {0x22, 0x22, 0x22, 1}, {0x99, 0x99, 0x99, 1}}

// style is that of a text. A text begins at its point, is around it if anchor is 1, and ends there if it is 2.
type style struct {
	size   float64
	ink    ink
	anchor int
}

// canvas collects the parts of a picture, and writes it.
type canvas interface {
	line(points []point, thick float64, ink ink)
	fill(points []point, ink ink)
	text(x, y float64, text string, s style)
	write(w io.Writer) error
}

var goFont = sync.OnceValues(func() (*opentype.Font, error) { return opentype.Parse(goregular.TTF) })

var (
	faces  = map[float64]font.Face{} // by size
	facing sync.Mutex                // held while a face is used
)

// face is the font of a size in pixels, for who holds facing.
func face(size float64) font.Face {
	if f := faces[size]; f != nil {
		return f
	}
	f, err := goFont()
	if err == nil {
		var out font.Face
		if out, err = opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72}); err == nil {
			faces[size] = out
			return out
		}
	}
	panic(err) // the font is part of the program
}

// measure is the width of a text in pixels.
func measure(text string, size float64) float64 {
	facing.Lock()
	defer facing.Unlock()
	return float64(font.MeasureString(face(size), text)) / 64
}

// svg is a canvas whose picture is text.
type svg struct{ b strings.Builder }

func newSVG(width, height float64) *svg {
	s := new(svg)
	fmt.Fprintf(&s.b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" `+
		"font-family=\"Go, Helvetica, Arial, sans-serif\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
		width, height, width, height)
	return s
}

func (i ink) attributes(name string) string {
	out := fmt.Sprintf(`%s="#%02x%02x%02x"`, name, i.r, i.g, i.b)
	if i.alpha < 1 {
		out += fmt.Sprintf(` %s-opacity="%.2f"`, name, i.alpha)
	}
	return out
}

func coordinates(points []point) string {
	var parts []string
	for _, p := range points {
		if !math.IsNaN(p.x + p.y) {
			parts = append(parts, fmt.Sprintf("%.1f,%.1f", p.x, p.y))
		}
	}
	return strings.Join(parts, " ")
}

func (s *svg) line(points []point, thick float64, ink ink) {
	fmt.Fprintf(&s.b, "<polyline points=\"%s\" fill=\"none\" %s stroke-width=\"%g\"/>\n", coordinates(points),
		ink.attributes("stroke"), thick)
}

func (s *svg) fill(points []point, ink ink) {
	fmt.Fprintf(&s.b, "<polygon points=\"%s\" %s/>\n", coordinates(points), ink.attributes("fill"))
}

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

func (s *svg) text(x, y float64, text string, st style) {
	anchor := []string{"start", "middle", "end"}[st.anchor]
	fmt.Fprintf(&s.b, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%g\" text-anchor=\"%s\" %s>%s</text>\n", x, y, st.size,
		anchor, st.ink.attributes("fill"), escapes.Replace(text))
}

func (s *svg) write(w io.Writer) error {
	_, err := io.WriteString(w, s.b.String()+"</svg>\n")
	return err
}

// enlarged is how many pixels of a PNG file are one of the picture.
const enlarged = 2

// raster is a canvas of pixels.
type raster struct{ *image.RGBA }

func newPNG(width, height float64) *raster {
	r := &raster{image.NewRGBA(image.Rect(0, 0, enlarged*int(width), enlarged*int(math.Ceil(height))))}
	draw.Draw(r, r.Bounds(), image.White, image.Point{}, draw.Src)
	return r
}

func (i ink) uniform() *image.Uniform {
	return image.NewUniform(color.NRGBA{i.r, i.g, i.b, uint8(math.Round(255 * i.alpha))})
}

func (r *raster) fill(points []point, ink ink) {
	points = slices.DeleteFunc(slices.Clone(points), func(p point) bool { return math.IsNaN(p.x + p.y) })
	if len(points) == 0 {
		return
	}
	low, high := points[0], points[0]
	for _, p := range points {
		low, high = point{min(low.x, p.x), min(low.y, p.y)}, point{max(high.x, p.x), max(high.y, p.y)}
	}
	box := image.Rect(enlarged*int(math.Floor(low.x)), enlarged*int(math.Floor(low.y)), enlarged*int(math.Ceil(high.x)),
		enlarged*int(math.Ceil(high.y)))
	v := vector.NewRasterizer(box.Dx(), box.Dy())
	for i, p := range points {
		x, y := float32(enlarged*p.x)-float32(box.Min.X), float32(enlarged*p.y)-float32(box.Min.Y)
		if i == 0 {
			v.MoveTo(x, y)
		} else {
			v.LineTo(x, y)
		}
	}
	v.ClosePath()
	v.Draw(r, box, ink.uniform(), image.Point{})
}

// line fills a rectangle along each part.
func (r *raster) line(points []point, thick float64, ink ink) {
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		dx, dy := b.x-a.x, b.y-a.y
		if length := math.Hypot(dx, dy); length > 0 {
			dx, dy = thick/2*dx/length, thick/2*dy/length
			r.fill([]point{{a.x - dy, a.y + dx}, {b.x - dy, b.y + dx}, {b.x + dy, b.y - dx}, {a.x + dy, a.y - dx}}, ink)
		}
	}
}

func (r *raster) text(x, y float64, text string, s style) {
	x -= measure(text, s.size) * float64(s.anchor) / 2
	facing.Lock()
	defer facing.Unlock()
	d := font.Drawer{Dst: r, Src: s.ink.uniform(), Face: face(enlarged * s.size)}
	d.Dot = fixed.Point26_6{X: fixed.Int26_6(64 * enlarged * x), Y: fixed.Int26_6(64 * enlarged * y)}
	d.DrawString(text)
}

func (r *raster) write(w io.Writer) error { return png.Encode(w, r) }
