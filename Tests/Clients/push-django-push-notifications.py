"""django-push-notifications, by aioapns; as push-apns2.py."""
import json
import sys

import django
from django.conf import settings
from django.core.management import call_command

token, topic, key, kid, team, payload = sys.argv[1:]
settings.configure(
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "push_notifications"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    PUSH_NOTIFICATIONS_SETTINGS={
        "APNS_TOPIC": topic, "APNS_AUTH_KEY_PATH": key, "APNS_AUTH_KEY_ID": kid, "APNS_TEAM_ID": team})
django.setup()
call_command("migrate", verbosity=0)

from push_notifications.models import APNSDevice

try:
    APNSDevice.objects.create(registration_id=token).send_message(None, extra=json.loads(payload))
    print("200")
except Exception as error:
    print("%s: %s" % (type(error).__name__, error))
