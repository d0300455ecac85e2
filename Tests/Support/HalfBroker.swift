import BelfrySyscalls

/// Tests/Servers/half-broker.py, running for as long as this object lives.
public final class HalfBroker {
    /// The port for clients.
    public let port: UInt16
    private let child: ChildProcess
    private var input: OwnedDescriptor?

    /// One that stops at `way`.
    public init(_ way: String, _ certificate: BrokerCertificate) throws {
        let request = try DescriptorPair.pipe()
        let answer = try DescriptorPair.pipe()
        child = try ChildProcess(
            ChildCommand(
                path: "/usr/bin/python3",
                arguments: [sourceFile("Tests/Servers/half-broker.py"), way, certificate.file, certificate.keyFile],
                streams: [0: .descriptor(request.reading.number), 1: .descriptor(answer.writing.number)]))
        answer.writing.close()
        input = .some(request.writing)
        guard let port = LineReader(answer.reading).next(within: 30_000).flatMap({ UInt16($0) }) else {
            throw Broker.Missing(description: "half-broker.py says no port")
        }
        self.port = port
    }

    deinit {
        input = nil
        _ = try? child.waitUntilExit()
    }
}
