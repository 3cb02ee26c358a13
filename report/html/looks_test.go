package html

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"glmbatch/internal/words"
)

// places are the parts of the sample page.
var places = []string{"", "#fit-0", "#fit-1", "#fit-2", "#compare", "#drift"}

// In a browser every part of a page of hostile names is drawn: nothing is fetched,
// nothing fails, no name runs, and the names are text.
func TestBrowserDrawsEveryPart(t *testing.T) {
	b := openBrowser(t)
	for _, name := range append([]string{"plain"}, hostile...) {
		p := sample(name, 60)
		b.open(p, "")
		for _, place := range places {
			b.eval("location.hash = "+quoted(place), nil)
			b.eval("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))", nil)
			var state struct {
				Broken, Images, Scripts, Charts int
				Text                            string
			}
			b.eval(`({broken: window.broken === undefined ? 0 : 1, images: document.images.length, scripts: document.querySelectorAll("body script:not([type])").length,
				charts: document.querySelectorAll("#view figure svg").length, text: document.getElementById("main").innerText})`,
				&state)
			if state.Broken != 0 || state.Images != 0 || state.Scripts != 3 {
				t.Errorf("%q at %q: a name became more than text: %+v", name, place, state)
			}
			if want := map[string]int{"#fit-1": 31, "#fit-2": 1, "#compare": 3, "#drift": 2}[place]; state.Charts < want {
				t.Errorf("%q at %q: %d charts, want %d", name, place, state.Charts, want)
			}
		}
		var back string
		b.eval(`document.querySelector("h1").textContent`, &back)
		if clean := strings.ReplaceAll(name, "\x00", "\ufffd"); back != clean {
			t.Errorf("the name %q is shown as %q", name, back)
		}
	}
	for _, line := range b.trouble {
		t.Errorf("%.400s", line)
	}
}

// Twenty thousand coefficients: the filter is reached and used by keys, pages turn,
// headings sort, and the copy holds every row that the filter leaves.
func TestBrowserFiltersByKeyboard(t *testing.T) {
	b := openBrowser(t)
	b.open(sample("gene", 20_000), "#fit-1")
	rows := func() (n int) {
		b.eval(`document.querySelectorAll(".coefficients tbody tr").length`, &n)
		return n
	}
	status := func() string { return b.text("#view .tools [role=status]:last-child") }
	if rows() != 50 || status() != "20000 rows" {
		t.Fatalf("%d rows are shown, of %s", rows(), status())
	}
	b.press("/")
	for _, key := range strings.Split("gene 1234", "") {
		b.press(key)
	}
	if s := status(); s != "12 of 20000 rows" || rows() != 12 {
		t.Errorf("after the filter %q and %d rows, want gene 1234, 11234 and 12340 to 12349", s, rows())
	}
	var copied string
	b.eval(`(() => { let text = ""; document.addEventListener("copy", () => { text = document.activeElement.value; }, {once: true});
		[...document.querySelectorAll("#view button")].find((b) => b.textContent === "Copy table").click(); return text; })()`, &copied)
	if lines := strings.Split(strings.TrimSpace(copied), "\n"); len(lines) != 13 ||
		!strings.HasPrefix(lines[0], "Parameter\tMean\tSD") || !strings.HasPrefix(lines[1], "gene 1234\t") ||
		strings.Contains(copied, "−") {
		t.Errorf("the copy holds %d lines:\n%s", len(lines), copied)
	}
	b.press("Escape")
	if s := status(); s != "20000 rows" {
		t.Errorf("after Escape: %s", s)
	}
	b.eval(`[...document.querySelectorAll(".coefficients thead button")].find((b) => b.textContent.startsWith("Bulk ESS")).focus()`, nil)
	b.press("Enter")
	b.press("Enter")
	if first := b.text(".coefficients tbody th"); first != "gene 19999" {
		t.Errorf("sorted downwards by bulk ESS the first is %q", first)
	}
	if s := b.text(".coefficients [aria-sort=descending]"); !strings.HasPrefix(s, "Bulk ESS") ||
		!strings.HasPrefix(b.focus(), "Bulk ESS") {
		t.Errorf("sorted by %q, and %q has the focus", s, b.focus())
	}
	for _, line := range b.trouble {
		t.Errorf("%.400s", line)
	}
}

