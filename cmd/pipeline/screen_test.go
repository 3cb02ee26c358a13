package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"glmbatch/infer"
	"glmbatch/internal/words"
)

// on is a screen of a test.
func on(b *strings.Builder, width int) *screen { return &screen{Writer: b, width: width} }

// widest is the number of columns of the longest line, colours not counted.
func widest(text string) int {
	n := 0
	for _, line := range strings.Split(text, "\n") {
		for {
			at := strings.Index(line, "\x1b[")
			if at < 0 {
				break
			}
			end := strings.IndexByte(line[at:], 'm')
			line = line[:at] + line[at+end+1:]
		}
		n = max(n, utf8.RuneCountInString(line))
	}
	return n
}

func TestSentencesAreBrokenAtSpaces(t *testing.T) {
	words := "one two three four five six seven eight nine ten eleven twelve thirteen"
	for width := 15; width < 90; width++ {
		var b strings.Builder
		on(&b, width).sentence("  ", words)
		if n := widest(b.String()); n > width {
			t.Errorf("width %d: a line of %d columns\n%s", width, n, b.String())
		}
		if got := strings.Join(strings.Fields(b.String()), " "); got != words {
			t.Errorf("width %d: the words are %q", width, got)
		}
	}
	var b strings.Builder
	on(&b, 20).sentence("  ", "a "+strings.Repeat("x", 30)+" b\nhint: c")
	if want := "a\n  " + strings.Repeat("x", 30) + "\n  b\n  hint: c\n"; b.String() != want {
		t.Errorf("a long word: %q, want %q", b.String(), want)
	}
}

// A flowing table has all words, and no line beyond the screen; colours change neither
// its columns nor its lines.
func TestTablesFlow(t *testing.T) {
	g := head("verdict", "n", "why")
	g.flow = true
	g.colour = g.gradesIn(0)
	g.Add("fail", "1", "the chains of this fit have not come together, which more iterations may mend\nhint: give max_iterations")
	g.Add("pass", "12345", "")
	var plain, coloured strings.Builder
	g.print(on(&plain, 60))
	if n := widest(plain.String()); n > 60 {
		t.Errorf("a line of %d columns\n%s", n, plain.String())
	}
	if !strings.Contains(plain.String(), "\n                hint: give max_iterations\n") {
		t.Errorf("the hint does not stand under the words\n%s", plain.String())
	}
	g.print(&screen{Writer: &coloured, width: 60, colour: true})
	if !strings.Contains(coloured.String(), "\x1b[1;31mfail\x1b[0m") {
		t.Errorf("no colours: %q", coloured.String())
	}
	if got := strings.NewReplacer("\x1b[1;31m", "", "\x1b[32m", "", "\x1b[0m", "").Replace(coloured.String()); got != plain.String() {
		t.Errorf("colours move the table:\n%s\n%s", got, plain.String())
	}
}

// Colours are for terminals, NO_COLOR and --color have their say, and signs are ASCII
// where the locale is none of UTF-8.
func TestScreen(t *testing.T) {
	var b strings.Builder
	for _, c := range []struct {
		flag, noColor, columns, locale string
		colour                         bool
		width                          int
		text                           string
	}{
		{"auto", "", "", "C.UTF-8", false, 80, "×"},
		{"always", "1", "", "en_US.utf8", true, 80, "×"},
		{"never", "", "120", "", false, 120, "×"},
		{"auto", "1", "7", "C", false, 40, "x"},
		{"auto", "", "wide", "de_DE.ISO-8859-1", false, 80, "x"},
	} {
		t.Setenv("NO_COLOR", c.noColor)
		t.Setenv("COLUMNS", c.columns)
		t.Setenv("LC_ALL", c.locale)
		t.Setenv("LC_CTYPE", "")
		t.Setenv("LANG", "")
		b.Reset()
		s := (&app{stdout: &b, colour: c.flag}).screen()
		if _, err := s.Write([]byte("×")); err != nil {
			t.Fatal(err)
		}
		if s.colour != c.colour || s.width != c.width || b.String() != c.text {
			t.Errorf("%+v: colour %t, width %d, %q", c, s.colour, s.width, b.String())
		}
	}
}

// Every sign of the bars has one of ASCII.
func TestASCII(t *testing.T) {
	var b strings.Builder
	bar := newBars([]span{{-1, -0.5, 0.2, 0.5, 1}, {-50, 1, 2, 3, 60}}, 40)
	words := bar.draw(span{-1, -0.5, 0.2, 0.5, 1}) + bar.draw(span{-500, 1, 2, 3, 500}) + bar.draw(span{1, 2, 3, 4, 5})
	if _, err := (asciiWriter{&b}).Write([]byte(words)); err != nil {
		t.Fatal(err)
	}
	for _, r := range b.String() {
		if r > 126 {
			t.Errorf("%q is not ASCII", r)
		}
	}
	if utf8.RuneCountInString(words) != len(b.String()) {
		t.Errorf("%d columns became %d", utf8.RuneCountInString(words), len(b.String()))
	}
}

