"""token-python.py KEY KID TEAM: by PyJWT, with the fraction of a second that PyAPNs2 and its forks leave in `iat`."""
import sys
import time

import jwt

path, kid, team = sys.argv[1:]
with open(path) as file:
    print(jwt.encode({"iss": team, "iat": time.time()}, file.read(), algorithm="ES256", headers={"kid": kid}))
