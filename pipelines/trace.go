package pipelines

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// WriteTrace appends what runs did when to a file, as spans of OpenTelemetry: a run, below it its fits, below these
// their phases, and below a phase that samples its chains. Lines are those of the collector's file exporter
// (OTLP in JSON, one message a line): a line a run, and a line a fit, so that none grows with the number of fits.
//
// The trace's name follows from the run's, and so do those of spans: a run has one trace however often it is
// written. parent is the traceparent of a caller (W3C Trace Context), whose trace and span the run then belongs to;
// an invalid one is ignored, as that standard asks. Dry runs are left out.
func WriteTrace(path string, outcomes []*Outcome, parent string) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	for _, o := range outcomes {
		if o.DryRun {
			continue
		}
		for _, spans := range newTrace(o, parent).spans() {
			if err := encoder.Encode(otlp(spans)); err != nil {
				return fmt.Errorf("trace: %w", err)
			}
		}
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.Write(b.Bytes())
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	return nil
}

// span is one of OTLP in its JSON form: identities in hexadecimal, times as text.
type span struct {
	TraceID    string      `json:"traceId"`
	SpanID     string      `json:"spanId"`
	ParentID   string      `json:"parentSpanId,omitempty"`
	Name       string      `json:"name"`
	Kind       int         `json:"kind"`
	Start      string      `json:"startTimeUnixNano"`
	End        string      `json:"endTimeUnixNano"`
	Attributes []otlpValue `json:"attributes,omitempty"`
	Status     otlpStatus  `json:"status"`
}

type otlpStatus struct {
	Code    int    `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

// Numbers of the enumerations of OTLP.
const (
	kindInternal = 1
	statusError  = 2
)

type otlpValue struct {
	Key   string         `json:"key"`
	Value map[string]any `json:"value"`
}

// otlp is a message of spans.
func otlp(spans []span) any {
	type object = map[string]any
	v := Version()
	return object{"resourceSpans": []object{{
		"resource": object{"attributes": attributes("service.name", "glmbatch", "service.version", v.Version)},
		"scopeSpans": []object{{
			"scope": object{"name": "glmbatch", "version": v.Version}, "spans": spans,
		}},
	}}}
}

// attributes are names and values in turn; what is empty, zero or no number is left out.
func attributes(pairs ...any) (out []otlpValue) {
	for i := 0; i < len(pairs); i += 2 {
		value := map[string]any{}
		switch v := pairs[i+1].(type) {
		case string:
			if v != "" {
				value["stringValue"] = strings.ToValidUTF8(v, "�")
			}
		case int:
			if v != 0 {
				value["intValue"] = strconv.Itoa(v)
			}
		case float64:
			if v != 0 && !math.IsNaN(v) && !math.IsInf(v, 0) {
				value["doubleValue"] = v
			}
		}
		if len(value) > 0 {
			out = append(out, otlpValue{pairs[i].(string), value})
		}
	}
	return out
}

// trace makes the spans of one run.
type trace struct {
	*Outcome
	id, parent string
}

var traceParent = regexp.MustCompile(`^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}`)

func newTrace(o *Outcome, parent string) *trace {
	t := &trace{Outcome: o, id: identity(16, o.RunID)}
	m := traceParent.FindStringSubmatch(parent)
	if m != nil && !strings.HasPrefix(parent, "ff") && strings.Trim(m[1], "0") != "" && strings.Trim(m[2], "0") != "" {
		t.id, t.parent = m[1], m[2]
	}
	return t
}

// identity hashes path to a hexadecimal name of size bytes.
func identity(size int, path ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(path, "\x00")))
	return hex.EncodeToString(sum[:size])
}

// spans are those of the run, and then of each fit.
func (t *trace) spans() [][]span {
	run := t.span("run", t.parent, t.Started, t.Finished)
	shard := ""
	if t.Shard != nil { // gather writes the span of the run
		shard = strconv.Itoa(*t.Shard)
		run = t.span("shard", run.SpanID, t.began(), t.Finished, shard)
	}
	run.Attributes = attributes("glmbatch.run", t.RunID, "glmbatch.pipeline", t.Pipeline, "glmbatch.database", t.Database,
		"glmbatch.shard", shard, "glmbatch.fits", len(t.Fits), "glmbatch.exit_code", t.ExitCode)
	if t.ExitCode != 0 {
		run.Status = otlpStatus{statusError, "exit code " + strconv.Itoa(t.ExitCode)}
	}
	out := [][]span{{run}}
	for i, f := range t.Fits {
		if len(f.Stages) > 0 {
			out = append(out, t.fit(run.SpanID, strconv.Itoa(i), f))
		}
	}
	return out
}

// began is when the first fit began; the end of the run if no fit was drawn now.
func (t *trace) began() time.Time {
	first := t.Finished
	for _, f := range t.Fits {
		if len(f.Stages) > 0 && f.Stages[0].Began.Before(first) {
			first = f.Stages[0].Began
		}
	}
	return first
}

// span is a span below parent; path distinguishes it from others of its name there.
func (t *trace) span(name, parent string, began, ended time.Time, path ...string) span {
	nanos := func(at time.Time) string { return strconv.FormatInt(at.UnixNano(), 10) }
	id := identity(8, append([]string{t.RunID, parent, name}, path...)...)
	return span{TraceID: t.id, SpanID: id, ParentID: parent, Name: name, Kind: kindInternal, Start: nanos(began),
		End: nanos(ended)}
}

// fit is the span of a fit and those of its phases and chains.
func (t *trace) fit(run, place string, f *Result) []span {
	ended := f.Stages[0].Ended
	for _, s := range f.Stages {
		if s.Ended.After(ended) {
			ended = s.Ended
		}
	}
	fit := t.span("fit", run, f.Stages[0].Began, ended, place)
	fit.Attributes = attributes("glmbatch.fit", f.Name(), "glmbatch.dataset", f.Dataset, "glmbatch.key", f.Key,
		"glmbatch.model", f.Model, "glmbatch.sampler", f.Sampler, "glmbatch.replicate", f.Replicate,
		"glmbatch.method", f.Method, "glmbatch.fingerprint", f.Fingerprint,
		"glmbatch.fit_id", int(f.ID), "glmbatch.action", f.Action,
		"glmbatch.verdict", f.Verdict, "glmbatch.rows", f.Rows, "glmbatch.columns", f.Columns, "glmbatch.chains", f.Chains,
		"glmbatch.draws", f.Draws, "glmbatch.cpu_seconds", f.Seconds, "glmbatch.rhat_max", float64(f.RHatMax),
		"glmbatch.ess_bulk_min", float64(f.ESSBulkMin), "glmbatch.divergences", f.Divergences)
	if f.Verdict == "error" || f.Verdict == "fail" || f.Action == Uncommitted || f.Action == Interrupted {
		fit.Status = otlpStatus{statusError, strings.ToValidUTF8(strings.Join(f.Reasons, "\n"), "�")}
	}
	out := []span{fit}
	phase := fit.SpanID
	for i, s := range f.Stages {
		below := phase
		if s.Chain == 0 {
			below = fit.SpanID
		}
		one := t.span(s.Name, below, s.Began, s.Ended, strconv.Itoa(i))
		one.Attributes = attributes("glmbatch.chain", s.Chain, "glmbatch.iterations", s.Iterations)
		if s.Chain == 0 {
			phase = one.SpanID
		}
		out = append(out, one)
	}
	return out
}