// Missing cells have a part of their own: a column's model, its shares, the cells that stand out, and the
// parameters of the models of columns, which are not among the coefficients. Imputations are compared with each
// other.
func TestBrowserIncomplete(t *testing.T) {
	b := openBrowser(t)
	p := sample("age", 60)
	c := &p.Fits[1].Detail.Coefficients
	c.Kind[1], c.Kind[2], c.Kind[3] = "imputation", "imputation", "imputed"
	b.open(p, "#fit-1")
	b.wait(`document.querySelector("[aria-label='Parameters of the models of columns']")`)
	part := func(title string) (s string) {
		b.eval(`(() => { const f = [...document.querySelectorAll("#view figure")].find((f) => f.querySelector(".chart-title").textContent === `+
			quoted(title)+`); return f ? f.textContent + " | " + [...f.querySelectorAll("title")].map((t) => t.textContent).join(" | ") : "(nothing)"; })()`, &s)
		return s
	}
	names := func(label string) (s string) {
		b.eval(`[...document.querySelectorAll("[aria-label='`+label+`'] tbody th")].map((h) => h.textContent).join()`, &s)
		return s
	}
	var table string
	b.eval(`document.querySelector("[aria-label='Incomplete columns'] tbody").innerText`, &table)
	for _, of := range []struct{ text, has, hasNot string }{
		{names("Parameters of the models of columns") + ".", "age 1,age 2.", "age 3"},
		{names("Coefficients"), "age 0,age 4,", "age 1,"},
		{table, "age\tage\tpoisson\t25\t40\t1.200\t90", "null"}, {table, "the regression itself", "NaN"},
		{part("age, observed and imputed"), "42.0 % of the missing ones lie beyond all observed values", "NaN"},
		{part("age, observed and imputed"), "0: 75.0 % of the observed cells, 24.0 % [0 %, 16.0 %] of the missing ones", "null"},
		{part("age, missing cells"), "Of 25 missing cells the 12 that are least certain", "NaN"},
		{part("age, missing cells"), "row 7: 2.00 [0, 4.00], R-hat 1.200", "null"},
		{part("age 2, observed and imputed"), "age: 25.0 % of the observed cells, 25.0 %", "intervals"},
		{part("age 2, missing cells"), "row 7: age with probability 0.500, R-hat 1.200", "Of 2"},
		{part("age 3, missing responses"), "Each missing cell. Marked: an R-hat above 1.01.", "(nothing)"},
		{part("age"), "b: 2.00 [0, 3.00]", "NaN"}, {part("age"), "Missing information 20.0 %", "(nothing)"}} {
		if !strings.Contains(of.text, of.has) || strings.Contains(of.text, of.hasNot) {
			t.Errorf("%q is not in, or %q is in\n%.900s", of.has, of.hasNot, of.text)
		}
	}
	var marked int
	b.eval(`[...document.querySelectorAll("#view figure")].filter((f) => /, missing (cells|responses)$/.test(f.querySelector(".chart-title").textContent) && f.querySelector('[stroke="var(--mark)"], [fill="var(--mark)"]')).length`, &marked)
	if marked != 3 {
		t.Errorf("%d of 3 pictures mark the cell with an R-hat of 1.2", marked)
	}
	b.eval(`(() => { const s = document.querySelector("[data-series]"); s.selectedIndex = 1; s.dispatchEvent(new Event("change")); })()`, nil)
	var legend, hues string
	b.eval(`(() => { const f = [...document.querySelectorAll("#view figure")].find((f) => f.querySelector(".chart-title").textContent === "Trace"); return [...f.querySelectorAll("path[stroke^=var]")].map((p) => p.getAttribute("stroke")).join(); })()`, &hues)
	if hues != "var(--c1),var(--c1),var(--c2),var(--c2)" {
		t.Errorf("chains of two imputations have the colours %s", hues)
	}
	b.eval(`[...document.querySelectorAll("#view .legend")].map((l) => l.textContent).join(" ")`, &legend)
	if !strings.Contains(legend, "imputation 1imputation 2") || !strings.Contains(part("Ranks"), "of its imputation") {
		t.Errorf("chains of imputations are told as %q and %q", legend, part("Ranks"))
	}
	for _, line := range b.trouble {
		t.Errorf("%.400s", line)
	}
}

