"""pyapns-client3; as push-apns2.py."""
import json
import sys

from pyapns_client import APNSClient, IOSNotification, IOSPayload, TokenBasedAuth

token, topic, key, kid, team, payload = sys.argv[1:]
push = IOSNotification(IOSPayload(custom=json.loads(payload)), topic, push_type=IOSNotification.PUSH_TYPE_VOIP)
try:
    with APNSClient(APNSClient.MODE_PROD, TokenBasedAuth(key, kid, team)) as client:
        client.push(push, token)
    print("200")
except Exception as error:
    print(type(error).__name__)
