package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"glmbatch/internal/words"
	"glmbatch/pipelines"
)

func (a *app) progressCommand() *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "progress DIR",
		Short: "Show how far a sharded run is",
		Long: `progress reads the folder of a plan. It counts the shards that are done, running,
waiting, silent, incomplete and unusable, and the fits that are done. It lists the
shards that are not done, with the fits that they are working on. A shard is silent if
it was running and has reported nothing for a minute. It is incomplete if its fragment
has planned fits without their data, and unusable if its fragment is of another run or
shard: run such a shard again.`,
		Example: `  pipeline progress night
  pipeline progress night --output json`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			p, err := pipelines.ProgressOf(args[0], time.Now())
			if err != nil {
				return work(err)
			}
			if output == "json" {
				return indented(a.stdout, p)
			}
			printProgress(a.screen(), p, time.Now())
			return nil
		},
	}
	outputFlag(c, &output)
	return c
}

// maxShards is the number of shards that progress lists.
const maxShards = 30

// printProgress prints the counts, and a line for each shard that is not done and has begun.
func printProgress(s *screen, p *pipelines.ShardProgress, now time.Time) {
	var counts []string
	for _, state := range pipelines.ShardStates() {
		if n := p.Shards[state]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, state))
		}
	}
	text := fmt.Sprintf("run %s: %s: %s; %d of %s done, %d failed", p.Run, plural(len(p.States), "shard"),
		strings.Join(counts, ", "), p.Done, plural(p.Fits, "fit"), p.Failed)
	if p.SecondsLeft != nil {
		text += "; the longest running shard has about " + secondsWords(*p.SecondsLeft) + " left"
	}
	s.sentence("  ", text)
	g, more := head("shard", "state", "fits", "done", "failed", "left", "updated", "working on"), 0
	for i := range p.States {
		row := shardRow(&p.States[i], now)
		switch {
		case row == nil:
		case len(g.Rows) > maxShards:
			more++
		default:
			g.Add(row...)
		}
	}
	if len(g.Rows) == 1 {
		return
	}
	fmt.Fprintln(s)
	g.shorten(7, s.width)
	g.print(s)
	if more > 0 {
		fmt.Fprintf(s, "… and %d more\n", more)
	}
}

// shardRow is the line of a shard; nil if it is done or waiting.
func shardRow(st *pipelines.ShardState, now time.Time) []string {
	if st.State == "done" || st.State == "waiting" {
		return nil
	}
	left, updated, doing := "", "", words.Visible(st.Why)
	if st.SecondsLeft != nil {
		left = secondsWords(*st.SecondsLeft)
	}
	if !st.Updated.IsZero() {
		updated = secondsWords(max(now.Sub(st.Updated).Seconds(), 0)) + " ago"
	}
	if len(st.Running) > 0 {
		f := st.Running[0]
		doing = words.Visible(f.Fit) + " " + f.Phase
		if f.Expected > 0 {
			doing += fmt.Sprintf(" %.0f %%", 100*f.Share())
		}
		if more := len(st.Running) - 1; more > 0 {
			doing += fmt.Sprintf(" and %d more", more)
		}
	}
	return []string{strconv.Itoa(st.Shard), st.State, strconv.Itoa(st.Fits), strconv.Itoa(st.Done),
		strconv.Itoa(st.Failed), left, updated, doing}
}

// secondsWords writes a number of seconds as 42s, 3m05s or 2h07m.
func secondsWords(s float64) string {
	d := time.Duration(math.Min(s, 1e9) * float64(time.Second)).Round(time.Second)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
}
