"""simple-apns; as push-apns2.py."""
import json
import sys

from simple_apns.client import APNSClient

token, topic, key, kid, team, payload = sys.argv[1:]
client = APNSClient(team, kid, key, topic)
try:
    client.send_notification(token, json.loads(payload), push_type="voip")
    print("200")
except Exception as error:
    # It has one name for 403 and others, and says 410 by its words.
    print("%s: %s" % (type(error).__name__, str(error).removesuffix(": " + token)))
