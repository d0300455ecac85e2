// Types as a server under test has them, of names that Belfry's modules use too.

package struct Event: Equatable {
    package var title: String
    package init(title: String) { self.title = title }
}

package enum JSONValue: Equatable { case text(String) }

package struct JSONObject: Equatable { package init() {} }

package struct Push: Equatable { package init() {} }

package struct Envelope: Equatable { package init() {} }

package struct Instant: Equatable { package init() {} }

package struct CallRequest: Equatable { package init() {} }

package struct Hangup: Equatable { package init() {} }

package enum HangupReason: Equatable { case tired }

package struct NotificationContent: Equatable { package init() {} }

package struct PushSession: Equatable { package init() {} }

package struct CallLog: Equatable { package init() {} }
