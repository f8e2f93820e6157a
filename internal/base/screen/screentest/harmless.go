package screentest

// Harmless returns 360 texts that resemble secrets and hold none.
func Harmless() []Case {
	var list []Case
	for half, set := range []string{tunedHarmless, heldHarmless} {
		g := newGenerator(100 + uint64(half))
		contexts := lines(set)
		for i := range 150 {
			list = append(list, Case{Text: g.value(contexts[i%len(contexts)]), Held: half == 1})
		}
	}
	return append(list, later(laterHarmless, 201)...)
}

const (
	tunedHarmless = `
Fixed in commit %h40.
see %h7 and %h12 for the token parser
the request id is %h8-%h4-%h4-%h4-%h12
session id %h8-%h4-%h4-%h4-%h12 expired
sha256:%h64
"integrity": "sha512-%B86=="
image: registry.internal/app@sha256:%h64
data:image/png;base64,iVBORw0KGgo%B80
![logo](data:image/gif;base64,R0lGODlh%B60)
AWS docs use AKIAIOSFODNN7EXAMPLE as the access key
aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY
password: changeme
DB_PASSWORD=<your-password>
DB_PASSWORD=${DB_PASSWORD}
api_key = os.environ["API_KEY"]
token: process.env.GITHUB_TOKEN
password = getpass.getpass()
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
postgres://user:password@localhost:5432/db
postgres://localhost:5432/app
https://user@github.com/x/y
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI%B43 ana@laptop
-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQ%B40\n-----END PUBLIC KEY-----
github.com/pelletier/go-toml/v2 v2.4.3 h1:%B43=
left-pad@1.3.0: resolved "https://registry.npmjs.org/left-pad/-/left-pad-1.3.0.tgz#%h40"
assets/main-%A8.js and assets/vendor.%h20.css
The password is stored in 1Password.
The password must be at least 12 characters long.
Passwords are hashed with argon2id.
the token expires after 3600 seconds
max_tokens: 4096
token count is 128000
The tokenizer has 32000 tokens; o200k_base has 199998.
primary key: user_id, foreign key: order_id
sort_key = "created_at#desc"
The cache key is user:42:profile:v3
Use key=value pairs in the config.
password: string; // required
secretName: app-tls
keyboard shortcut: Ctrl+Shift+P
monkey = "patch_everything_at_once_2026"
UUID v7: %h8-%h4-7%h3-8%h3-%h12
trace_id=%h32 span_id=%h16
etag: "%h32"
md5 %h32  release.tar.gz
`
	heldHarmless = `
Reverted %h40 because the secret scanner was slow
git cherry-pick %h10; token refresh works now
correlation %h8-%h4-%h4-%h4-%h12 was slow
memory %h8-%h4-4%h3-9%h3-%h12 replaces it
digest=sha256:%h64 pulled
<script integrity="sha384-%B64" crossorigin="anonymous">
"shasum": "%h40",
src="data:image/jpeg;base64,/9j/4AAQSkZJRg%B90"
font: url(data:font/woff2;base64,d09GMgABAAAAA%B70)
stripe docs: sk_test_EXAMPLEKEYREPLACEME000000
password=********
token: "REDACTED"
PASSWORD=$(cat /run/secrets/db)
api_key: {{ .Values.apiKey }}
const token = await getToken(user.id);
password = self.config.password
secret: secretKeyRef
passwordHash: $2b$12$%B53
curl -H "Authorization: Bearer $(gcloud auth print-access-token)"
mysql://USER:PASS@HOST/DB
redis://localhost:6379/0
git@github.com:owner/repo.git
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ%B60 deploy
-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIE%B40\n-----END CERTIFICATE-----
golang.org/x/text v0.31.0/go.mod h1:%B43=
yarn: lodash@^4.17.21 integrity sha512-%B86==
chunk-%h8.mjs, style.%A10.css
The reset password flow sends a link by email.
Password policy: minimum 14 characters, 1 digit.
Das Passwort steht im Tresor.
Le mot de passe est obligatoire.
La contraseña es obligatoria desde mayo.
密码必须至少 12 个字符
access tokens live for 15 minutes, refresh tokens for 30 days
prompt_tokens=812 completion_tokens=64
The API key is read from the environment variable OPENAI_API_KEY.
the secret to good tests is determinism
key: "ArrowUp", code: 38
partition_key = "tenant_id"
key insight: measure p99, not averages
public key fingerprint SHA256:%B43
tool call toolu_%A24 returned 3 rows
Stripe customer cus_%A14 has invoice in_%A24
port 5432, user postgres, no password needed
The pass rate is 98.5% after 1024 runs
bypass = "feature_flag_2026_rollout"
SRI hash of v18.2.0 is sha384-%B64
version 2026.11.22-rc1+build.%h7
bearer token authentication is off in dev
authorization: handled by the gateway since v2.14.0
`
)
