/// `URLSession.bytes` of the generated file: a session of its own for each load, since Foundation's hands a response's
/// bytes to a delegate only. That session asks the delegates of the one that was asked.
enum GlueBytes {
    /// What the generated file has of it.
    static let text = sequence + texts + loading + receiver

    private static let sequence = """

        extension URLSession {
            /// A response's bytes, as they come.
            public struct AsyncBytes: AsyncSequence, Sendable {
                public typealias Element = UInt8

                /// The task that loads them.
                public let task: URLSessionDataTask
                fileprivate let pieces: AsyncThrowingStream<BelfryBytesPiece, any Error>
                fileprivate let store: BelfryBytesStore

                public struct AsyncIterator: AsyncIteratorProtocol {
                    fileprivate let store: BelfryBytesStore
                    fileprivate var pieces: AsyncThrowingStream<BelfryBytesPiece, any Error>.AsyncIterator
                    private var piece: [UInt8] = []
                    private var place = 0

                    fileprivate init(_ bytes: AsyncBytes) {
                        store = bytes.store
                        pieces = bytes.pieces.makeAsyncIterator()
                    }

                    public mutating func next() async throws -> UInt8? {
                        while place == piece.count {
                            guard let next = try await pieces.next() else { return nil }
                            (piece, place) = (try store.take(next), 0)
                        }
                        place += 1
                        return piece[place - 1]
                    }
                }

                public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

                /// The lines that are not empty, without what ends them.
                public var lines: Lines { Lines(bytes: self) }
                /// The letters, read as UTF-8.
                public var characters: Characters { Characters(bytes: self) }
                /// The code points, read as UTF-8.
                public var unicodeScalars: UnicodeScalars { UnicodeScalars(bytes: self) }
            }
        }

        """

    private static let texts = """

        extension URLSession.AsyncBytes {
            /// The lines of a text, as Apple's `AsyncLineSequence` has them.
            public struct Lines: AsyncSequence, Sendable {
                public typealias Element = String

                fileprivate let bytes: URLSession.AsyncBytes

                public struct AsyncIterator: AsyncIteratorProtocol {
                    fileprivate var bytes: URLSession.AsyncBytes.AsyncIterator

                    public mutating func next() async throws -> String? {
                        var line: [UInt8] = []
                        while let byte = try await bytes.next() {
                            line.append(byte)
                            let ending = Self.ending(of: line)
                            line.removeLast(ending)
                            if ending > 0, !line.isEmpty { break }
                        }
                        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
                    }

                    /// How many bytes at the end of `line` end it: LF, VT, FF, CR, U+0085, U+2028 or U+2029.
                    private static func ending(of line: [UInt8]) -> Int {
                        switch line.last {
                        case 0x0A, 0x0B, 0x0C, 0x0D: 1
                        case 0x85 where line.suffix(2).first == 0xC2: 2
                        case 0xA8 where line.suffix(3).starts(with: [0xE2, 0x80]): 3
                        case 0xA9 where line.suffix(3).starts(with: [0xE2, 0x80]): 3
                        default: 0
                        }
                    }
                }

                public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(bytes: bytes.makeAsyncIterator()) }
            }

            /// The code points of a text; U+FFFD stands for what is no UTF-8.
            public struct UnicodeScalars: AsyncSequence, Sendable {
                public typealias Element = Unicode.Scalar

                fileprivate let bytes: URLSession.AsyncBytes

                public struct AsyncIterator: AsyncIteratorProtocol {
                    fileprivate var bytes: URLSession.AsyncBytes.AsyncIterator
                    /// A byte that was read to see that it is none of the last code point's.
                    private var ahead: UInt8?
                    private var ready: [Unicode.Scalar] = []

                    fileprivate init(_ bytes: URLSession.AsyncBytes.AsyncIterator) { self.bytes = bytes }

                    public mutating func next() async throws -> Unicode.Scalar? {
                        while ready.isEmpty {
                            guard let first = try await nextByte() else { return nil }
                            var encoded = [first]
                            let count = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
                            while encoded.count < count, let byte = try await nextByte() {
                                guard byte & 0xC0 == 0x80 else {
                                    ahead = byte
                                    break
                                }
                                encoded.append(byte)
                            }
                            ready = String(decoding: encoded, as: UTF8.self).unicodeScalars.reversed()
                        }
                        return ready.removeLast()
                    }

                    private mutating func nextByte() async throws -> UInt8? {
                        if let byte = ahead {
                            ahead = nil
                            return byte
                        }
                        return try await bytes.next()
                    }
                }

                public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(bytes.makeAsyncIterator()) }
            }

            /// The letters of a text.
            public struct Characters: AsyncSequence, Sendable {
                public typealias Element = Character

                fileprivate let bytes: URLSession.AsyncBytes

                public struct AsyncIterator: AsyncIteratorProtocol {
                    private var scalars: UnicodeScalars.AsyncIterator
                    private var text = ""

                    fileprivate init(_ scalars: UnicodeScalars.AsyncIterator) { self.scalars = scalars }

                    public mutating func next() async throws -> Character? {
                        while let scalar = try await scalars.next() {
                            text.unicodeScalars.append(scalar)
                            // A letter has ended once the next one has begun.
                            if text.index(after: text.startIndex) != text.endIndex { return text.removeFirst() }
                        }
                        return text.isEmpty ? nil : text.removeFirst()
                    }
                }

                public func makeAsyncIterator() -> AsyncIterator {
                    AsyncIterator(bytes.unicodeScalars.makeAsyncIterator())
                }
            }
        }

        """

