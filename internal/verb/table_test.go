package verb_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/verb"
)

// aTable has an argument of each type.
func aTable() verb.Table {
	return verb.Table{
		{Name: "text", Also: "t", To: verb.New[string]},
		{Name: "choice", Values: []string{"-1", "CodeEdit"}, To: verb.New[string]},
		{Name: "vote", Values: []string{"-1", "0", "1"}, To: verb.New[string]},
		{Name: "choices", Values: []string{"a", "b_c"}, To: verb.New[[]string]},
		{Name: "whole", Rules: verb.Between(-2, 20), To: verb.New[int]},
		{Name: "number", Rules: verb.Between(0, 1, .5), To: verb.New[float64]},
		{Name: "many", Rules: verb.Schema{"minimum": 2}, To: verb.New[int]},
		{Name: "offset", Rules: verb.Schema{"minimum": 0}, To: verb.New[int]},
		{Name: "above", Rules: verb.Schema{"exclusiveMinimum": 0, "maximum": 1}, To: verb.New[float64]},
		{Name: "flag", Is: verb.Unlisted, To: verb.New[bool]},
		{Name: "list", About: "texts", To: verb.New[[]string]},
		{Name: "wholes", To: verb.New[[]int]},
		{Name: "members", To: verb.New[verb.Metadata]},
		{Name: "ref", To: verb.New[verb.Ref]},
		{Name: "time", To: verb.New[verb.Time]},
		{Name: "inner", To: verb.Nested(verb.Table{{Name: "role", Is: verb.Required, To: verb.New[string]}})},
		{Name: "items", To: verb.Many(verb.Table{{Name: "role", Is: verb.Required, To: verb.New[string]}})},
		{Name: "objects", To: verb.Many(nil)},
	}
}

// What has the right type in another form is taken by tools, and has the right type then; SHODH takes the type of its document.
func TestTable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		door      verb.Door
		raw, want string
	}{
		{verb.MCP, `{"text":["a"]}`, "a"},
		{verb.MCP, `{"t":""}`, "text: "},
		{verb.MCP, `{"text":"a","t":"a"}`, "t: is another name of text: give one of them"},
		{verb.SHODH, `{"text":"a","t":"a"}`, "a"},
		{verb.SHODH, `{"text":"a","t":"b"}`, "t: is another name of text: give one of them"},
		{verb.MCP, `{"text":["a","b"]}`, "text: must be a text, got a list"},
		{verb.MCP, `{"text":[["a"]]}`, "text: must be a text, got a list"},
		{verb.MCP, `{"text":5}`, "text: must be a text, got 5"},
		{verb.MCP, `{"choice":-1}`, "-1"},
		{verb.MCP, `{"choice":"code-edit"}`, "CodeEdit"},
		{verb.MCP, `{"choice":2}`, `choice: must be one of -1, CodeEdit, got "2"`},
		{verb.MCP, `{"choice":" -1 "}`, "-1"},
		{verb.MCP, `{"choice":"- 1"}`, `choice: must be one of -1, CodeEdit, got "- 1"`},
		{verb.MCP, `{"vote":" 1 "}`, "1"},
		{verb.MCP, `{"vote":"\t-1"}`, "-1"},
		{verb.MCP, `{"vote":"_1"}`, `vote: must be one of -1, 0, 1, got "_1"`},
		{verb.SHODH, `{"vote":"1 "}`, "1"},
		{verb.REST, `{"vote":" 1"}`, `vote: must be one of -1, 0, 1, got " 1"`},
		{verb.SHODH, `{"choice":-1}`, "choice: must be a text, got -1"},
		{verb.SHODH, `{"choices":["A","B C"]}`, "[a b_c]"},
		{verb.SHODH, `{"choices":["a","d"]}`, `choices[1]: must be one of a, b_c, got "d"`},
		{verb.SHODH, `{"choices":"a"}`, "choices: must be a list of texts, got a text"},
		{verb.MCP, `{"whole":"7"}`, "7"},
		{verb.MCP, `{"whole":7.0}`, "7"},
		{verb.MCP, `{"whole":1.5}`, "whole: must be a whole number, got 1.5"},
		{verb.MCP, `{"whole":21}`, "whole: must be between -2 and 20, got 21"},
		{verb.MCP, `{"whole":1e300}`, "whole: must be a whole number, got 1e300"},
		{verb.SHODH, `{"whole":7.0}`, "7"},
		{verb.SHODH, `{"whole":"7"}`, "whole: must be a whole number, got a text"},
		{verb.MCP, `{"many":9007199254740994}`, "many: must be between 2 and 9007199254740992, got 9007199254740994"},
		{verb.MCP, `{"many":1}`, "many: must be 2 or more, got 1"},
		{verb.MCP, `{"above":0}`, "above: must be above 0 and at most 1, got 0"},
		{verb.MCP, `{"offset":-1}`, "offset: must not be negative, got -1"},
		{verb.MCP, `{"number":"NaN"}`, "number: must be a number, got a text"},
		{verb.MCP, `{"number":"0x1"}`, "number: must be a number, got a text"},
		{verb.MCP, `{"number":1.5}`, "number: must be between 0 and 1, got 1.5"},
		{verb.MCP, `{"number":".5"}`, "0.5"},
		{verb.MCP, `{"flag":"True"}`, "true"},
		{verb.MCP, `{"flag":""}`, "flag: must be true or false, got a text"},
		{verb.SHODH, `{"flag":"true"}`, "flag: must be true or false, got a text"},
		{verb.MCP, `{"list":" a, ,b"}`, "[a b]"},
		{verb.MCP, `{"list":[null]}`, "list[0]: must be a text, got null"},
		{verb.MCP, `{"wholes":"[1,10]"}`, "[1 10]"},
		{verb.MCP, `{"wholes":["1"," 10"]}`, "[1 10]"},
		{verb.MCP, `{"wholes":[1.0,10.0]}`, "[1 10]"},
		{verb.MCP, `{"wholes":["a"]}`, "wholes[0]: must be a whole number, got a text"},
		{verb.MCP, `{"wholes":[1,null]}`, "wholes[1]: must be a whole number, got null"},
		{verb.MCP, `{"wholes":"[1"}`, "wholes: must be a list of whole numbers, got a text"},
		{verb.SHODH, `{"wholes":["1"]}`, "wholes[0]: must be a whole number, got a text"},
		{verb.MCP, `{"members":"{\"a\":1}"}`, `map[a:[49]]`},
		{verb.MCP, `{"members":[1]}`, "members: must be an object"},
		{verb.MCP, `{"ref":7}`, "#7"},
		{verb.MCP, `{"ref":[" "]}`, "ref: must be one id, got a blank text"},
		{verb.MCP, `{"ref":true}`, "ref: must be one id, got true"},
		{verb.MCP, `{"ref":1.5}`, "ref: must be one id, got 1.5"},
		{verb.MCP, `{"ref":[1,2]}`, "ref: must be one id, got 2"},
		{verb.MCP, `{"time":"friday"}`, "{time friday}"},
		{verb.MCP, `{"time":true}`, "time: must be a text, got true"},
		{verb.MCP, `{"inner":"{\"role\":\"a\"}"}`, "map[role:a]"},
		{verb.MCP, `{"inner":{"role":1}}`, "inner.role: must be a text, got 1"},
		{verb.MCP, `{"inner":"role"}`, "inner: must be an object with role, got a text"},
		{verb.MCP, `{"items":"[{\"role\":\"a\"}]"}`, "[map[role:a]]"},
		{verb.MCP, `{"items":[{"role":"a"},{}]}`, "items[1].role: is required"},
		{verb.MCP, `{"items":{}}`, "items: must be a list of objects with role, got an object"},
		{verb.MCP, `{"objects":[{"any":1}]}`, "[map[]]"},
		{verb.MCP, `{"objects":[1]}`, "objects[0]: must be an object"},
		{verb.MCP, `{"txt":1}`, "txt: is unknown (did you mean text?)"},
		{verb.MCP, `{"text":null}`, "<nil>"},
	} {
		in, args, err := aTable().Decode(c.door, json.RawMessage(c.raw), verb.Verbatim)
		got := fmt.Sprint(err)
		if err == nil {
			for i := range args {
				if name := args[i].Name; args[i].Given != "" {
					got = valueText(in, name)
				}
			}
		}
		if got != c.want && (err == nil || !strings.HasPrefix(got, c.want)) {
			t.Errorf("door %d, %s: got %s, want %s", c.door, c.raw, got, c.want)
		}
	}
}

