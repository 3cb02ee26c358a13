package progress

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"glmbatch/internal/words"
)

// maxLines bounds the fits that a terminal shows at once.
const maxLines = 6

// interval is the time between two pictures.
const interval = 200 * time.Millisecond

// Display draws a tracker on w until stop is called; stop leaves the last
// lines of ended fits and nothing else. On a terminal (live) each active fit
// has a line that is redrawn, width columns wide; elsewhere only ended fits
// are written. tick is time.NewTicker's channel in a run, and a test's own in
// a test.
func Display(w io.Writer, t *Tracker, live bool, width func() int, tick <-chan time.Time) (stop func()) {
	quit := make(chan struct{})
	var wg sync.WaitGroup
	p := &painter{w: w, t: t, live: live, width: width}
	wg.Go(func() {
		for {
			select {
			case <-tick:
				p.paint(false)
			case <-quit:
				p.paint(true)
				return
			}
		}
	})
	return func() {
		close(quit)
		wg.Wait()
	}
}

// Ticker returns the channel that a Display of a run is driven by.
func Ticker() (<-chan time.Time, func()) {
	t := time.NewTicker(interval)
	return t.C, t.Stop
}

type painter struct {
	w     io.Writer
	t     *Tracker
	live  bool
	width func() int
	drawn int // lines of the live picture on the screen
}

func (p *painter) paint(last bool) {
	width := 0
	if p.live && !last {
		width = p.width() - 1
	}
	ended, lines := p.t.snapshot(width)
	var b strings.Builder
	if p.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\x1b[J", p.drawn)
	}
	for _, l := range ended {
		b.WriteString(words.Visible(l))
		b.WriteByte('\n')
	}
	for _, l := range lines {
		b.WriteString(truncate(words.Visible(l), width))
		b.WriteByte('\n')
	}
	p.drawn = len(lines)
	_, _ = io.WriteString(p.w, b.String()) // a closed terminal must not stop a run
}

// snapshot takes the lines of ended fits and, unless width is 0, draws the active ones.
func (t *Tracker) snapshot(width int) (ended, lines []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	ended, t.ended = t.ended, nil
	if width == 0 {
		return ended, nil
	}
	for i, f := range t.active {
		if i == maxLines {
			lines = append(lines, fmt.Sprintf("  … and %d more", len(t.active)-maxLines))
			break
		}
		lines = append(lines, f.line(t.now(), width))
	}
	return ended, append(lines, t.tally())
}

func (t *Tracker) tally() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d fits", t.settled, t.total)
	for _, k := range []string{"pass", "warn", "fail", "error", "skipped", "uncommitted"} {
		if n := t.counts[k]; n > 0 {
			fmt.Fprintf(&b, " · %d %s", n, k)
		}
	}
	return b.String()
}

// line is one active fit: name, bar, phase, rate, effective sample size, time left; in narrow terminals without the
// bar, the phase and the rate, whichever make it fit.
func (f *Fit) line(now time.Time, width int) string {
	phase, _ := f.phase.Load().(string)
	done, planned := f.done.Load(), f.planned.Load()
	if planned == 0 {
		return fmt.Sprintf("%s  %s %s", f.name, phase, short(now.Sub(f.began)))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	const barAt, phaseAt, rateAt = 1, 2, 3
	parts := []string{f.name, bar(done, planned), phase}
	elapsed := now.Sub(f.since).Seconds()
	fresh := done - f.atSince
	if fresh > 0 && elapsed > 0 {
		rate := float64(fresh) / elapsed
		parts = append(parts, fmt.Sprintf("%s it/s", count(rate)))
		if f.checked {
			parts = append(parts, fmt.Sprintf("%s %.0f of %.0f", f.check.What, f.check.ESS, f.check.Target))
		}
		left := time.Duration(float64(planned-done) / rate * float64(time.Second))
		parts = append(parts, short(left)+" to next check")
	}
	line := joined(parts)
	for _, at := range []int{rateAt, barAt, phaseAt} {
		if utf8.RuneCountInString(line) > width && at < len(parts) {
			parts[at] = ""
			line = joined(parts)
		}
	}
	return line
}

// joined puts two blanks between the parts that are not empty.
func joined(parts []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(parts), func(s string) bool { return s == "" }), "  ")
}

// bar draws the share done/planned in ten cells.
func bar(done, planned int64) string {
	full := int(min(10, 10*done/planned))
	return "[" + strings.Repeat("█", full) + strings.Repeat("·", 10-full) + "]"
}

// count prints a rate with three digits at most.
func count(v float64) string {
	switch {
	case v >= 1e6:
		return fmt.Sprintf("%.3gM", v/1e6)
	case v >= 1e3:
		return fmt.Sprintf("%.3gk", v/1e3)
	}
	return fmt.Sprintf("%.3g", v)
}

// short prints a duration as people say it: 0.4s, 12s, 3m05s, 2h07m.
func short(d time.Duration) string {
	switch s := int(d.Seconds()); {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	default:
		return fmt.Sprintf("%dh%02dm", s/3600, s%3600/60)
	}
}

// truncate cuts s to width runes.
func truncate(s string, width int) string {
	if width < 1 || utf8.RuneCountInString(s) <= width {
		return s
	}
	runes := []rune(s)
	return string(runes[:width-1]) + "…"
}