    private static let loading = """

        extension URLSession {
            /// Loads `url`: returns once the response has begun.
            func bytes(
                from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
            ) async throws -> (AsyncBytes, URLResponse) {
                try await bytes(for: URLRequest(url: url), delegate: delegate)
            }

            /// Loads `request`: returns once the response has begun. `delegate` is asked, else the session's.
            func bytes(
                for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
            ) async throws -> (AsyncBytes, URLResponse) {
                let (pieces, into) = AsyncThrowingStream<BelfryBytesPiece, any Error>.makeStream()
                let (responses, response) = AsyncThrowingStream<URLResponse, any Error>.makeStream()
                let store = BelfryBytesStore()
                let receiver = BelfryBytesReceiver(response, into, store, for: self, delegate)
                let session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
                let task = session.dataTask(with: request)
                // Whoever leaves early loads no more.
                into.onTermination = { _ in session.invalidateAndCancel() }
                return try await withTaskCancellationHandler {
                    task.resume()
                    for try await response in responses {
                        return (AsyncBytes(task: task, pieces: pieces, store: store), response)
                    }
                    throw CancellationError()
                } onCancel: {
                    task.cancel()
                }
            }
        }

        /// Some of a response's bytes: they, or where they stand in the file.
        private enum BelfryBytesPiece: Sendable {
            case bytes([UInt8])
            case place(UInt64, count: Int)
        }

        /// Keeps what was not read yet, most of it in a file: on iOS it is not the extension's memory either, and
        /// Foundation can hold a load up only by beginning it anew.
        private final class BelfryBytesStore: @unchecked Sendable {
            private static let bytesMax = 64 << 10

            private let lock = NSLock()
            private var unread = 0
            private var file: FileHandle?
            private var end: UInt64 = 0

            /// Keeps `data` until it is taken.
            func keep(_ data: Data) -> BelfryBytesPiece {
                lock.withLock {
                    if unread > Self.bytesMax, let place = try? write(data) { return .place(place, count: data.count) }
                    unread += data.count
                    return .bytes(Array(data))
                }
            }

            /// The bytes of `piece`.
            func take(_ piece: BelfryBytesPiece) throws -> [UInt8] {
                try lock.withLock {
                    switch piece {
                    case .bytes(let bytes):
                        unread -= bytes.count
                        return bytes
                    case .place(let place, let count):
                        try file?.seek(toOffset: place)
                        let bytes = try file?.read(upToCount: count) ?? Data()
                        guard bytes.count == count else { throw URLError(.cannotDecodeRawData) }
                        return Array(bytes)
                    }
                }
            }

            /// Writes `data` at the end of a file without a name.
            private func write(_ data: Data) throws -> UInt64 {
                if file == nil {
                    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
                    try Data().write(to: url, options: .withoutOverwriting)
                    file = try FileHandle(forUpdating: url)
                    try FileManager.default.removeItem(at: url)
                }
                let place = end
                try file?.seek(toOffset: place)
                try file?.write(contentsOf: data)
                end += UInt64(data.count)
                return place
            }
        }

        """

