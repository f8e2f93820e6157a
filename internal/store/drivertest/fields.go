package drivertest

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
)

func fieldChecks() []check {
	return []check{
		{"the_full_sample_sets_every_field", sampleIsFull},
		{"every_field_set", everyFieldSet},
		{"every_field_unset", everyFieldUnset},
		{"numbers_are_exact", exactNumbers},
		{"closed_and_open_sets", sets},
		{"metadata_survives", metadataSurvives},
	}
}

// sampleIsFull fails when a field was added to Memory and not to the sample:
// then no back end would be tested for it.
func sampleIsFull(t *testing.T, _ Harness) {
	m := full(1)
	m.Revision = 1
	requireSet(t, "Memory", reflect.ValueOf(*m))
	if err := m.Validate(); err != nil {
		t.Errorf("the sample is not valid: %v", err)
	}
}

func requireSet(t *testing.T, path string, v reflect.Value) {
	t.Helper()
	if v.IsZero() {
		t.Errorf("%s is not set in the full sample", path)
		return
	}
	_, isTime := reflect.TypeAssert[time.Time](v)
	switch {
	case v.Kind() == reflect.Struct && !isTime:
		for i := range v.NumField() {
			requireSet(t, path+"."+v.Type().Field(i).Name, v.Field(i))
		}
	case v.Kind() == reflect.Slice:
		if v.Len() == 0 {
			t.Errorf("%s is empty in the full sample", path)
		}
		if v.Type().Elem().Kind() == reflect.Struct {
			requireSet(t, path+"[0]", v.Index(0))
		}
	case v.Kind() == reflect.Map && v.Len() == 0:
		t.Errorf("%s is empty in the full sample", path)
	}
}

func everyFieldSet(t *testing.T, h Harness) {
	roundTrip(t, h, full(1))
}

func everyFieldUnset(t *testing.T, h Harness) {
	empty := bare(2)
	empty.Situation, empty.Tags = []string{}, []string{}
	empty.Accesses, empty.Metadata = []hippo.Access{}, map[string]json.RawMessage{}
	roundTrip(t, h, bare(1), empty)
}

// roundTrip puts ms and expects them back from Get and from Changes.
func roundTrip(t *testing.T, h Harness, ms ...*hippo.Memory) {
	t.Helper()
	b := h.fresh(t)
	want := cloneAll(ms)
	for i, m := range ms {
		if err := m.Validate(); err != nil {
			t.Errorf("sample %d is not valid: %v", i, err)
		}
	}
	put(t, b, ms...)
	for i, m := range ms {
		want[i].Revision = m.Revision
	}
	same(t, "memories put", ms, want)
	same(t, "get", get(t, b, idsOf(ms)...), want)
	same(t, "changes", existing(changes(t, b, 0)), want)
}

func exactNumbers(t *testing.T, h Harness) {
	var ms []*hippo.Memory
	for i, f := range []float64{
		0, 1, 0.1, 1.0 / 3, 1e-7, 1e-300, math.Nextafter(1, 0), math.SmallestNonzeroFloat64,
	} {
		m := plain(i)
		m.Importance.Base, m.Importance.Value = f, 1-f
		m.Surprise = hippo.Surprise{Score: f, Outlier: f / 3, Engagement: f, Explicit: f / 7, Loss: f}
		ms = append(ms, m)
	}
	big := plain(100)
	big.Version, big.Source.Seq = math.MaxInt32, math.MaxInt32
	big.Importance.SetDay = math.MaxInt32
	big.Accesses = []hippo.Access{{Day: math.MaxInt32 - 1, Count: 1}, {Day: math.MaxInt32, Count: math.MaxInt32}}
	roundTrip(t, h, append(ms, big)...)
}

func sets(t *testing.T, h Harness) {
	var ms []*hippo.Memory
	for i, kind := range append(hippo.SourceKinds(), "", "of a later version") {
		m := plain(i)
		m.Source.Kind = kind
		ms = append(ms, m)
	}
	for trust := hippo.TrustNone; trust <= hippo.TrustHigh; trust++ {
		m := plain(100 + int(trust))
		m.Trust = trust
		ms = append(ms, m)
	}
	pinned := plain(200)
	pinned.Pinned = true
	roundTrip(t, h, append(ms, pinned)...)
}

func metadataSurvives(t *testing.T, h Harness) {
	m := plain(1)
	m.Metadata = map[string]json.RawMessage{
		"null":           json.RawMessage(`null`),
		"false":          json.RawMessage(`false`),
		"empty":          json.RawMessage(`""`),
		"empty object":   json.RawMessage(`{}`),
		"empty list":     json.RawMessage(`[]`),
		"big":            json.RawMessage(`123456789012345678901234567890`),
		"just too big":   json.RawMessage(`9007199254740993`),
		"precise":        json.RawMessage(`0.1000000000000000055511151231257827`),
		"exponent":       json.RawMessage(`-1.50E+400`),
		"escapes":        json.RawMessage(`"\u0041 \u2028 \ud83e\udd9b \/ \\ \" \n <b>&amp;</b>"`),
		"spaced":         json.RawMessage(` { "b" : [ 1 , 2.0 , { "c" : null } ] , "a" : "x" } `),
		"":               json.RawMessage(`"empty key"`),
		"dotted.key/x":   json.RawMessage(`1`),
		"🦛 \" ' \\ key":  json.RawMessage(`{"日本":{"語":["ó",{"deep":[[[[1]]]]}]}}`),
		"id":             json.RawMessage(`"names of this program's own fields"`),
		"content":        json.RawMessage(`{"a":1}`),
		"tags":           json.RawMessage(`7`),
		"metadata":       json.RawMessage(`{"metadata":{"metadata":{}}}`),
		"revision":       json.RawMessage(`-1`),
		"schema_version": json.RawMessage(`"none"`),
	}
	roundTrip(t, h, m)
}
