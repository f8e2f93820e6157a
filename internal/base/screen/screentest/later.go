package screentest

import "strings"

// later returns the cases of a list of 60 contexts, each with the pattern of its value. The lists were written when the rules were
// done; at first 12 of the secrets were missed, and 6 of the others taken for secrets.
func later(list string, seed uint64) []Case {
	g := newGenerator(seed)
	var out []Case
	for _, line := range lines(list) {
		context, pattern, _ := strings.Cut(line, " <- ")
		value := strings.ReplaceAll(g.value(pattern), "{lf}", `\n`)
		out = append(out, Case{Text: fill(g.value(context), value), Hidden: value, Held: true})
	}
	return out
}

// Keys of providers of 2024 to 2026, and settings, requests, commands and sentences as people paste them.
const laterSecrets = `
OPENAI_API_KEY=@@\nOPENAI_ORG=org-x <- sk-svcacct-%W74T3BlbkFJ%W74
export MISTRAL_API_KEY=@@ <- %A32
DEEPSEEK_API_KEY='@@' <- sk-%h32
FIREWORKS_API_KEY: @@ <- fw_%A24
the cerebras key we use in CI: @@ <- csk-%l8%d20%l20
ELEVENLABS_API_KEY=@@ <- sk_%h48
pc = Pinecone(api_key="@@") <- pcsk_%A6_%A60
{"mcpServers":{"supabase":{"env":{"SUPABASE_SERVICE_ROLE_KEY":"@@"}}}} <- eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ%A80.%W43
createClient(url, "@@") <- sb_secret_%W31
DATABASE_URL=postgresql://neondb_owner:@@@ep-cool-%h6-pooler.eu-central-1.aws.neon.tech/neondb?sslmode=require <- npg_%A12
mysql://%A20:@@@aws.connect.psdb.cloud/db?sslaccept=strict <- pscale_pw_%W43
UPSTASH_REDIS_REST_TOKEN="@@==" <- AX%A52
REDIS_URL=rediss://default:@@@eu1-x.upstash.io:6379 <- %A40
wrangler uses CLOUDFLARE_API_TOKEN=@@ in CI <- %W40
vercel deploy --token @@ --prod <- %A24
FLY_API_TOKEN="FlyV1 @@" <- fm2_lJPE%B120
netlify: @@ <- nfp_%A36
new Resend("@@") <- re_%A8_%A24
AUTH0_CLIENT_SECRET=@@ <- %W64
NEXTAUTH_SECRET=@@= <- %B43
DD_API_KEY=@@ DD_SITE=datadoghq.eu <- %h32
SENTRY_AUTH_TOKEN=@@ <- sntrys_eyJpYXQiOjE3%A60_%A43
"type": "service_account", "private_key": "@@", "client_email": "x@y.iam.gserviceaccount.com" <- -----BEGIN PRIVATE KEY-----{lf}MIIEvQIBADANBgkqhkiG9w0BAQEF%B60{lf}%B64{lf}-----END PRIVATE KEY-----{lf}
BlobEndpoint=https://x.blob.core.windows.net/;SharedAccessSignature=sv=2024-11-04&ss=b&srt=co&sp=rl&se=2026-12-31T00:00:00Z&sig=@@%3D <- %A42
curl https://x.openai.azure.com/openai/deployments -H "api-key: @@" <- %A84
AZURE_CLIENT_SECRET: @@ <- %A3~%W34
git clone https://ana:@@@dev.azure.com/org/p/_git/r <- %l20%d3%l29
Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=@@= <- %B43
CI_JOB_TOKEN=@@ <- glcbt-64_%W20
JIRA_TOKEN=@@=%h8 <- ATATT3xFfGF0%W170
posted by https://hooks.slack.com/services/@@ <- T%U8/B%U8/%A24
telegram:\n  bot_token: "@@"\n  chat: -100123 <- %d10:AAH%W32
apiVersion: v1\nkind: Secret\nstringData:\n  password: @@ <- %P1
{"auths": {"ghcr.io": {"auth": "@64"}}} <- ana:ghp_%A36
[pypi]\nusername = __token__\npassword = @@ <- pypi-AgEIcHlwaS5vcmc%W120
db.internal:5432:app:app:@@ goes into ~/.pgpass <- %P0
terraform login stored @@ <- %A14.atlasv1.%A67
ansible_become_pass: @@ <- %P3
SECRET_KEY = 'django-insecure-@@' <- %A50
APP_KEY=base64:@@= <- %B43
[Interface]\nAddress = 10.0.0.2/24\nPrivateKey = @@= <- %B43
age key: @@ <- AGE-SECRET-KEY-1%U20QQQ%U35
export OP_SERVICE_ACCOUNT_TOKEN=@@ <- ops_eyJzaWduSW5BZGRyZXNz%A200
doppler run --token=@@ <- dp.st.prd.%A43
databricks configure with @@ on the eu workspace <- dapi%h32-2
jdbc:postgresql://db:5432/app?user=app&password=@@ <- %P2
PRIVATE_KEY=0x@@ # deployer <- %h64
otpauth://totp/ACME:ana?secret=@@&issuer=ACME <- %U32
Grafana admin login on mon01 is admin/@@ <- %P1
creds for staging: ana@corp.test / @@ <- %P0
mysql -uroot -p@@ app < dump.sql <- %P1
redis-cli -h cache -a @@ PING <- %A24
kubectl create secret generic db --from-literal=password=@@ <- %P3
requests.get(url, auth=("ana", "@@")) <- %A20
WANDB_API_KEY=@@ wandb login <- %h40
tailscale up --authkey @@ <- tskey-auth-%A17CNTRL-%A32
GEMINI_API_KEY=@@ <- AQ.Ab8R%W46
airtable = Airtable("@@") <- pat%A14.%h64
{"env":{"BRAVE_API_KEY":"@@"}} <- BSA%A28
der Runner registriert sich mit Token @@ bei GitLab <- glrt-t1_%W20
`