    private static let receiver = """

        private final class BelfryBytesReceiver: NSObject, URLSessionDataDelegate, @unchecked Sendable {
            private let response: AsyncThrowingStream<URLResponse, any Error>.Continuation
            private let pieces: AsyncThrowingStream<BelfryBytesPiece, any Error>.Continuation
            private let store: BelfryBytesStore
            private let session: URLSession
            private let delegate: (any URLSessionTaskDelegate)?
            /// A refusal that may yet be answered with a password, and what came with it. Used on one queue alone.
            private var refusal: (response: URLResponse, pieces: [BelfryBytesPiece])?

            init(
                _ response: AsyncThrowingStream<URLResponse, any Error>.Continuation,
                _ pieces: AsyncThrowingStream<BelfryBytesPiece, any Error>.Continuation, _ store: BelfryBytesStore,
                for session: URLSession, _ delegate: (any URLSessionTaskDelegate)?
            ) {
                (self.response, self.pieces, self.store, self.session) = (response, pieces, store, session)
                self.delegate = delegate ?? session.delegate as? any URLSessionTaskDelegate
            }

            func urlSession(
                _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
                completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
            ) {
                if (response as? HTTPURLResponse)?.statusCode == 401 {
                    refusal = (response, [])
                } else {
                    refusal = nil
                    self.response.yield(response)
                    self.response.finish()
                }
                completionHandler(.allow)
            }

            func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
                let piece = store.keep(data)
                if refusal == nil { pieces.yield(piece) } else { refusal?.pieces.append(piece) }
            }

            func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
                finish(task, error)
            }

            func urlSession(
                _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
                completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) {
                let isKnown = challenge.proposedCredential != nil
                let reply: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void = {
                    answer, credential in
                    session.delegateQueue.addOperation {
                        if answer == .rejectProtectionSpace || answer == .performDefaultHandling && !isKnown {
                            // The refusal is the response then, as on iOS; Foundation would leave it at that.
                            self.finish(task, nil)
                        }
                        completionHandler(answer, credential)
                    }
                }
                guard let delegate else { return reply(.performDefaultHandling, nil) }
                self.session.delegateQueue.addOperation {
                    delegate.urlSession(
                        self.session, task: task, didReceive: challenge, completionHandler: reply)
                }
            }

            func urlSession(
                _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
                newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
            ) {
                guard let delegate else { return completionHandler(request) }
                self.session.delegateQueue.addOperation {
                    delegate.urlSession(
                        self.session, task: task, willPerformHTTPRedirection: response, newRequest: request,
                        completionHandler: completionHandler)
                }
            }

            func urlSession(
                _ session: URLSession, task: URLSessionTask,
                needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
            ) {
                guard let delegate else { return completionHandler(nil) }
                self.session.delegateQueue.addOperation {
                    delegate.urlSession(self.session, task: task, needNewBodyStream: completionHandler)
                }
            }

            func urlSession(
                _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
                totalBytesExpectedToSend: Int64
            ) {
                guard let delegate else { return }
                self.session.delegateQueue.addOperation {
                    delegate.urlSession(
                        self.session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
                        totalBytesExpectedToSend: totalBytesExpectedToSend)
                }
            }

            private func finish(_ task: URLSessionTask, _ error: (any Error)?) {
                if error == nil {
                    // A redirection that was refused has no other word of its response.
                    if let response = refusal?.response ?? task.response { self.response.yield(response) }
                    for piece in refusal?.pieces ?? [] { pieces.yield(piece) }
                }
                refusal = nil
                response.finish(throwing: error)
                pieces.finish(throwing: error)
            }
        }

        """
}
