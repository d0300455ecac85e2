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
}
