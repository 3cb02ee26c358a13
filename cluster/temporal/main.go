package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
)

// usage is printed for a wrong call, and by -h. Each verb lists its flags by VERB -h.
const usage = `usage: glmbatch-temporal VERB [flags] …

  worker                    carry out shards, and plan and gather nights
  night [flags] SPEC|DIR    plan a spec into --to, or go on with a planned folder, and wait for it
  schedule [flags] SPEC     start a night at each time of --cron
  progress ID               how far a night is
  cancel ID                 end a night in order

Flags of "pipeline plan" follow "--". The server and its certificates are read from TEMPORAL_ADDRESS,
TEMPORAL_NAMESPACE, TEMPORAL_TLS_… and TEMPORAL_API_KEY, or from Temporal's configuration file, as by all its tools.

Exit codes of night are those of pipeline: 0, 1 if a fit failed, 2 if something is wrong for good, 3 if shards failed
or the night was cancelled, in which case the same call does the rest.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// command holds the inputs of all commands.
type command struct {
	flags  *flag.FlagSet
	queue  string
	stdout io.Writer
	client.Client
}

var verbs = map[string]func(*command, context.Context, []string) (int, error){
	"worker": (*command).worker, "night": (*command).night, "schedule": (*command).schedule,
	"progress": (*command).progress, "cancel": (*command).cancel,
}

// errUsage is a wrong call, whose text the flags have printed.
var errUsage = errors.New("wrong call")

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 || verbs[args[0]] == nil {
		fmt.Fprint(stderr, usage)
		return 2
	}
	c := &command{flags: flag.NewFlagSet(args[0], flag.ContinueOnError), stdout: stdout}
	c.flags.SetOutput(stderr)
	c.flags.StringVar(&c.queue, "queue", "glmbatch", "task queue of the nights")
	code, err := verbs[args[0]](c, ctx, args[1:])
	if c.Client != nil {
		c.Close()
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		return 2
	case err != nil:
		fmt.Fprintf(stderr, "glmbatch-temporal %s: %v\n", args[0], err)
		return max(code, 2)
	}
	return code
}

// arguments reads flags before, between and behind arguments. Arguments after "--" are returned too, with it.
func (c *command) arguments(args []string) (rest []string, err error) {
	end := slices.Index(args, "--")
	if end < 0 {
		end = len(args)
	}
	for mine := args[:end]; ; mine = c.flags.Args()[1:] {
		if err := c.flags.Parse(mine); err != nil {
			return nil, err
		}
		if c.flags.NArg() == 0 {
			return append(rest, args[end:]...), nil
		}
		rest = append(rest, c.flags.Arg(0))
	}
}

// parse reads flags, wants as many arguments as named, and connects to the server. Arguments after "--" are
// returned.
func (c *command) parse(args []string, names ...string) (rest []string, err error) {
	rest, err = c.arguments(args)
	if errors.Is(err, flag.ErrHelp) {
		return nil, err
	} else if err != nil {
		return nil, errUsage
	}
	if len(rest) < len(names) || len(rest) > len(names) && rest[len(names)] != "--" {
		fmt.Fprintf(c.flags.Output(), "usage: glmbatch-temporal %s [flags]", c.flags.Name())
		for _, name := range names {
			fmt.Fprint(c.flags.Output(), " "+name)
		}
		fmt.Fprintln(c.flags.Output())
		c.flags.PrintDefaults()
		return nil, errUsage
	}
	options, err := envconfig.LoadDefaultClientOptions()
	if err != nil {
		return nil, err
	}
	told := slog.NewTextHandler(c.flags.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})
	options.Logger = log.NewStructuredLogger(slog.New(told))
	c.Client, err = client.Dial(options)
	if err != nil {
		return nil, fmt.Errorf("no Temporal server at %q: %w", options.HostPort, err)
	}
	return rest, nil
}

// limitFlags are the flags that bound a night.
func (c *command) limitFlags(l *Limits) {
	*l = Limits{}.filled()
	c.flags.DurationVar((*time.Duration)(&l.Heartbeat), "heartbeat", time.Duration(l.Heartbeat),
		"how long a worker may be silent before its shard is given to another")
	c.flags.DurationVar((*time.Duration)(&l.Longest), "longest", time.Duration(l.Longest),
		"how long one attempt at a shard may last")
	c.flags.Func("attempts", fmt.Sprintf("how often a shard is tried (default %d)", l.Attempts), func(text string) error {
		_, err := fmt.Sscanf(text, "%d", &l.Attempts)
		return err
	})
	c.flags.IntVar(&l.Window, "window", l.Window, "how many shards are outstanding at the most")
	c.flags.IntVar(&l.Block, "block", l.Block, "how many shards one workflow looks after")
}

// exitCode is that of a night which ended with an error.
func exitCode(err error) int {
	var app *temporal.ApplicationError
	if errors.As(err, &app) && app.Type() == final {
		return 2
	}
	return 3
}
