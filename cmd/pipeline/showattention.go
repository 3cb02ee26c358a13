package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"

	"glmbatch/internal/words"
	"glmbatch/pipelines"
)

// attention writes the fits that a person has to look at, in a format.
func (a *app) attention(ctx context.Context, database, pipeline, format string) error {
	rows, err := pipelines.NeedsAttention(ctx, database, pipeline)
	if err != nil {
		return work(err)
	}
	switch format {
	case "json":
		return indented(a.stdout, rows)
	case "csv":
		return csvAttention(a.stdout, rows)
	}
	s := a.screen()
	if len(rows) == 0 {
		s.sentence("  ", "no fit needs attention")
		return nil
	}
	printAttention(s, rows)
	return nil
}

// printAttention prints a line for each fit that a person has to look at, with what to do.
func printAttention(s *screen, rows []pipelines.Attention) {
	of := pipelineOf(rows, func(r *pipelines.Attention) string { return r.Pipeline })
	g := head("state", "since (UTC)", "name", "why")
	g.flow, g.Below = true, true
	g.colour = func(row, col int) string {
		if row == 0 || col != 0 {
			return ""
		}
		if rows[row-1].State == "fail" {
			return gradeColour("fail")
		}
		return gradeColour("error")
	}
	for i := range rows {
		r := &rows[i]
		g.Add(r.State, r.Attempted.UTC().Format("2006-01-02 15:04"),
			of(r.Pipeline)+nameOf(r.Dataset, r.Group, r.Model, r.Sampler), words.Visible(r.Reason+"; "+r.Remedy))
	}
	g.shorten(2, s.width)
	g.print(s)
	fmt.Fprintf(s, "\n%s of a person\n", needWords(len(rows)))
}

// needWords says how many fits need something.
func needWords(n int) string {
	if n == 1 {
		return "1 fit needs the attention"
	}
	return plural(n, "fit") + " need the attention"
}

func csvAttention(w io.Writer, rows []pipelines.Attention) error {
	lines := [][]string{{"pipeline", "dataset", "key", "model", "sampler", "state", "reason", "remedy", "attempted",
		"created", "fit_id", "run"}}
	for i := range rows {
		r := &rows[i]
		created, id := "", ""
		if r.Created != nil {
			created, id = r.Created.UTC().Format(time.RFC3339), strconv.FormatInt(r.ID, 10)
		}
		lines = append(lines, []string{r.Pipeline, r.Dataset, r.Group, r.Model, r.Sampler, r.State, r.Reason, r.Remedy,
			r.Attempted.UTC().Format(time.RFC3339), created, id, r.RunID})
	}
	return csv.NewWriter(w).WriteAll(lines)
}
