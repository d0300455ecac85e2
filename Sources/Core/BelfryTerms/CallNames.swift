/// The names by which the pushes of a foreign server describe a call: keys of their fields, and words for their kinds.
///
/// A key is looked up as it is, and then with its dots as steps into objects. Belfry's own names count besides, after
/// these.
public struct CallNames: Hashable, Sendable {
    /// Most entries of a list.
    public static let entriesMax = 16
    /// Most bytes of an entry.
    public static let entryBytesMax = 128

    /// Keys that may hold the call's id, the likeliest first, as in each list here.
    public var id: [String]
    /// Keys that may hold the caller's name.
    public var callerName: [String]
    /// Keys that may hold the caller's number or address.
    public var handle: [String]
    /// What makes it a video call: a key that holds a truth value, or a key and what it holds.
    public var video: [CallWord]
    /// Keys that may hold the address of the caller's picture.
    public var avatar: [String]
    /// Keys that may hold the kind of push.
    public var type: [String]
    /// What makes the push a call request.
    public var callRequest: [CallWord]
    /// What makes it a hangup; asked before ``callRequest``.
    public var hangup: [CallWord]

    /// Names; none by default.
    public init(
        id: [String] = [], callerName: [String] = [], handle: [String] = [], video: [CallWord] = [],
        avatar: [String] = [], type: [String] = [], callRequest: [CallWord] = [], hangup: [CallWord] = []
    ) {
        self.id = id
        self.callerName = callerName
        self.handle = handle
        self.video = video
        self.avatar = avatar
        self.type = type
        self.callRequest = callRequest
        self.hangup = hangup
    }

    /// Whether it names nothing.
    public var isEmpty: Bool {
        id.isEmpty && callerName.isEmpty && handle.isEmpty && video.isEmpty && avatar.isEmpty && type.isEmpty
            && callRequest.isEmpty && hangup.isEmpty
    }

    /// These names, and those of `others` after them.
    public func followed(by others: CallNames) -> CallNames {
        CallNames(
            id: id + others.id, callerName: callerName + others.callerName, handle: handle + others.handle,
            video: video + others.video, avatar: avatar + others.avatar, type: type + others.type,
            callRequest: callRequest + others.callRequest, hangup: hangup + others.hangup)
    }

    /// Whether one of the names is the key `key` itself.
    public func hold(key: String) -> Bool {
        [id, callerName, handle, avatar, type].contains { $0.contains(key) }
            || [video, callRequest, hangup].contains { $0.contains { $0.key == key } }
    }

    /// The entries of `text`, separated by spaces or commas; nil if there are too many, or one is too long or holds
    /// control characters.
    public static func entries(_ text: String) -> [String]? {
        let entries = text.split { $0 == " " || $0 == "," || $0 == "\t" }.map(String.init)
        let areGood = entries.allSatisfy { entry in
            entry.utf8.count <= entryBytesMax && entry.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        }
        return areGood && entries.count <= entriesMax ? entries : nil
    }
}

/// One value that says what a push is, and the key that must hold it.
public struct CallWord: Hashable, Sendable {
    /// What stands for every value.
    public static let any = "*"

    /// The key; nil for the keys of ``CallNames/type``.
    public let key: String?
    /// The value as text, a number by its digits; nil for a truth value, and ``any`` for every value.
    public let value: String?

    /// A word.
    public init(key: String?, value: String?) {
        self.key = key
        self.value = value
    }

    /// The word in `text`: `KEY=VALUE`, or a `VALUE` of the keys of ``CallNames/type``; nil if key or value is empty.
    public init?(_ text: String) {
        self.init(text: text, aloneIsKey: false)
    }

    /// What makes a video call: `KEY=VALUE`, or a `KEY` that holds a truth value; nil if key or value is empty.
    public init?(video text: String) {
        self.init(text: text, aloneIsKey: true)
    }

    private init?(text: String, aloneIsKey: Bool) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        if parts.count == 2 {
            self.init(key: parts[0], value: parts[1])
        } else {
            self.init(key: aloneIsKey ? parts[0] : nil, value: aloneIsKey ? nil : parts[0])
        }
    }

    /// The word as a setting writes it.
    public var text: String {
        guard let key else { return value ?? "" }
        return value.map { "\(key)=\($0)" } ?? key
    }
}