// Hashes, identifiers, placeholders and references as notes and repositories have them.
const laterHarmless = `
merged in %h40 (was %h9)
git bisect: first bad commit is %h12%h28
"node_modules/zod": {"version": "3.25.76", "resolved": "https://registry.npmjs.org/zod/-/zod-3.25.76.tgz", "integrity": "sha512-%B86=="}
checksum = "%h64"
require golang.org/x/crypto v0.45.0 // indirect h1:%B43=
Cargo.lock: checksum %h64 for serde
pip install --require-hashes foo==1.2 --hash=sha256:%h64
docker pull ghcr.io/org/app@sha256:%h64
trace 00-%h32-%h16-01 was slow in checkout
request_id=req_%A24 cost 812 ms
run id run_%A24, thread thread_%A24
arn:aws:iam::%d12:role/deploy-%h8
s3://bucket/%h8-%h4-%h4-%h4-%h12/part-0001.parquet
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC%B90 ana@laptop
ssh fingerprint SHA256:%B43 (ED25519)
PGP fingerprint 4A1C %U4 %U4 %U4 %U4
-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQINBF%B58\n-----END PGP PUBLIC KEY BLOCK-----
-----BEGIN CERTIFICATE REQUEST-----\nMIICij%B58\n-----END CERTIFICATE REQUEST-----
<img src="data:image/svg+xml;base64,PHN2ZyB4bWxucz0i%A60">
{"sourcesContent":"AAAA,SAAS,%A20;AACA"}
STRIPE_PUBLISHABLE_KEY is public; the secret one is in 1Password
OPENAI_API_KEY=sk-...
OPENAI_API_KEY=<paste yours>
OPENAI_API_KEY="sk-your-key-here"
export GITHUB_TOKEN=$(gh auth token)
env: { TOKEN: ${{ secrets.DEPLOY_TOKEN }} }
password: {{ vault_db_password }}
password: !vault |
DATABASE_URL=postgres://postgres:postgres@localhost:5432/test
amqp://guest:guest@localhost:5672/
http://user:pass@example.com/ is the form of the URL
api_key=os.getenv("MISTRAL_API_KEY")
apiKey: import.meta.env.VITE_API_KEY
const apiKey = config.get('services.mail.apiKey');
token = request.headers.get("Authorization")
if (!password || password.length < 8) return false;
password_confirmation must match password
func NewToken(secret []byte, ttl time.Duration) (string, error)
The token bucket refills 100 tokens per second, burst 500
The session cookie is HttpOnly and SameSite=Lax
JWT access tokens expire after 15m and are signed with RS256
we use a secret santa list in /docs/party-2026.md
the key to fast tests is t.Parallel() and one fixture
Key decision: partition by tenant_id, cluster by created_at_2026
The API key rotates every 90 days; ask platform-team@corp.test
secret/data/app/prod#db_password is the Vault path
secretKeyRef: {name: db-credentials, key: password}
AWS_PROFILE=staging-eu-west-1 terraform plan -var-file=env/stage-2.tfvars
kubectl get secret db-credentials-v2 -o yaml
Ticket PAY-%d4: password reset mails arrive 20 minutes late
the auth middleware lives in internal/http/auth_middleware_v2.go
author: Ana Kowalska, pass 3 of 5, pwd is /srv/app/releases/20261122
model text-embedding-3-large, key id ABCD, dims 3072
bcrypt: $2b$12$%A53 is what the users table has
x-request-id: %h32, x-amz-cf-id: %W56
Segment cache key: user:%d9:segment:%h8
color tokens: --accent-500: #%h6; --bg: #%h6
base64 of the logo: iVBORw0KGgoAAAANSUhEUgAA%A80
Sentry DSN https://%h32@o%d6.ingest.sentry.io/%d7 is public by design
Passwords in tests are all "test1234" by convention
`