// The overview draws the results of a model, also as ratios; a table of a fit has quantiles as ratios and numbers
// its axis.
func TestBrowserRatios(t *testing.T) {
	b := openBrowser(t)
	b.open(sample("age", 3), "")
	picture := func() (s string) {
		b.eval(`document.querySelector("#overview-results svg").textContent`, &s)
		return s
	}
	if s := picture(); !strings.Contains(s, "age") || !strings.Contains(s, "sd") || !strings.Contains(s, "−1") {
		t.Errorf("the picture of results reads %q", s)
	}
	b.eval(`document.querySelector("#overview-results input[type=checkbox]").click()`, nil)
	if s := picture(); strings.Contains(s, "sd") || !strings.Contains(s, "0.5") || !strings.Contains(s, "7.389") {
		t.Errorf("as ratios, without the standard deviation, it reads %q", s)
	}
	b.eval(`location.hash = "#fit-1"`, nil)
	b.wait(`document.querySelector(".coefficients")`)
	b.eval(`(() => { const s = [...document.querySelectorAll("#view select")].find((s) => s.textContent.includes("odds")); s.value = "exp"; s.dispatchEvent(new Event("change")); })()`, nil)
	var cells []string
	b.eval(`[...document.querySelector(".coefficients tbody tr").cells].map((c) => c.textContent)`, &cells)
	if want := "age 0,,—,—,0.8187,1.000,1.221"; !strings.HasPrefix(strings.Join(cells, ","), want) {
		t.Errorf("the first row reads %q, want %s", cells, want)
	}
	if s := b.text("svg.axis"); !strings.Contains(s, "1") {
		t.Errorf("the axis of the bars reads %q", s)
	}
	for _, line := range b.trouble {
		t.Errorf("%.400s", line)
	}
}

// focus is the text of what has the focus.
func (b *browser) focus() (s string) {
	b.eval("document.activeElement.textContent", &s)
	return s
}

// axe-core, which GLMBATCH_AXE names, finds nothing against WCAG 2.1 A and AA, in
// either scheme, on a desk and on a phone.
func TestBrowserAxe(t *testing.T) {
	script, err := os.ReadFile(os.Getenv("GLMBATCH_AXE"))
	if err != nil {
		t.Skip("GLMBATCH_AXE names no axe.min.js: report/html/check/run.sh runs this")
	}
	b := openBrowser(t)
	b.open(sample("plain", 60), "")
	b.eval(string(script)+"\n;0", nil)
	for _, width := range []int{1280, 390} {
		b.size(width)
		for _, scheme := range []string{"light", "dark"} {
			b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]any{{"name": "prefers-color-scheme",
				"value": scheme}}})
			for _, place := range places {
				b.eval("location.hash = "+quoted(place), nil)
				b.eval("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))", nil)
				var found struct {
					Violations []string
					Passes     int
					Wide       int
				}
				b.eval(`axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}).then((r) => ({passes: r.passes.length, wide: document.documentElement.scrollWidth - window.innerWidth,
					violations: r.violations.map((v) => v.id + ": " + v.help + " at " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(" | "))}))`, &found)
				for _, v := range found.Violations {
					t.Errorf("%d px, %s, %q: %s", width, scheme, place, v)
				}
				if found.Passes < 15 {
					t.Errorf("%d px, %s, %q: only %d rules looked at something", width, scheme, place, found.Passes)
				}
				if found.Wide > 0 {
					t.Errorf("%d px, %s, %q: the page is %d px wider than the window", width, scheme, place, found.Wide)
				}
			}
		}
	}
}

// Screenshots for people, where GLMBATCH_SHOTS names a folder for them.
func TestBrowserShots(t *testing.T) {
	if os.Getenv("GLMBATCH_SHOTS") == "" {
		t.Skip("GLMBATCH_SHOTS names no folder")
	}
	b := openBrowser(t)
	b.open(sample("claims", 60), "")
	for i, place := range places {
		b.eval("location.hash = "+quoted(place), nil)
		b.shot("part-" + string(rune('0'+i)))
	}
}

// Blanks at the ends of names, and of levels in brackets, are shown as words.Visible shows them.
func TestBrowserShowsBlanks(t *testing.T) {
	b := openBrowser(t)
	for name, want := range map[string]string{
		" Berlin ": "␣Berlin␣", "storeNew York ": "storeNew York␣", "r_g[ a  ,Intercept]": "r_g[␣a␣␣,Intercept]", "a, b": "a, b", " ": "␣",
	} {
		p := sample(name, 3)
		p.Fits[1].Detail.Coefficients.Name[0] = name
		b.open(p, "#fit-1")
		if shown := b.text(".coefficients tbody th"); shown != want || words.Visible(name) != want {
			t.Errorf("%q is shown as %q, want %q", name, b.text(".coefficients tbody th"), want)
		}
	}
}

// size sets the width of the window; below 500 it is a phone.
func (b *browser) size(width int) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride",
		map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500})
}

// shot writes a screenshot to the folder that GLMBATCH_SHOTS names, if it does.
func (b *browser) shot(name string) {
	b.t.Helper()
	dir := os.Getenv("GLMBATCH_SHOTS")
	if dir == "" {
		return
	}
	var shot struct{ Data string }
	b.into(&shot, "Page.captureScreenshot", map[string]any{"captureBeyondViewport": true})
	png, err := base64.StdEncoding.DecodeString(shot.Data)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644)
	}
	if err != nil {
		b.t.Error(err)
	}
}
