package html

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var updatePictures = flag.Bool("update", false, "draw the pictures of the documentation anew; GLMBATCH_BROWSER names a Chromium")

// A docPicture is a picture of the documentation: curves of docs/pictures/NAME.csv, with the columns series, x and
// y, drawn by the page's own code into NAME.svg of the same folder.
type docPicture struct {
	Name, Title, Words, X, Y string
	Linear                   bool // the horizontal axis; others have powers of two
}

var docPictures = []docPicture{
	{"figure3", "Effective condition number over warm-up", "Of NUTS on 16 rows and 17 coefficients of Prostate_GE; the horizontal lines are the posterior's numbers, of the curvature at the mode.",
		"iteration →", "↑ condition number", true},
	{"figure4", "Seconds of 1000 sweeps", "Logistic regression, n = 10: linear in d with the cached predictor, quadratic without it and in JAGS.",
		"coefficients d →", "↑ processor seconds", false},
	{"figure5", "Seconds to a median ESS of 100", "On the first columns of colon.", "coefficients d →", "↑ processor seconds", false},
	{"figure6", "Sweeps to a median ESS of 100", "On rows and columns of colon; medians over ten choices of them.", "coefficients d →", "↑ sweeps", false},
	{"figure7", "Condition numbers of the posterior", "16 rows of colon, covariance of the draws.", "coefficients d →", "↑ condition number", false},
	{"figure8", "Seconds to a median ESS of 100", "Eight data sets, four chains of 200 draws after 200; medians over seeds; NUTS of one or three.", "d/n →", "↑ processor seconds", false},
	{"figure9", "Time of NUTS over time of Gibbs", "Eight data sets: to an ESS of 100 in the median, and of the least coefficient.", "d/n →", "↑ ratio", false},
	{"figure10", "Sweeps to a median ESS of 100", "20 rows; what the features after the 29th are.", "coefficients d →", "↑ sweeps", false},
	{"budgets", "What a scan certifies of one variable, and its bias", "The corner of a 40 × 40 torus, θ = 0.25: certified variation, and the measured bias of P(x = 1).",
		"updates →", "↑ variation, bias", false},
	{"scans", "What scans certify of all variables", "A 10 × 10 Ising model with fields of 0 or 1 and couplings uniform from 0 to 0.25.",
		"updates →", "↑ variation", true},
	{"likelihood", "Error of a field found by Markov chain Monte Carlo", "The field of a corner that maximises the likelihood, less the true one.", "updates →", "↑ error", false},
	{"looser", "What bounds that are too loose cost", "The corner of a 40 × 40 torus, θ = 0.165: the variation that is certified by the bounds as they are.",
		"updates →", "↑ variation", false},
}

const docPictureFolder = "../../docs/pictures"

// mark names a picture's data and words by a hash, which the picture holds.
func (p docPicture) mark(t *testing.T) (mark string, rows []map[string]any) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(docPictureFolder, p.Name+".csv"))
	must(t, err)
	lines, err := csv.NewReader(strings.NewReader(string(raw))).ReadAll()
	if err != nil || len(lines) < 3 || strings.Join(lines[0], ",") != "series,x,y" {
		t.Fatalf("%s.csv: %d lines that begin with %v: %v", p.Name, len(lines), lines[0], err)
	}
	for i, line := range lines[1:] {
		x, errX := strconv.ParseFloat(line[1], 64)
		y, errY := strconv.ParseFloat(line[2], 64)
		if errX != nil || errY != nil || !(y > 0) {
			t.Fatalf("%s.csv, line %d: %v is no point above 0", p.Name, i+2, line)
		}
		rows = append(rows, map[string]any{"series": line[0], "x": x, "y": y})
	}
	about, err := json.Marshal(p)
	must(t, err)
	return fmt.Sprintf("data %x", sha256.Sum256(append(about, raw...)))[:29], rows
}