// A bar covers the columns of its interval and no other: ends, median and zero are where rounding puts them.
func TestBars(t *testing.T) {
	rng := infer.NewStream(20261122)
	for range 2000 {
		var spans []span
		for range 1 + int(5*rng.Float64()) {
			at, wide := 20*rng.Float64()-10, 5*rng.Float64()
			spans = append(spans, span{at - wide, at - wide/3, at, at + wide/4, at + wide})
		}
		b := newBars(spans, 12+int(60*rng.Float64()))
		for _, s := range spans {
			drawn := []rune(b.draw(s))
			if len(drawn) != b.width {
				t.Fatalf("%d columns, want %d", len(drawn), b.width)
			}
			column := func(x float64) int { return int(math.Round((x - b.low) / (b.high - b.low) * float64(b.width-1))) }
			for i, r := range drawn {
				inside := i >= column(s.low) && i <= column(s.high)
				if inside != (r != ' ' && r != '│') {
					t.Fatalf("%q of %+v on [%g, %g]: column %d", string(drawn), s, b.low, b.high, i)
				}
			}
			if m := column(s.median); m >= 0 && m < b.width && drawn[m] != '●' && drawn[m] != '◂' && drawn[m] != '▸' {
				t.Fatalf("%q: no median at column %d", string(drawn), m)
			}
			if z := column(0); !strings.ContainsRune("│┼●◂▸", drawn[z]) {
				t.Fatalf("%q: no zero at column %d", string(drawn), z)
			}
		}
	}
}

// One interval that is a thousand times as long as the others ends in an arrow and
// leaves them their length.
func TestBarsClip(t *testing.T) {
	spans := make([]span, 40)
	for i := range spans {
		spans[i] = span{-1, -0.5, 0, 0.5, 1}
	}
	spans[7] = span{-2000, -1, 0, 1, 1500}
	b := newBars(spans, 41)
	if b.low != -2 || b.high != 2 {
		t.Errorf("the axis is [%g, %g]", b.low, b.high)
	}
	if got := b.draw(spans[7]); !strings.HasPrefix(got, "◂") || !strings.HasSuffix(got, "▸") {
		t.Errorf("no arrows: %q", got)
	}
	nan := math.NaN()
	if got := b.draw(span{nan, nan, nan, nan, nan}); got != "" {
		t.Errorf("a bar of nothing: %q", got)
	}
}

func TestMiddle(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
		want string
	}{{"abcdefgh", 8, "abcdefgh"}, {"abcdefgh", 5, "ab…gh"}, {"äöüßéèê", 4, "äö…ê"}, {"abc", 0, "abc"}} {
		if got := middle(c.name, c.n); got != c.want {
			t.Errorf("middle(%q, %d) = %q, want %q", c.name, c.n, got, c.want)
		}
	}
}

func TestShort(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 1: "1.00", -10.4321: "-10.4", 0.03342: "0.0334", 123456: "1.2e5", 99999: "99999",
		0.0001234: "1.2e-4", 0.001: "0.00100", 9.999: "10.00", math.Inf(1): "+Inf"} {
		if got := short(v); got != want {
			t.Errorf("short(%g) = %q, want %q", v, got, want)
		}
	}
	if short(math.NaN()) != "—" {
		t.Error("NaN is no dash")
	}
}

// Control characters of a stranger's names reach no terminal, in any format; a file has them as they are.
func TestTerminalsAreNotSteered(t *testing.T) {
	t.Chdir(t.TempDir())
	const steers = "\x1b[2J\u202e\u0085"
	var data strings.Builder
	data.WriteString("y,x,g\n")
	for i := range 60 {
		fmt.Fprintf(&data, "%d,%d,%s\n", i*7%11, i*3%5, []string{"b", "a" + steers}[i%2])
	}
	write(t, ".", "d.csv", data.String())
	write(t, ".", "s.yaml", `pipeline: s
datasets: {d: {path: d.csv}, k: {path: d.csv, by: g}}
models: {m: {formula: y ~ x + g, family: gaussian}, n: {formula: y ~ x, family: gaussian}}
samplers: {s: {method: conjugate}, r: {method: cggibbs}}
run: {warmup: 50, draws: 100, loo: true}
gates: {rhat: 3, ess_bulk: 1, ess_tail: 1}
fits: [{datasets: d, models: m}, {datasets: k, models: n}]
`)
	mustCall(t, "run", "s.yaml", "--seed", "2")
	mustCall(t, "run", "s.yaml")
	real := isTerminal
	t.Cleanup(func() { isTerminal = real })
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "1")
	named := 0
	for _, args := range []string{
		"effects s.yaml g --only model=m --only sampler=s --format ",
		"effects s.yaml g --only model=m --only sampler=s --average --format ",
		"predict s.yaml --only model=m --only sampler=s --rows 5 --format ", "sql SELECT_*_FROM_coefficients --format ", "show --format ", "runs --format ", "compare --format ",
		"weights --output ", "drift --output ",
	} {
		for _, format := range []string{"table", "text", "csv", "json"} {
			answer := func(terminal bool) string {
				isTerminal = func(int) bool { return terminal }
				file, err := os.CreateTemp(t.TempDir(), "")
				must(t, err)
				defer file.Close()
				call := strings.Fields(args + format)
				for i := range call {
					call[i] = strings.ReplaceAll(call[i], "SELECT_*_FROM_", "SELECT * FROM ")
				}
				var errs strings.Builder
				code := run(t.Context(), call, strings.NewReader(""), file, &errs)
				text, err := os.ReadFile(file.Name())
				if err != nil || code != 0 && !strings.Contains(errs.String(), `"`+format+`"`) {
					t.Fatalf("%s%s: exit %d, %v: %s", args, format, code, err, errs.String())
				}
				return string(text)
			}
			if live := answer(true); words.VisibleLines(live) != live {
				t.Errorf("%s%s: a terminal gets control characters: %q", args, format, live)
			}
			if format == "csv" && strings.Contains(answer(false), steers) {
				named++
			}
		}
	}
	if named < 2 {
		t.Errorf("%d answers in CSV have the name as it is in a file", named)
	}
}
