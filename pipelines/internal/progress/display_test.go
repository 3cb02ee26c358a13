package progress

import (
	"strings"
	"testing"
	"time"
)

// clock is a time that a test moves.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func TestLiveLines(t *testing.T) {
	c := &clock{t: time.Unix(0, 0)}
	tr := New(c.now)
	tr.Expect(3)
	f := tr.Start("pima × diabetes × gibbs")
	f.Phase("sampling")
	f.Plan(0, 4000)
	f.Checked(Check{ESS: 210, Target: 400, What: "least bulk ESS"})
	f.Add(2000)
	c.t = c.t.Add(2 * time.Second)
	tr.End(nil, "skipped", "")
	_, lines := tr.snapshot(120)
	want := []string{
		"pima × diabetes × gibbs  [█████·····]  sampling  1k it/s  least bulk ESS 210 of 400  2.0s to next check",
		"1 of 3 fits · 1 skipped",
	}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	for width, want := range map[int]string{
		100: "pima × diabetes × gibbs  [█████·····]  sampling  least bulk ESS 210 of 400  2.0s to next check",
		80:  "pima × diabetes × gibbs  sampling  least bulk ESS 210 of 400  2.0s to next check",
		72:  "pima × diabetes × gibbs  least bulk ESS 210 of 400  2.0s to next check",
	} {
		if _, lines := tr.snapshot(width); lines[0] != want {
			t.Errorf("on %d columns %q, want %q", width, lines[0], want)
		}
	}
}

// A resumed fit's rate counts only what this session drew.
func TestRateAfterResume(t *testing.T) {
	c := &clock{t: time.Unix(0, 0)}
	tr := New(c.now)
	f := tr.Start("x")
	f.Plan(9000, 10000)
	f.Add(100)
	c.t = c.t.Add(time.Second)
	if _, lines := tr.snapshot(120); !strings.Contains(lines[0], "100 it/s") {
		t.Errorf("line %q does not show 100 it/s", lines[0])
	}
}

// A fit that is sampled prints its iterations, those that it is expected to need, and the time that these take at its
// rate: what is planned, or more if the effective sample size is far from its target.
func TestRunning(t *testing.T) {
	c := &clock{t: time.Unix(0, 0)}
	tr := New(c.now)
	f := tr.Start("x")
	if got := tr.Running()[0]; got.Phase != "reading" || got.Expected != 0 || got.SecondsLeft != nil || got.Share() != 0 {
		t.Errorf("before it samples: %+v", got)
	}
	c.t = c.t.Add(4 * time.Second)
	f.Phase("sampling")
	f.Plan(1000, 4000) // 1000 of an earlier session
	f.Add(500)
	c.t = c.t.Add(5 * time.Second)
	got := tr.Running()[0]
	if got.Fit != "x" || got.Iterations != 1500 || got.Expected != 4000 || got.Seconds != 9 || got.SecondsLeft == nil ||
		*got.SecondsLeft != 25 || got.Share() != 0.375 { // 2500 iterations at 100 a second
		t.Errorf("sampling: %+v, %v left", got, got.SecondsLeft)
	}
	f.Checked(Check{ESS: 50, Target: 400})
	if got := tr.Running()[0]; got.Expected != 12000 || *got.SecondsLeft != 105 { // eight times the 1500
		t.Errorf("with an eighth of its target: %+v, %v left", got, *got.SecondsLeft)
	}
	f.Checked(Check{ESS: 500, Target: 400})
	if got := tr.Running()[0]; got.Expected != 4000 {
		t.Errorf("beyond its target: %+v", got)
	}
	tr.End(f, "pass", "")
	if got := tr.Running(); len(got) != 0 {
		t.Errorf("after its end: %+v", got)
	}
}

// terminal keeps what is written, and reports each picture after it is written.
type terminal struct {
	text    []byte
	painted chan struct{}
}

func (t *terminal) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	t.painted <- struct{}{}
	return len(p), nil
}

func TestDisplayRedrawsAndLeavesEndedLines(t *testing.T) {
	c := &clock{t: time.Unix(0, 0)}
	tr := New(c.now)
	tr.Expect(1)
	f := tr.Start("evil\x1b[2Jname " + strings.Repeat("long", 40))
	out := &terminal{painted: make(chan struct{}, 2)} // the picture, and the last one
	tick := make(chan time.Time)
	stop := Display(out, tr, true, func() int { return 40 }, tick)
	tick <- c.t
	<-out.painted
	tr.End(f, "pass", "one passed")
	stop()
	got := string(out.text)
	if strings.Contains(got, "\x1b[2J") {
		t.Error("a name's control characters reached the terminal")
	}
	if !strings.HasSuffix(got, "\x1b[2A\x1b[Jone passed\n") {
		t.Errorf("the picture was not replaced by the ended line: %q", got)
	}
	for _, l := range strings.Split(got, "\n") {
		if n := len([]rune(l)); n > 50 {
			t.Errorf("line of %d runes on 40 columns: %q", n, l)
		}
	}
}

func TestPlainOutputHasOnlyEndedFits(t *testing.T) {
	tr := New(func() time.Time { return time.Unix(0, 0) })
	tr.Expect(2)
	a, b := tr.Start("a"), tr.Start("b")
	var out strings.Builder
	stop := Display(&out, tr, false, func() int { return 80 }, nil)
	tr.End(a, "pass", "a: pass")
	tr.End(b, "fail", "b: fail")
	stop()
	if got := out.String(); got != "a: pass\nb: fail\n" {
		t.Errorf("got %q", got)
	}
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		400 * time.Millisecond: "0.4s", 12 * time.Second: "12s",
		185 * time.Second: "3m05s", 7620 * time.Second: "2h07m",
	} {
		if got := short(d); got != want {
			t.Errorf("short(%v) = %q, want %q", d, got, want)
		}
	}
}
