package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"glmbatch/internal/words"
	"glmbatch/pipelines"
)

// An exit is one exit code of a verb and what it says.
type exit struct {
	code    int
	meaning string
}

// What many verbs share.
var (
	done        = exit{pipelines.ExitPass, "done"}
	broken      = exit{pipelines.ExitFail, "the work itself went wrong"}
	usage       = exit{pipelines.ExitUsage, "the call is wrong, or what it names is not there or damaged"}
	held        = exit{pipelines.ExitUncommitted, "another process held the ledger"}
	interrupted = exit{pipelines.ExitInterrupted, "interrupted"}
	badSpec     = exit{pipelines.ExitUsage,
		"the spec or the call is wrong, and nothing was done; or the ledger is damaged"}
	drawn = exit{pipelines.ExitUncommitted,
		"something is drawn but not committed, or the ledger could not be published, or its report not be written"}
	kept  = exit{pipelines.ExitInterrupted, "interrupted; what was drawn is kept"}
	asked = []exit{done, broken, usage, held, interrupted} // of verbs that ask a ledger
)

// exits are the exit codes of each verb: help prints them, and so does
// docs/reference/cli.md.
var exits = map[string][]exit{
	"run": {{pipelines.ExitPass, "every fit passes its gates, warnings included"},
		{pipelines.ExitFail, "some fit failed or erred"}, badSpec, drawn, kept},
	"retry": {{pipelines.ExitPass, "every fit that was retried passes, or there was none"},
		{pipelines.ExitFail, "some fit failed or erred"}, badSpec, drawn, kept},
	"commit": {{pipelines.ExitPass, "nothing waits, and what was loaded passes"},
		{pipelines.ExitFail, "some fit that was loaded failed"}, badSpec, drawn, interrupted},
	"check": {{pipelines.ExitPass, "no fit failed"}, {pipelines.ExitFail, "some fit failed or erred"},
		{pipelines.ExitUsage, "the spec or the call is wrong, a prior is flat, or the ledger is damaged"}, held, interrupted},
	"validate": {{pipelines.ExitPass, "every fit of every spec would draw"},
		{pipelines.ExitUsage, "some spec or its data are wrong, or the call is"}, interrupted},
	"compare": {{pipelines.ExitPass, "no two samplers disagree"},
		{pipelines.ExitFail, "two samplers disagree: one of them is wrong, or failed its own gates"}, usage, held,
		interrupted},
	"drift": {{pipelines.ExitPass, "shown, whatever moved"}, broken, usage, held, interrupted},
	"init": {{pipelines.ExitPass, "the spec is written"}, broken,
		{pipelines.ExitUsage, "the file cannot be read or has no response, or the spec is there already"}},
	"report": {{pipelines.ExitPass, "the page is written, whatever the verdicts in it"}, broken, usage, held,
		interrupted},
	"explain": {{pipelines.ExitPass, "told"}, broken, {pipelines.ExitUsage, "the spec or the call is wrong"}},
	"show":    {{pipelines.ExitPass, "shown, whatever the verdicts"}, broken, usage, held, interrupted},
	"runs":    {{pipelines.ExitPass, "listed, whatever the runs' exit codes"}, broken, usage, held, interrupted},
	"prune":   asked,
	"verify": {{pipelines.ExitPass, "all that is in use is what was written"}, broken,
		{pipelines.ExitUsage, "the ledger is damaged, is not there, or the call is wrong"}, held, interrupted},
	"sql":     asked,
	"predict": asked,
	"export":  asked,
	"import":  {{pipelines.ExitPass, "stored, whatever its verdict"}, broken, usage, held, interrupted},
	"list":    {done, usage},
	"version": {done, usage},
}

// tellExits puts the exit codes of each verb below its description.
func tellExits(root *cobra.Command) {
	for _, c := range root.Commands() {
		var codes []string
		for _, e := range exits[c.Name()] {
			codes = append(codes, fmt.Sprintf("%d %s", e.code, e.meaning))
		}
		if len(codes) > 0 {
			c.Long = strings.TrimRight(c.Long, "\n") + "\n\n" +
				strings.Join(words.Break("Exit codes: "+strings.Join(codes, ", ")+".", 80, 80), "\n")
		}
	}
}
