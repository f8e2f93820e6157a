package shelf

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"

	"github.com/hippo-memory/hippo"
)

// Key is what a machine must keep secret to use a shelf. Another machine never gets it.
type Key struct {
	self, vault *age.X25519Identity
	root        ed25519.PublicKey  // of the machine that began the vault
	sign        ed25519.PrivateKey // follows from self, so that there is one secret
}

type keyText struct {
	Secret string `json:"secret"`
	Vault  string `json:"vault"`
	Root   []byte `json:"root"`
}

// ParseKey reads what [Key.String] has written. The error is [hippo.ErrForbidden] and says how to get a key again.
func ParseKey(text string) (*Key, error) {
	lost := fmt.Errorf("%w: the key of this machine is missing or damaged: run hippo sync join with an invitation from another machine, or with the recovery key", hippo.ErrForbidden)
	var k keyText
	_ = json.Unmarshal([]byte(text), &k) // what is missing is no identity
	vault, err := age.ParseX25519Identity(k.Vault)
	if err != nil || len(k.Root) != ed25519.PublicKeySize {
		return nil, lost
	}
	key, err := newKey(k.Secret, vault, k.Root)
	if err != nil {
		return nil, lost
	}
	return key, nil
}

func newKey(secret string, vault *age.X25519Identity, root ed25519.PublicKey) (*Key, error) {
	self, err := age.ParseX25519Identity(secret)
	if err != nil {
		return nil, err
	}
	seed, err := hkdf.Key(sha256.New, []byte(self.String()), nil, "hippo sync signature", ed25519.SeedSize)
	if err != nil {
		return nil, err
	}
	return &Key{self, vault, root, ed25519.NewKeyFromSeed(seed)}, nil
}

// randomKey returns a new key for a vault. Without a root it is the root itself.
func randomKey(vault *age.X25519Identity, root ed25519.PublicKey) (*Key, error) {
	self, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, err
	}
	k, err := newKey(self.String(), vault, root)
	if err == nil && root == nil {
		k.root = k.public()
	}
	return k, err
}

// String returns the secret text of the key.
func (k *Key) String() string {
	b, err := json.Marshal(keyText{k.self.String(), k.vault.String(), k.root})
	if err != nil {
		panic(err) // strings and bytes can be encoded
	}
	return string(b)
}

func (k *Key) public() ed25519.PublicKey { return ed25519.PublicKey(k.sign[ed25519.SeedSize:]) }

// id names a holder by its key for signatures.
func (k *Key) id() string { return digest(k.public()) }

// admission returns what makes the key one of the vault if the holder of another one states it. It needs both keys: nobody can admit the key
// of somebody else, by another name or as his own.
func (k *Key) admission(by *Key, name string, kind Kind) *admission {
	a := &admission{Key: k.public(), Recipient: k.self.Recipient().String(), Name: name, Kind: kind}
	a.Proof = ed25519.Sign(k.sign, a.proven(by.root, by.public()))
	return a
}

// proven is what the signature of the admitted key covers.
func (a *admission) proven(root, by ed25519.PublicKey) []byte {
	return fmt.Appendf(nil, "hippo sync admission\n%s\n%s\n%s %s\n%s", base64.StdEncoding.EncodeToString(root), base64.StdEncoding.EncodeToString(by), a.Recipient, a.Kind, a.Name)
}

// signed signs a statement.
func (k *Key) signed(s statement) signed {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings and numbers can be encoded
	}
	return signed{By: k.public(), Text: string(text), Sig: ed25519.Sign(k.sign, covered(k.root, string(text)))}
}

// ageSecret begins every identity as age writes it, and codes leave it out.
const ageSecret = "AGE-SECRET-KEY-"

// code returns the key as a text for people to carry to another machine.
func (k *Key) code() string { return strings.TrimPrefix(k.self.String(), ageSecret) }

// parseCode is the inverse of code. It finds typos.
func parseCode(code string) (*Key, error) {
	text := strings.ToUpper(strings.Join(strings.Fields(code), ""))
	k, err := newKey(ageSecret+strings.TrimPrefix(text, ageSecret), nil, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: this is no code of hippo sync invite and no recovery key: copy all of it", hippo.ErrInvalid)
	}
	return k, nil
}

// encrypt encrypts to some recipients.
func encrypt(plain []byte, to ...age.Recipient) ([]byte, error) {
	var b bytes.Buffer
	w, err := age.Encrypt(&b, to...)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(plain); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

// decrypt decrypts what is for an identity. The error is [hippo.ErrForbidden] if it is for others, else [hippo.ErrCorrupt].
func decrypt(b []byte, id age.Identity) ([]byte, error) {
	r, err := age.Decrypt(bytes.NewReader(b), id)
	if err == nil {
		b, err = io.ReadAll(r)
	}
	if _, ok := errors.AsType[*age.NoIdentityMatchError](err); ok {
		return nil, fmt.Errorf("%w: it is encrypted for another vault: %w", hippo.ErrForbidden, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", hippo.ErrCorrupt, err)
	}
	return b, nil
}
