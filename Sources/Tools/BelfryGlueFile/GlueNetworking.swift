/// What the generated file has where sources use what Linux's `URLSession` lacks. It stands in the extension's own
/// module, since no other may link FoundationNetworking, which costs each start 5 ms.
enum GlueNetworking {
    /// Foundation finds what loads a web address by its name alone, which no linker sees. `suggestedFilename` is as on
    /// iOS.
    static let always = """

        extension BelfryGlue {
            /// Foundation finds what loads a web address by its name alone, which no linker sees. Here it is
            /// named, and public, since an optimiser drops what nobody uses.
            public static var loader: URLSession.Type { URLSession.self }
        }

        extension URLResponse {
            /// The name as on iOS; Foundation's is always "Unknown" on Linux.
            var suggestedFilename: String? {
                BelfryGlue.suggestedFilename(
                    url: url,
                    contentDisposition: (self as? HTTPURLResponse)?.value(
                        forHTTPHeaderField: "Content-Disposition"),
                    mimeType: mimeType)
            }
        }

        """

    /// `waitsForConnectivity`, which Foundation has on Linux as a constant.
    static let waiting = """

        extension URLSessionConfiguration {
            /// Accepted with a warning: a load without a network fails at once on Linux.
            var waitsForConnectivity: Bool {
                get { false }
                set { if newValue { BelfryGlue.refuse("URLSessionConfiguration.waitsForConnectivity") } }
            }
        }

        """

    /// What code asks of a server's certificate.
    static let trust = """

        /// The kind of challenge by which iOS asks about a server's certificate; nothing here asks.
        let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

        extension URLProtectionSpace {
            /// Nil, with a warning.
            var serverTrust: SecTrust? {
                BelfryGlue.refuse("URLProtectionSpace.serverTrust")
                return nil
            }
        }

        extension URLCredential {
            /// Good for nothing, with a warning.
            convenience init(trust: SecTrust) {
                BelfryGlue.refuse("URLCredential(trust:)")
                self.init(user: "", password: "", persistence: .none)
            }
        }

        """

    /// `URLSession.bytes`.
    static let bytes = """

        extension URLSession {
            /// A response's bytes, as they come.
            struct AsyncBytes: AsyncSequence, Sendable {
                typealias Element = UInt8

                /// The task that loads them.
                let task: URLSessionDataTask
                fileprivate let chunks: AsyncThrowingStream<Data, any Error>

                struct AsyncIterator: AsyncIteratorProtocol {
                    fileprivate var chunks: AsyncThrowingStream<Data, any Error>.AsyncIterator
                    private var chunk = Data()
                    private var place = 0

                    fileprivate init(_ chunks: AsyncThrowingStream<Data, any Error>) {
                        self.chunks = chunks.makeAsyncIterator()
                    }

                    mutating func next() async throws -> UInt8? {
                        while place == chunk.count {
                            guard let next = try await chunks.next() else { return nil }
                            (chunk, place) = (next, 0)
                        }
                        place += 1
                        return chunk[chunk.startIndex + place - 1]
                    }
                }

                func makeAsyncIterator() -> AsyncIterator { AsyncIterator(chunks) }

                /// The lines, without what ends them.
                var lines: AsyncThrowingStream<String, any Error> {
                    AsyncThrowingStream { lines in
                        let work = Task {
                            var line: [UInt8] = []
                            do {
                                for try await byte in self {
                                    guard byte == UInt8(ascii: "\\n") else {
                                        line.append(byte)
                                        continue
                                    }
                                    if line.last == UInt8(ascii: "\\r") { line.removeLast() }
                                    lines.yield(String(decoding: line, as: UTF8.self))
                                    line = []
                                }
                                if !line.isEmpty { lines.yield(String(decoding: line, as: UTF8.self)) }
                                lines.finish()
                            } catch {
                                lines.finish(throwing: error)
                            }
                        }
                        lines.onTermination = { _ in work.cancel() }
                    }
                }
            }

            /// Loads `url`: returns once the response has begun.
            func bytes(
                from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
            ) async throws -> (AsyncBytes, URLResponse) {
                try await bytes(for: URLRequest(url: url), delegate: delegate)
            }

            /// Loads `request`: returns once the response has begun.
            func bytes(
                for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
            ) async throws -> (AsyncBytes, URLResponse) {
                let (chunks, into) = AsyncThrowingStream<Data, any Error>.makeStream()
                let (responses, response) = AsyncThrowingStream<URLResponse, any Error>.makeStream()
                let receiver = BelfryBytesReceiver(response, into)
                let session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
                let task = session.dataTask(with: request)
                // Whoever leaves early loads no more.
                into.onTermination = { _ in session.invalidateAndCancel() }
                return try await withTaskCancellationHandler {
                    task.resume()
                    for try await response in responses { return (AsyncBytes(task: task, chunks: chunks), response) }
                    throw CancellationError()
                } onCancel: {
                    task.cancel()
                }
            }
        }

        private final class BelfryBytesReceiver: NSObject, URLSessionDataDelegate, @unchecked Sendable {
            private let response: AsyncThrowingStream<URLResponse, any Error>.Continuation
            private let chunks: AsyncThrowingStream<Data, any Error>.Continuation

            init(
                _ response: AsyncThrowingStream<URLResponse, any Error>.Continuation,
                _ chunks: AsyncThrowingStream<Data, any Error>.Continuation
            ) {
                self.response = response
                self.chunks = chunks
            }

            func urlSession(
                _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
                completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
            ) {
                self.response.yield(response)
                self.response.finish()
                completionHandler(.allow)
            }

            func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
                chunks.yield(data)
            }

            func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
                response.finish(throwing: error)
                chunks.finish(throwing: error)
            }
        }

        """
}
