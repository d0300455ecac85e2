// token-go.go KEY KID TEAM: r and s, as Go's JWT libraries put them together.
package main

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"os"
	"time"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	file, err := os.ReadFile(os.Args[1])
	check(err)
	block, _ := pem.Decode(file)
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	check(err)
	part := base64.RawURLEncoding.EncodeToString
	signed := part([]byte(fmt.Sprintf(`{"alg":"ES256","kid":"%s"}`, os.Args[2]))) + "." +
		part([]byte(fmt.Sprintf(`{"iat":%d,"iss":"%s"}`, time.Now().Unix(), os.Args[3])))
	digest := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, key.(*ecdsa.PrivateKey), digest[:])
	check(err)
	pair := make([]byte, 64)
	r.FillBytes(pair[:32])
	s.FillBytes(pair[32:])
	fmt.Println(signed + "." + part(pair))
}
