package screentest

import "strings"

// Secrets returns 360 texts with a secret each.
func Secrets() []Case {
	var list []Case
	for half, set := range []struct{ values, contexts, named string }{
		{tunedValues, tunedContexts, tunedNamed},
		{heldValues, heldContexts, heldNamed},
	} {
		g := newGenerator(uint64(half))
		values, contexts, named := lines(set.values), lines(set.contexts), lines(set.named)
		for i := range 70 {
			value := g.value(values[i%len(values)])
			context := contexts[(i+i/len(values))%len(contexts)]
			list = append(list, Case{fill(context, value), value, half == 1})
		}
		for _, kind := range []string{"RSA ", "", "EC ", "OPENSSH ", "ENCRYPTED "} {
			block := g.armor(kind)
			list = append(list, Case{"the deploy key:\n" + block + "\n", strings.Split(block, "\n")[1], half == 1})
		}
		for i := range 75 {
			context, pattern, _ := strings.Cut(named[i%len(named)], " <- ")
			value := g.value(pattern)
			list = append(list, Case{fill(context, value), value, half == 1})
		}
	}
	return append(list, later(laterSecrets, 200)...)
}

// Formats of keys that are known by their form, and texts around them.
const (
	tunedValues = `
ghp_%A36
github_pat_%A22_%A59
gho_%A36
glpat-%A20
AKIA%U16
sk-ant-api03-%W93AA
sk-proj-%A74T3BlbkFJ%A74
sk-%A20T3BlbkFJ%A20
xoxb-%d12-%d12-%A24
AIza%W35
sk_live_%A24
npm_%A36
SG.%W22.%W43
hf_%L34
dop_v1_%h64
%d9:AA%W33
eyJ%A20.eyJ%A40.%W43
shpat_%h32
pypi-AgEIcHlwaS5vcmc%W60
xkeysib-%h64-%A16
key-%h32
sntryu_%h64
glsa_%A32_%h8
`
	heldValues = `
ghs_%A36
ghr_%A36
glptt-%h40
ASIA%U16
sk-ant-oat01-%W90
sk-or-v1-%h64
gsk_%A52
xoxp-%d12-%d12-%d12-%h32
xapp-1-A%U10-%d13-%h64
ya29.%W60
GOCSPX-%W28
rk_live_%A24
whsec_%A32
lin_api_%A40
ntn_%d11%A35
figd_%W40
dckr_pat_%W27
hvs.%W95
sbp_%h40
r8_%A37
pplx-%A48
rubygems_%h48
%D18.%W6.%W30
ATATT3%W180
lsv2_pt_%h32_%h10
nvapi-%W60
sq0atp-%W22
shpss_%h32
`
	tunedContexts = `
@@
use @@ for staging
the token is @@.
curl -H 'Authorization: Bearer @@' https://api.internal/v1
{"auth":{"token":"@@"}}
export TOKEN=@@
client = Client("@@")
2026-11-20T10:11:12Z INFO login ok token=@@ user=7
Ana pasted (@@) into the chat
run it with --token=@@, then log out
first line\nsecond line\n\n    value: "@@"\n
base64 of it: @64
`
	heldContexts = `
it was @@, rotate it
Header: X-Auth-Token: @@
http://x:@@@git.internal/r.git
"""@@"""
[default]\nkey = @@\nregion = eu
The old one (@@) still works; the new one does not.
| staging | @@ | 2026 |
> @@
el valor es @@
const k = "@@";
<add value="@@"/>
log: auth failed for @@: 401
Encoded: @64 (decode it)
- @@\n- second
`
)

