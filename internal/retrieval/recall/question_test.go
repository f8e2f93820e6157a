package recall

import "testing"

func TestQuestionOf(t *testing.T) {
	t.Parallel()
	const (
		before = "I have been working on this for a while now and the sprint ends tomorrow, so I would like to be done with it before lunch if that is possible at all. Yesterday I cleaned up the folder structure and renamed a few helpers. "
		after  = " Once you have that, go ahead with the change in small commits and run the tests after each of them."
		trace  = "\n\nTraceback (most recent call last):\n  File \"/srv/app/main.py\", line 214, in <module>\n    run(sys.argv[1:])\n  File \"/srv/app/handlers/base.py\", line 141, in process\n    return self._client.post(self.url, json=payload).json()\n  File \"/usr/lib/python3.12/site-packages/requests/models.py\", line 975, in json\n    raise RequestsJSONDecodeError(e.msg, e.doc, e.pos)\nrequests.exceptions.JSONDecodeError: Expecting value: line 1 column 1 (char 0)\nnpm ERR! code ELIFECYCLE\nnpm ERR! errno 1"
	)
	for _, x := range [][2]string{
		{"which port does billing use", "which port does billing use"},
		{"can you remember which port billing uses", "which port billing uses"},
		{"Please tell me how long the cache lives.", "how long the cache lives."},
		{"I was wondering why the deploy is slow", "why the deploy is slow"},
		{"Kannst du mir sagen, wie lange der Cache lebt?", "wie lange der Cache lebt?"},
		{"can you deploy on Friday", "can you deploy on Friday"},
		{"do you know", "do you know"},
		{"remember the milk", "the milk"},
		{"the cache is cold the cache is cold", "the cache is cold"},
		{"duran duran", "duran"},
		{"CAN YOU REMEMBER WHICH PORT BILLING USES", "which port billing uses"},
		{"ÜBER WELCHEN PORT LÄUFT DIE ABRECHNUNG?", "über welchen port läuft die abrechnung?"},
		{"ERR_SSL_PROTOCOL ECONNRESET", "ERR_SSL_PROTOCOL ECONNRESET"},
		{"支付 服务 端口", "支付 服务 端口"},
		{before + "How long may lookups of shipping costs be kept?" + after, "How long may lookups of shipping costs be kept?"},
		{before + "how long may lookups of shipping costs be kept" + after, "how long may lookups of shipping costs be kept" + after},
		{"playwright tests fail with target closed" + trace, "playwright tests fail with target closed"},
		{"why does this fail?" + trace, "why does this fail?\nrequests.exceptions.JSONDecodeError: Expecting value: line 1 column 1 (char 0)\nnpm ERR! code ELIFECYCLE\nnpm ERR! errno 1"},
		{"dkim spam" + trace, "dkim spam"},
		{"Error acquiring the state lock" + trace, "Error acquiring the state lock"},
		{trace, trace},
		{before + after, before + after},
	} {
		if got := questionOf(x[0]); got != x[1] {
			t.Errorf("%q\ngot  %q\nwant %q", x[0], got, x[1])
		}
	}
}
