package pipelines_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"glmbatch/pipelines"
)

// junitElement is an element of the file as it is written.
type junitElement struct {
	XMLName    xml.Name
	Attributes []xml.Attr     `xml:",any,attr"`
	Children   []junitElement `xml:",any"`
	Text       string         `xml:",chardata"`
}

func (e *junitElement) get(name string) string {
	for _, a := range e.Attributes {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return "(none)"
}

// junitSchema is the common part of the schemas of Ant's and Jenkins' readers: for each element its required
// attributes, and its children in their order.
var junitSchema = map[string]struct{ attributes, children string }{
	"testsuites": {"", "testsuite"},
	"testsuite":  {"name timestamp hostname tests failures errors skipped time", "properties testcase system-out system-err"},
	"properties": {"", "property"},
	"property":   {"name value", ""},
	"testcase":   {"name classname time", "skipped error failure system-out"},
	"skipped":    {"message", ""},
	"error":      {"message type", ""},
	"failure":    {"message type", ""},
	"system-out": {"", ""},
	"system-err": {"", ""},
}

// junitFaults holds an element against the schema, and a suite's counts against its tests.
func junitFaults(e *junitElement) (faults []string) {
	name := e.XMLName.Local
	rule, ok := junitSchema[name]
	if !ok {
		return []string{"element " + name + " is not known"}
	}
	for _, want := range strings.Fields(rule.attributes) {
		if e.get(want) == "(none)" {
			faults = append(faults, name+" has no "+want)
		}
	}
	if len(e.Attributes) != len(strings.Fields(rule.attributes)) {
		faults = append(faults, fmt.Sprintf("%s has attributes %v", name, e.Attributes))
	}
	last, states := 0, 0
	counts := map[string]int{}
	for i := range e.Children {
		child := &e.Children[i]
		at := slices.Index(strings.Fields(rule.children), child.XMLName.Local)
		if at < last {
			faults = append(faults, child.XMLName.Local+" is out of place in "+name)
		}
		last = at
		if name == "testcase" && child.XMLName.Local != "system-out" {
			states++
		}
		for _, grandchild := range child.Children {
			counts[grandchild.XMLName.Local]++
		}
		counts[child.XMLName.Local]++
		faults = append(faults, junitFaults(child)...)
	}
	if states > 1 {
		faults = append(faults, "a test has more than one state")
	}
	if name == "testsuite" {
		for attribute, element := range map[string]string{"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"} {
			if e.get(attribute) != strconv.Itoa(counts[element]) {
				faults = append(faults, fmt.Sprintf("%s are %s, and there are %d", attribute, e.get(attribute), counts[element]))
			}
		}
		if _, err := time.Parse("2006-01-02T15:04:05", e.get("timestamp")); err != nil {
			faults = append(faults, err.Error())
		}
	}
	return faults
}

func junit(t *testing.T, outcomes ...*pipelines.Outcome) *junitElement {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fits.xml")
	must(t, pipelines.WriteJUnit(path, outcomes))
	text, err := os.ReadFile(path)
	must(t, err)
	var e junitElement
	d := xml.NewDecoder(strings.NewReader(string(text)))
	if err := d.Decode(&e); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) && err != nil {
		t.Errorf("behind the root: %v", err)
	}
	if faults := junitFaults(&e); len(faults) > 0 {
		t.Errorf("%s\n%s", strings.Join(faults, "\n"), text)
	}
	return &e
}

