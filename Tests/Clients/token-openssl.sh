#!/bin/sh
# token-openssl.sh KEY KID TEAM: as Apple's article on pushes from a command line has it.
part() { openssl base64 -e -A | tr -- '+/' '-_' | tr -d =; }
signed=$(printf '{ "alg": "ES256", "kid": "%s" }' "$2" | part).$(printf '{ "iss": "%s", "iat": %d }' "$3" "$(date +%s)" | part)
echo "$signed.$(printf %s "$signed" | openssl dgst -binary -sha256 -sign "$1" | part)"