// valueText is a value of an input as text.
func valueText(in verb.Input, name string) string {
	switch name {
	case "text", "choice", "vote", "ref":
		if text := in.Text(name); text != "" {
			return text
		}
		return name + ": "
	case "list":
		return fmt.Sprint(in.Texts(name))
	default:
		return fmt.Sprint(in[name])
	}
}

// What is left out of an object is known after the rest was taken, and what was not given has its default.
func TestTable_Take(t *testing.T) {
	t.Parallel()
	members := map[string]json.RawMessage{"t": json.RawMessage(`"a"`), "number": json.RawMessage(`""`), "other": json.RawMessage("1")}
	in, _, err := aTable().Take(verb.SHODH, members)
	if err != nil || !reflect.DeepEqual(in, verb.Input{"text": "a"}) || len(members) != 1 {
		t.Errorf("got %v, %v is left, %v", in, members, err)
	}
	if in.Number("number", .5) != .5 || in.Int("whole", 3) != 3 || in.Flag("flag") || in.Texts("list") != nil || in.Time("time") != (verb.Time{}) || in.Items("items") != nil || in.Inner("inner") != nil || in.Object("members") != nil {
		t.Errorf("got values of arguments that were not given: %v", in)
	}
}

// A schema has what a model needs of the arguments that are listed.
func TestTable_Schema(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal(verb.Table{aTable()[0], aTable()[5], aTable()[9], aTable()[10], aTable()[13], aTable()[16]}.Schema())
	const want = `{"properties":{"items":{"items":{"properties":{"role":{"type":"string"}},"required":["role"],"type":"object"},"type":"array"},` +
		`"list":{"description":"texts","items":{"type":"string"},"type":"array"},"number":{"default":0.5,"maximum":1,"minimum":0,"type":"number"},` +
		`"ref":{"type":"string"},"text":{"type":"string"}},"type":"object"}`
	if err != nil || string(got) != want {
		t.Errorf("got %s (%v), want %s", got, err, want)
	}
}

// What something needs must be there, and must not be blank.
func TestInput_Require(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{}`:                       "text: is required for a test",
		`{"text":""}`:              "text: must not be blank for a test",
		`{"text":" "}`:             "text: must not be blank for a test",
		`{"text":"a"}`:             "time: is required for a test",
		`{"text":"a","time":"\n"}`: "time: must not be blank for a test",
		`{"text":"a","time":"2h"}`: "<nil>",
	} {
		in, _, err := aTable().Decode(verb.MCP, json.RawMessage(raw), verb.Verbatim)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(in.Require("a test", "text", "time")); got != want {
			t.Errorf("%s: got %s, want %s", raw, got, want)
		}
	}
}
