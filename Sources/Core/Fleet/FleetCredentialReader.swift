import BelfryDevices
import BelfryTerms

extension FleetCredential {
    /// Reads the file `bytes`, which a stranger may have made or cut; throws what is wrong with it.
    public init(bytes: [UInt8]) throws(FleetCredentialError) {
        guard bytes.count <= Self.bytesMax else { throw .tooLong }
        self = try CredentialReader(bytes).credential()
    }
}

/// The lines of a credential's file, one after the other.
private struct CredentialReader {
    private let lines: [String]
    private var next = 0
    private var fields: [String: String] = [:]
    private var blocks: [CredentialBlock: [String]] = [:]

    init(_ bytes: [UInt8]) {
        // An editor may have ended lines with CR LF.
        lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }
    }

    func credential() throws(FleetCredentialError) -> FleetCredential {
        var reader = self
        try reader.read()
        guard let version = reader.fields["version"] else { throw .other }
        guard !version.isEmpty else { throw .cutShort("version") }
        guard let number = Int64(version) else { throw .other }
        guard number == FleetCredential.version else { throw .laterVersion }
        let name = FleetName(try reader.field("name"))
        guard let name else { throw .badName }
        guard let role = FleetRole(rawValue: try reader.field("role")) else { throw .badRole }
        let words = try reader.field("brokers").split(separator: " ")
        let brokers = words.compactMap { BrokerAddress($0) }
        guard brokers.count == words.count else { throw .badBrokers }
        let authority = Array(try reader.block(.authority).joined().utf8)
        guard let certificate = Base64.decoded(authority.span), !certificate.isEmpty else {
            throw .cutShort("certificate")
        }
        return try FleetCredential(
            name: name, role: role, brokers: brokers, token: try reader.block(.token).joined(),
            seed: try reader.block(.seed).joined(), authority: certificate)
    }

    private func field(_ name: String) throws(FleetCredentialError) -> String {
        guard let value = fields[name] else { throw .cutShort(name) }
        return value
    }

    private func block(_ block: CredentialBlock) throws(FleetCredentialError) -> [String] {
        guard let content = blocks[block] else { throw .cutShort(block.part) }
        return content
    }

    /// Fields first, then blocks. A field that is not known is a later program's, and passed over.
    private mutating func read() throws(FleetCredentialError) {
        while next < lines.count {
            let line = lines[next]
            next += 1
            if line.isEmpty || line.hasPrefix("#") { continue }
            if let block = CredentialBlock.allCases.first(where: { $0.start == line }) {
                blocks[block] = try content(of: block)
                continue
            }
            let colon = line.firstIndex(of: ":")
            guard let colon, blocks.isEmpty else {
                // Of what is missing behind a last line that was cut, the caller tells.
                if next == lines.count, !fields.isEmpty, blocks.count < CredentialBlock.allCases.count { return }
                throw fields.isEmpty ? .other : .badLine(next)
            }
            let name = String(line[..<colon])
            guard fields.isEmpty == (name == "version") else { throw fields.isEmpty ? .other : .badLine(next) }
            guard fields[name] == nil else { throw .badLine(next) }
            fields[name] = line[line.index(after: colon)...].trimmingPrefix(" ").description
        }
    }

    private mutating func content(of block: CredentialBlock) throws(FleetCredentialError) -> [String] {
        guard blocks[block] == nil else { throw .badLine(next) }
        var content: [String] = []
        while next < lines.count {
            let line = lines[next]
            next += 1
            if line == block.end { return content }
            if line.hasPrefix("-"), next < lines.count { throw .badLine(next) }
            content.append(line)
        }
        throw .cutShort(block.part)
    }
}

extension CredentialBlock {
    /// What it is, for people.
    fileprivate var part: String {
        switch self {
        case .token: "token"
        case .seed: "seed"
        case .authority: "certificate"
        }
    }
}
