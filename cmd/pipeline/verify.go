package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"glmbatch/pipelines"
)

func (a *app) verifyCommand() *cobra.Command {
	var f common
	var lockWait time.Duration
	c := &cobra.Command{
		Use:   "verify [SPEC|NAME]",
		Short: "Read all of a ledger, and hold draws against their checksums",
		Long: `verify reads the whole file, where other verbs read what they are asked for, and
holds the draws of every fit against the checksums that were stored with them. It
says which blocks and which fits are not what was written. A block that holds
nothing does no harm.

run and commit read every block before they believe a stored verdict, and publish
reads the copy before it takes the place of the last one; neither looks at draws.`,
		Example: `  pipeline verify --database posteriors.duckdb`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			database, err := f.ledger(args)
			if err != nil {
				return err
			}
			v, err := pipelines.Verify(c.Context(), database, lockWait)
			if v != nil {
				for _, damage := range v.Damage {
					fmt.Fprintln(a.stdout, clean(damage))
				}
				for _, block := range v.Unused {
					fmt.Fprintf(a.stdout, "block %d of %d is not what was written, and holds nothing: no harm\n", block, v.Blocks)
				}
			}
			if err != nil {
				return work(err)
			}
			_, err = fmt.Fprintf(a.stdout, "%s of the file and %s of %s are what was written\n", plural(v.Blocks, "block"),
				plural(int(v.Draws), "draw value"), plural(v.Fits, "fit"))
			return err
		},
	}
	f.register(c)
	lockWaitFlag(c, &lockWait)
	return c
}