// Each picture of the documentation is of its data as they are now, and some page shows it with words for those who
// do not see it.
func TestDocPicturesAreOfTheirData(t *testing.T) {
	pages := ""
	for _, page := range []string{"evidence/paper.md", "evidence/discrete-studies.md"} {
		b, err := os.ReadFile(filepath.Join("../../docs", page))
		must(t, err)
		pages += string(b)
	}
	for _, p := range docPictures {
		mark, _ := p.mark(t)
		drawn, err := os.ReadFile(filepath.Join(docPictureFolder, p.Name+".svg"))
		must(t, err)
		if !strings.Contains(string(drawn), mark) {
			t.Errorf("%s.svg is not of %s.csv as it is: GLMBATCH_BROWSER=chromium go test ./report/html -run BrowserDrawsDocPictures -update", p.Name, p.Name)
		}
		if n := len(drawn); n > 60_000 {
			t.Errorf("%s.svg has %d bytes", p.Name, n)
		}
		if !strings.Contains(pages, "](../pictures/"+p.Name+".svg)") || strings.Contains(pages, "![](../pictures/"+p.Name) {
			t.Errorf("no page shows %s.svg with words", p.Name)
		}
	}
}

// The page's own code draws each picture of the documentation as it is stored.
func TestBrowserDrawsDocPictures(t *testing.T) {
	b := openBrowser(t)
	b.open(sample("plain", 3), "")
	for _, p := range docPictures {
		mark, rows := p.mark(t)
		var out string
		b.eval("("+drawDocPicture+")("+quotedJSON(t, p)+","+quotedJSON(t, rows)+","+quoted(mark)+")", &out)
		path := filepath.Join(docPictureFolder, p.Name+".svg")
		if *updatePictures {
			must(t, os.WriteFile(path, []byte(out), 0o644))
			continue
		}
		stored, err := os.ReadFile(path)
		must(t, err)
		if string(stored) != out {
			t.Errorf("%s is drawn otherwise now: draw it anew with -update", path)
		}
	}
}

func quotedJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	must(t, err)
	return string(b)
}

// drawDocPicture draws curves as the page draws its charts, with the name of each at its right end, into a
// self-contained SVG: colours of the light scheme, on paper, positions to a thousandth of a pixel, since the last
// digits of logarithms differ between versions of the browser.
const drawDocPicture = `(p, rows, mark) => {
  const names = [...new Set(rows.map((r) => r.series))], colour = (d) => chainColour(names.indexOf(d.series));
  const whole = (x) => x.toLocaleString("en", { maximumSignificantDigits: 4, useGrouping: false });
  const last = names.map((n) => ({ ...rows.findLast((r) => r.series === n) })).sort((a, b) => a.y - b.y);
  const [low, high] = d3.extent(rows, (r) => r.y), line = Math.log(high / low) * 15 / 290; // the height of a name
  last.forEach((r, i) => { r.at = i === 0 ? r.y : Math.max(r.y, last[i - 1].at * Math.exp(line)); });
  const node = figure(p.Title, p.Words, () => ({
    width: 680, height: 360, marginRight: 150, style: { background: "var(--paper)", color: "var(--ink)", fontSize: "12px", fontFamily: "system-ui, sans-serif" },
    x: { type: p.Linear ? "linear" : "log", base: 2, label: p.X, tickFormat: whole, nice: false }, y: { type: "log", label: p.Y, tickFormat: whole, grid: true },
    marks: [Plot.line(rows, { x: "x", y: "y", z: "series", stroke: colour, strokeWidth: 1.6 }), Plot.dot(rows, { x: "x", y: "y", fill: colour, r: 2.5 }),
      Plot.text(last, { x: "x", y: "at", text: "series", dx: 8, textAnchor: "start", fill: colour })],
  }));
  drawings.pop()();
  const svg = node.querySelector("svg"), style = getComputedStyle(document.documentElement);
  const about = document.createElementNS("http://www.w3.org/2000/svg", "desc");
  about.textContent = p.Words + " (" + mark + ")";
  svg.prepend(about);
  return new XMLSerializer().serializeToString(svg).replace(/var\((--[a-z0-9]+)\)/g, (_, v) => style.getPropertyValue(v).trim())
    .replace(/\d+\.\d{6,}/g, (n) => String(+(+n).toFixed(3))) + "\n";
}`

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