// Contexts of values that have no form of their own, each with the pattern of the value.
const (
	tunedNamed = `
The database password is @@ <- %P0
the password for the admin user on staging is @@. Rotate it. <- %P1
password: @@ <- %P2
Passwort: @@ <- %P3
Das Passwort lautet @@ <- %P0
le mot de passe est @@ <- %P4
La contraseña es @@ <- %P1
пароль: @@ <- %P3
密码是 @@ <- %P1
パスワードは @@ です <- %P4
DB_PASSWORD=@@ <- %P3
DB_PASSWORD=@@ <- %l9
export PGPASSWORD='@@' <- %P4
{"user": "root", "password": "@@"} <- %P1
{"client_secret":"@@"} <- %A40
password = "@@" <- %l10
api_key = "@@" <- %h32
const apiKey = '@@'; <- %A32
AWS_SECRET_ACCESS_KEY=@@ <- %B40
aws_secret_access_key = @@ <- %B40
postgres://app:@@@db.internal:5432/app <- %P1
redis://:@@@cache:6379/0 <- %A16
mongodb+srv://svc:@@@cluster0.abcde.mongodb.net/x <- %P2
https://deploy:@@@git.internal/x.git <- %A20
Server=db;User Id=sa;Password=@@;Encrypt=true <- %P0
DefaultEndpointsProtocol=https;AccountName=x;AccountKey=@@== <- %B86
Authorization: Bearer @@ <- %W43
X-Api-Key: @@ <- %h40
https://api.internal/v1?api_key=@@&x=1 <- %A32
Set-Cookie: session=@@; HttpOnly <- %A40
//registry.internal/:_authToken=@@ <- %h36
SECRET_KEY_BASE=@@ <- %h128
mysql --password=@@ -u root <- %P1
curl -u admin:@@ https://ci.internal <- %P1
docker login -u bot --password @@ registry.internal <- %A20
machine ftp.internal login bot password @@ <- %P1
the api key for the billing service is @@ <- %A32
secret: @@ (staging) <- %A24
kind: Secret\ndata:\n  password: @@ <- %B24
Password changed to @@ on Monday. <- %P0
`
	heldNamed = `
Remember: the root password of nas01 is now "@@" <- %P1
login admin, password @@, port 8443 <- %P0
pw: @@ <- %P3
Kennwort für den Drucker: @@ <- %P2
Senha do banco: @@ <- %P0
La password del server è @@ <- %P1
Hasło do bazy to @@ <- %P3
Пароль от сервера — @@ <- %P1
비밀번호: @@ <- %P4
管理员密码：@@ <- %P0
Wachtwoord is @@ <- %P2
MYSQL_ROOT_PASSWORD: "@@" <- %P0
SMTP_PASS=@@ <- %A12
spring.datasource.password=@@ <- %P3
ENV JWT_SECRET @@ <- %A32
passwd="@@" <- %P4
os.environ["API_TOKEN"] = "@@" <- %A30
token := "@@" <- %W40
auth_token: @@ <- %h40
"secretKey" : "@@", <- %A40
secret_access_key: @@ <- %B40
amqp://guest2:@@@mq.internal:5672/%2f <- %P1
mysql://root:@@@127.0.0.1/app <- %P3
ftp://upload:@@@files.internal/in <- %A10
SharedAccessKeyName=Root;SharedAccessKey=@@= <- %B43
Proxy-Authorization: Basic @64 <- bot:%A16
x-vault-token: @@ <- %A26
GET /v1/items?access_token=@@ 200 <- %W40
Cookie: sid=@@ <- %A32
vault kv put secret/app db_password=@@ <- %P1
sshpass -p @@ ssh ops@host <- %P1
the encryption key is @@ <- %h64
the webhook signing secret: @@ <- %A32
WiFi: SSID Office, passphrase @@ <- %P2
pass the license key @@ to the installer <- %U5-%U5-%U5-%U5
TWILIO_AUTH_TOKEN=@@ <- %h32
INFO connecting with password=@@ host=db <- %P3
My bank passcode is @@ <- %d6
credentials: bot / @@ <- %A18
ADMIN_TOKEN=@@ <- %h8-%h4-%h4-%h4-%h12
`
)
