package pipelines_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"glmbatch/pipelines"
)

// otlpSpan is a span of OTLP's JSON form. Numbers of 64 bits are text there (ProtoJSON), identities hexadecimal.
type otlpSpan struct {
	TraceID    string `json:"traceId"`
	SpanID     string `json:"spanId"`
	ParentID   string `json:"parentSpanId"`
	Name       string `json:"name"`
	Kind       int    `json:"kind"`
	Start      string `json:"startTimeUnixNano"`
	End        string `json:"endTimeUnixNano"`
	Attributes []struct {
		Key   string                     `json:"key"`
		Value map[string]json.RawMessage `json:"value"`
	} `json:"attributes"`
	Status struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"status"`
	began, ended int64
	attributes   map[string]string
}

type otlpMessage struct {
	ResourceSpans []struct {
		Resource   struct{ Attributes []json.RawMessage }
		ScopeSpans []struct {
			Scope struct{ Name, Version string }
			Spans []*otlpSpan
		}
	}
}

var hexID = regexp.MustCompile(`^[0-9a-f]+$`)

// readTrace reads a file of messages, and holds it against the JSON form of OTLP.
func readTrace(t *testing.T, path string) (spans []*otlpSpan) {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	for line := range strings.Lines(string(text)) {
		var m otlpMessage
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&m); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		for _, s := range m.ResourceSpans[0].ScopeSpans[0].Spans {
			var errs [2]error
			s.began, errs[0] = strconv.ParseInt(s.Start, 10, 64)
			s.ended, errs[1] = strconv.ParseInt(s.End, 10, 64)
			if errs[0] != nil || errs[1] != nil || s.ended < s.began || s.Kind != 1 || len(s.TraceID) != 32 || len(s.SpanID) != 16 || !hexID.MatchString(s.TraceID+s.SpanID) {
				t.Errorf("span %+v", s)
			}
			s.attributes = map[string]string{}
			for _, a := range s.Attributes {
				for kind, v := range a.Value {
					s.attributes[a.Key] = string(v)
					if quoted := v[0] == '"'; quoted != (kind != "doubleValue") || !strings.HasPrefix(a.Key, "glmbatch.") {
						t.Errorf("attribute %s is %s %s", a.Key, kind, v)
					}
				}
			}
			spans = append(spans, s)
		}
	}
	return spans
}

// A run's trace is a tree: each span lies within the one above it, and what was drawn is below its fit.
func TestTrace(t *testing.T) {
	f := newFolder(t, fmt.Sprintf(quick, `claims: {path: claims.csv, by: [region]}
  gone: {path: gone.csv}`))
	path := f.path("t.jsonl")
	out := f.run(pipelines.RunOptions{Workers: 2})
	must(t, pipelines.WriteTrace(path, []*pipelines.Outcome{out}, "nonsense"))
	spans := readTrace(t, path)
	at, names := map[string]*otlpSpan{}, map[string]int{}
	for _, s := range spans {
		if at[s.SpanID] != nil {
			t.Errorf("two spans are %s", s.SpanID)
		}
		at[s.SpanID] = s
	}
	for _, s := range spans {
		up := at[s.ParentID]
		if (up == nil) != (s.Name == "run") || s.TraceID != spans[0].TraceID {
			t.Fatalf("span %s is below %q", s.Name, s.ParentID)
		}
		if up == nil {
			names[s.Name]++
			continue
		}
		names[up.Name+" "+s.Name]++
		if s.began < up.began || s.ended > up.ended {
			t.Errorf("%s from %d to %d is not within %s from %d to %d", s.Name, s.began, s.ended, up.Name, up.began, up.ended)
		}
		if s.Name == "fit" {
			bad := s.attributes["glmbatch.action"] != `"computed"`
			if (s.Status.Code == 2) != bad || (s.Status.Message != "") != bad {
				t.Errorf("the status of %s is %+v", s.attributes["glmbatch.fit"], s.Status)
			}
		}
	}
	const fits, drawn = 4, 2 // claims has a group that no poisson model takes
	for name, want := range map[string]int{"run": 1, "run fit": fits, "fit reading": fits, "fit set-up": drawn, "fit sampling": drawn, "sampling chain": 3 * drawn, "fit diagnosing": drawn, "fit committing": drawn} {
		if names[name] != want {
			t.Errorf("%d spans %q, want %d: %v", names[name], name, want, names)
		}
	}
	if s := spans[0]; s.Status.Code != 2 || s.attributes["glmbatch.exit_code"] != `"1"` || s.attributes["glmbatch.run"] != strconv.Quote(out.RunID) {
		t.Errorf("the run is %+v", s)
	}
	checkNames(t, path, out, spans)
}

// checkNames writes a run twice more: it has the same names, and below a caller's span it belongs to the caller's trace.
func checkNames(t *testing.T, path string, out *pipelines.Outcome, spans []*otlpSpan) {
	t.Helper()
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	must(t, pipelines.WriteTrace(path, []*pipelines.Outcome{out}, ""))
	must(t, pipelines.WriteTrace(path, []*pipelines.Outcome{out, {DryRun: true}}, parent))
	all := readTrace(t, path)
	if n := len(spans); len(all) != 3*n || all[n].SpanID != spans[0].SpanID || all[2*n-1].SpanID != spans[n-1].SpanID {
		t.Errorf("%d spans, want 3 × %d of the same names twice", len(all), n)
	}
	if s := all[2*len(spans)]; s.TraceID != parent[3:35] || s.ParentID != parent[36:52] || s.SpanID == spans[0].SpanID {
		t.Errorf("below %s the run is %+v", parent, s)
	}
}

// Parents that W3C's Trace Context calls invalid are ignored, and invalid numbers are left out.
func TestTraceOfOddOnes(t *testing.T) {
	out := &pipelines.Outcome{RunID: "r", Started: time.Unix(1, 0), Finished: time.Unix(2, 0), Fits: []*pipelines.Result{
		{Dataset: "\xff\"<", RHatMax: pipelines.Number(math.NaN()), ESSBulkMin: pipelines.Number(math.Inf(1)), Stages: nil}}}
	for i, parent := range []string{"", "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-00000000000000000000000000000000-b7ad6b7169203331-01",
		"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", "x00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"} {
		path := filepath.Join(t.TempDir(), "t.jsonl")
		must(t, pipelines.WriteTrace(path, []*pipelines.Outcome{out}, parent))
		if s := readTrace(t, path); len(s) != 1 || s[0].ParentID != "" {
			t.Errorf("parent %d: %+v", i, s[0])
		}
	}
}
