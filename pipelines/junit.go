package pipelines

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"glmbatch/internal/outfile"
)

// WriteJUnit writes the fits of runs as tests to a file in the XML of JUnit, for the machines that run builds: a
// suite a run, a test a fit. A fit that fails its gates is a failure, one that could not be computed or stored an
// error, an unchanged one is skipped; what a warning says is the test's output. Each run has a test "run" too, with
// an error if the exit code is above 1: it was stopped, or the ledger, its copy or its page was not written. So a
// file without failures and errors is one of runs that ended with 0. Dry runs are left out. The file takes the old
// one's place by a rename.
func WriteJUnit(path string, outcomes []*Outcome) error {
	all := junitFile{}
	for _, o := range outcomes {
		if !o.DryRun {
			all.Suites = append(all.Suites, junitOf(o))
		}
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	encoder := xml.NewEncoder(&b)
	encoder.Indent("", "  ")
	if err := encoder.Encode(all); err != nil {
		return fmt.Errorf("junit: %w", err)
	}
	b.WriteByte('\n')
	// The file is read by other users, as that of metrics is.
	err := outfile.Write(path, 0o644, func(f *os.File) error {
		_, err := f.Write(b.Bytes())
		return err
	})
	if err != nil {
		return fmt.Errorf("junit: %w", err)
	}
	return nil
}

// The elements, in the order and with the attributes that the schemas of Ant, Jenkins and Maven share.
type junitFile struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Timestamp  string          `xml:"timestamp,attr"` // UTC, without a zone, as the schema has it
	Host       string          `xml:"hostname,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Time       string          `xml:"time,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
	Out        string          `xml:"system-out"`
	Err        string          `xml:"system-err"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name    string      `xml:"name,attr"`
	Class   string      `xml:"classname,attr"`
	Time    string      `xml:"time,attr"`
	Skipped *junitState `xml:"skipped"`
	Error   *junitState `xml:"error"`
	Failure *junitState `xml:"failure"`
	Out     string      `xml:"system-out,omitempty"`
}

type junitState struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

func junitOf(o *Outcome) junitSuite {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	s := junitSuite{Name: o.Pipeline, Timestamp: o.Started.UTC().Format("2006-01-02T15:04:05"), Host: host,
		Time: junitTime(o.Finished.Sub(o.Started).Seconds()),
		Properties: []junitProperty{{"run", o.RunID}, {"database", o.Database}, {"exit_code", strconv.Itoa(o.ExitCode)},
			{"version", Version().String()}}}
	if o.Shard != nil {
		s.Properties = append(s.Properties, junitProperty{"shard", strconv.Itoa(*o.Shard)})
	}
	for _, f := range o.Fits {
		s.add(junitFit(o, f))
	}
	run := junitCase{Name: "run", Class: o.Pipeline, Time: s.Time}
	if o.ExitCode > 1 {
		why := []string{"exit code " + strconv.Itoa(o.ExitCode), o.Unrecorded, o.Unpublished, o.Unreported}
		why = slices.DeleteFunc(append(why, o.Missing...), func(s string) bool { return s == "" })
		run.Error = junitBecause("run", why)
	}
	s.add(run)
	return s
}

func (s *junitSuite) add(c junitCase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	switch {
	case c.Error != nil:
		s.Errors++
	case c.Failure != nil:
		s.Failures++
	case c.Skipped != nil:
		s.Skipped++
	}
}

// junitFit is the test of one fit. Its verdict counts before what the run did about it: an unchanged fit that failed
// is a failure, as it is for the exit code.
func junitFit(o *Outcome, f *Result) junitCase {
	class := []string{o.Pipeline, f.Dataset}
	if f.Key != "" {
		class = append(class, f.Key)
	}
	c := junitCase{Name: f.Sampler, Class: strings.Join(append(class, f.Model), "/"), Time: junitTime(f.Times.Wall)}
	if f.Replicate > 1 {
		c.Name += " (replicate " + strconv.Itoa(f.Replicate) + ")"
	}
	switch {
	case f.Verdict == "error" || f.Action == Uncommitted || f.Action == Interrupted:
		c.Error = junitBecause(f.Action, f.Reasons)
	case f.Verdict == "fail":
		c.Failure = junitBecause("gates", f.Reasons)
	case f.Action == Skipped:
		c.Skipped = &junitState{Message: "unchanged, " + f.Verdict}
	}
	said := f.Warnings
	if f.Verdict == "warn" {
		said = append(append([]string{}, f.Reasons...), said...)
	}
	c.Out = strings.Join(said, "\n")
	return c
}

// junitBecause is a failure or an error: its first line is the message.
func junitBecause(kind string, reasons []string) *junitState {
	text := strings.Join(reasons, "\n")
	if text == "" {
		text = kind
	}
	first, _, _ := strings.Cut(text, "\n")
	return &junitState{Message: first, Type: kind, Text: text}
}

func junitTime(seconds float64) string {
	return strconv.FormatFloat(max(seconds, 0), 'f', 3, 64)
}