// A test has the names of its fit and what became of it, whatever the names hold.
func TestJUnit(t *testing.T) {
	hostile := "q\"uo\\te\n<&>]]> \x1b[31m \xff ünïcode \x00"
	out := &pipelines.Outcome{Pipeline: "p", RunID: "r", Started: time.Unix(1_700_000_000, 0), Finished: time.Unix(1_700_000_060, 500_000_000), Fits: []*pipelines.Result{
		{Dataset: "d", Model: "m", Sampler: "s", Action: "computed", Verdict: "pass"},
		{Dataset: "d", Key: hostile, Model: hostile, Sampler: hostile, Action: "computed", Verdict: "fail", Reasons: []string{"rhat: " + hostile, "second"}, Warnings: []string{"w"}},
		{Dataset: "d", Model: "m", Sampler: "s", Replicate: 2, Action: "computed", Verdict: "warn", Reasons: []string{"why"}, Warnings: []string{"besides"}},
		{Dataset: "e", Model: "m", Sampler: "s", Action: "error", Verdict: "error", Reasons: []string{"no such file\nhint: look"}},
		{Dataset: "f", Model: "m", Sampler: "s", Action: "skipped", Verdict: "pass"},
		{Dataset: "g", Model: "m", Sampler: "s", Action: "skipped", Verdict: "fail", Reasons: []string{"still"}},
		{Dataset: "h", Model: "m", Sampler: "s", Action: "uncommitted"},
	}}
	out.Fits[0].Times.Wall = 1.25
	out.Complete(false)
	e := junit(t, &pipelines.Outcome{Pipeline: "dry", DryRun: true}, out)
	if len(e.Children) != 1 {
		t.Fatalf("%d suites, want 1", len(e.Children))
	}
	var got []string
	for _, c := range e.Children[0].Children {
		if c.XMLName.Local != "testcase" {
			continue
		}
		line := c.get("classname") + " " + c.get("name") + " " + c.get("time")
		for _, s := range c.Children {
			line += " " + s.XMLName.Local + " " + strings.TrimPrefix(s.get("message"), "(none)") + " " + s.Text
		}
		got = append(got, line)
	}
	h := "q\"uo\\te\n<&>]]> �[31m � ünïcode �"
	first, _, _ := strings.Cut("rhat: "+h, "\n")
	want := []string{
		"p/d/m s 1.250",
		"p/d/" + h + "/" + h + " " + h + " 0.000 failure " + first + " rhat: " + h + "\nsecond system-out  w",
		"p/d/m s (replicate 2) 0.000 system-out  why\nbesides",
		"p/e/m s 0.000 error no such file no such file\nhint: look",
		"p/f/m s 0.000 skipped unchanged, pass ",
		"p/g/m s 0.000 failure still still",
		"p/h/m s 0.000 error uncommitted uncommitted",
		"p run 60.500 error exit code 3 exit code 3",
	}
	if !slices.Equal(got, want) {
		t.Errorf("tests are\n%q\nwant\n%q", got, want)
	}
}

// A file has failures or errors just where the run did not end with 0.
func TestJUnitAgreesWithTheExitCode(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	red := 0
	for range 300 {
		out := &pipelines.Outcome{Pipeline: "p"}
		for range rng.IntN(4) {
			f := &pipelines.Result{Dataset: "d", Model: "m", Sampler: "s", Action: pick("computed", "skipped", "committed", "computed", "interrupted", "uncommitted", "error")}
			switch f.Action {
			case "error":
				f.Verdict = "error"
			case "computed", "skipped", "committed":
				f.Verdict = pick("pass", "warn", "pass", "warn", "fail")
			}
			out.Fits = append(out.Fits, f)
		}
		out.Complete(rng.IntN(5) == 0)
		if rng.IntN(5) == 0 {
			out.Unrecord(errors.New("the disk is full"))
		}
		suite := junit(t, out).Children[0]
		if good := suite.get("failures") == "0" && suite.get("errors") == "0"; good != (out.ExitCode == 0) {
			t.Fatalf("exit code %d, %s failures, %s errors", out.ExitCode, suite.get("failures"), suite.get("errors"))
		}
		if out.ExitCode != 0 {
			red++
		}
	}
	if red < 30 || red > 270 {
		t.Errorf("%d of 300 runs are red: the test sees one side only", red)
	}
}
