package main

import (
	"flag"
	"io"
	"slices"
	"strings"
	"testing"
)

// Flags may precede and follow the argument, as in the documentation; those of plan follow "--".
func TestArguments(t *testing.T) {
	for call, want := range map[string]string{
		"--shards 7 s.yaml":                     "s.yaml",
		"s.yaml --shards 7":                     "s.yaml",
		"s.yaml --shards 7 -- --database d.db":  "s.yaml -- --database d.db",
		"--shards 7 s.yaml -- --shards 9 x":     "s.yaml -- --shards 9 x",
		"a --shards 7 b":                        "a b",
		"--shards 7 -- --database s.yaml":       "-- --database s.yaml",
		"--shards=7":                            "",
		"s.yaml --shards 7 --else where -- any": "error",
	} {
		c := &command{flags: flag.NewFlagSet("night", flag.ContinueOnError)}
		c.flags.SetOutput(io.Discard)
		shards := c.flags.Int("shards", 1, "")
		rest, err := c.arguments(strings.Fields(call))
		if err != nil {
			rest = []string{"error"}
		}
		if !slices.Equal(rest, strings.Fields(want)) || *shards != 7 {
			t.Errorf("%s: %q, %d shards, %v", call, rest, *shards, err)
		}
	}
}
