#!/usr/bin/env python3
"""notification-server.py [--capabilities NAME,...] [--refuse ERROR | --silent]

A notification server that shows nothing: what it is asked it tells on standard output, a JSON object a line, and it
answers as it is told. Takes the name from another of its kind. On standard input it reads

  answer                give ids to all that wait for one, and to whatever comes
  refuse ERROR          answer with this error from now on
  silent                answer nothing from now on
  choose ID KEY         the person chooses KEY in ID
  close ID REASON       ID is gone
  call METHOD GROUP ID  ask org.belfry.Calls1, as another program does
"""

import argparse
import json
import os
import sys

import dbus
import dbus.lowlevel
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"
CALLS = ("org.belfry.Calls1", "/org/belfry/Calls1", "org.belfry.Calls1")


def tell(**what):
    print(json.dumps(what), flush=True)


class Server(dbus.service.Object):
    def __init__(self, bus, arguments):
        super().__init__(bus, PATH)
        self.bus = bus
        self.capabilities = arguments.capabilities.split(",") if arguments.capabilities else []
        self.error, self.is_silent = arguments.refuse, arguments.silent
        self.last = 0
        self.waiting, self.senders = [], {}

    @dbus.service.method(NAME, in_signature="", out_signature="as")
    def GetCapabilities(self):
        return dbus.Array(self.capabilities, signature="s")

    @dbus.service.method(
        NAME, in_signature="susssasa{sv}i", out_signature="u", async_callbacks=("reply", "fail"),
        sender_keyword="sender")
    def Notify(self, app, replaces, icon, summary, body, actions, hints, expires, reply, fail, sender):
        if not replaces and not self.error:
            self.last += 1
        number = 0 if self.error else int(replaces) or self.last
        tell(
            notify=number, replaces=int(replaces), summary=summary, body=body, actions=list(map(str, actions)),
            category=str(hints.get("category", "")), urgency=int(hints.get("urgency", 1)), expires=int(expires),
            hasPicture="image-data" in hints, isQuiet=bool(hints.get("suppress-sound", False)),
            isResident=bool(hints.get("resident", False)), feedback=str(hints.get("x-phosh-fb-profile", "")),
            desktopEntry=str(hints.get("desktop-entry", "")))
        self.senders[number] = sender
        if self.error:
            fail(dbus.exceptions.DBusException("as the test wants it", name=self.error))
        elif self.is_silent:
            self.waiting.append((number, reply))
        else:
            reply(number)

    @dbus.service.method(NAME, in_signature="u", out_signature="")
    def CloseNotification(self, number):
        tell(close=int(number))

    def send(self, member, number, detail, signature):
        """To whoever asked alone, as dunst and GNOME do it."""
        message = dbus.lowlevel.SignalMessage(PATH, NAME, member)
        message.append(number, detail, signature=signature)
        message.set_destination(self.senders[number])
        self.bus.send_message(message)

    def obey(self, words):
        match words:
            case ["answer"]:
                self.error, self.is_silent = None, False
                for number, reply in self.waiting:
                    reply(number)
                self.waiting = []
            case ["refuse", error]:
                self.error = error
            case ["silent"]:
                self.error, self.is_silent = None, True
            case ["choose", number, key]:
                self.send("ActionInvoked", int(number), key, "us")
            case ["close", number, reason]:
                self.send("NotificationClosed", int(number), int(reason), "uu")
            case ["call", method, group, call]:
                self.bus.call_async(
                    *CALLS, method, "ss", (group, call), lambda *_: tell(called=method, error="", text=""),
                    lambda error: tell(called=method, error=error.get_dbus_name(), text=error.get_dbus_message()))
            case _:
                sys.exit(f"cannot obey {words}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--capabilities", default="actions,body,body-markup")
    parser.add_argument("--refuse")
    parser.add_argument("--silent", action="store_true")
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    loop = GLib.MainLoop()
    bus = dbus.SessionBus()
    bus.set_exit_on_disconnect(False)
    server = Server(bus, parser.parse_args())
    pending = b""

    def read(*_):
        nonlocal pending
        received = os.read(0, 65536)
        if not received:
            loop.quit()
            return False
        *lines, pending = (pending + received).split(b"\n")
        for line in lines:
            server.obey(line.decode().split(" "))
        return True

    GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, read)
    flags = dbus.bus.NAME_FLAG_ALLOW_REPLACEMENT | dbus.bus.NAME_FLAG_REPLACE_EXISTING
    bus.request_name(NAME, flags | dbus.bus.NAME_FLAG_DO_NOT_QUEUE)
    tell(ready=bus.get_unique_name())
    loop.run()


main()
