"""A fork of apns2; push-*.py TOKEN TOPIC KEY KID TEAM PAYLOAD prints 200, or the name of what the client raises."""
import json
import os
import sys

from apns2.client import APNsClient
from apns2.credentials import TokenCredentials
from apns2.payload import Payload

token, topic, key, kid, team, payload = sys.argv[1:]
try:
    # hyper trusts a list of its own.
    import hyper.tls
    hyper.tls._context = hyper.tls.init_context(os.environ["SSL_CERT_FILE"])
except ImportError:
    pass
try:
    APNsClient(TokenCredentials(key, kid, team)).send_notification(token, Payload(custom=json.loads(payload)), topic)
    print("200")
except Exception as error:
    print(type(error).__name__)
