import BelfryTerms

/// Where pictures may be fetched from: `[Avatar] Allow=` and `From=`, and the ban on addresses that are not public.
public struct DestinationRules: Hashable, Sendable {
    /// The ports that need no permission.
    public static let portsOpen: Set<UInt16> = [80, 443]

    /// Names in lower case that may be anywhere, on any port.
    private let allowedNames: [String]
    /// Networks that may be reached, on any port.
    private let allowedBlocks: [AddressBlock]
    /// The only hosts asked, as a URL spells them; nil for any.
    private let from: [String]?

    /// Whether nothing at all is exempt, so that no port but ``portsOpen`` is ever connected to.
    public var isStrict: Bool { allowedNames.isEmpty && allowedBlocks.isEmpty }

    /// The rules of `allow` (names, addresses, blocks) and `from` (names; empty for any host).
    ///
    /// What is neither address nor block counts as a name, which then matches no host: configuration has checked it.
    public init(allow: [String] = [], from: [String] = []) {
        let blocks = allow.map { AddressBlock(text: $0) }
        allowedBlocks = blocks.compactMap(\.self)
        allowedNames = zip(allow, blocks).filter { $0.1 == nil }.map { Self.canonical($0.0) }
        self.from = from.isEmpty ? nil : from.map(Self.canonical)
    }

    /// Why a URL is refused before its name is resolved; nil if it may be tried.
    public func refusal(of url: WebURL) -> Skip? {
        let host = url.hostText
        if let from, !from.contains(where: { $0.utf8.elementsEqual(host.utf8) }) {
            return Skip(.hostNotAllowed, "[Avatar] From= does not name \(host)")
        }
        switch url.host {
        case .address(let address): return refusal(of: address, port: url.port, for: url)
        case .name:
            guard !isExempt(url), allowedBlocks.isEmpty, !Self.portsOpen.contains(url.port) else { return nil }
            return Self.refusal(ofPort: url.port, of: host)
        }
    }

    /// Why the address that is about to be connected to for `url` is refused, whatever a resolver said; nil if it is
    /// allowed.
    ///
    /// Its words name no address except the URL's own: the sender of the push gets to see them, and need not learn what
    /// a name resolves to in this network.
    public func refusal(of address: InternetAddress, port: UInt16, for url: WebURL) -> Skip? {
        // For ::ffff:10.0.0.1 the kernel connects to 10.0.0.1.
        guard !isExempt(url), !allowedBlocks.contains(where: { $0.contains(address) || $0.contains(address.unmapped) })
        else { return nil }
        if let why = address.refusal {
            let fault = url.host == .address(address) ? "is \(why)" : "has no public address"
            return Skip(.addressRefused, "\(url.hostText) \(fault); [Avatar] Allow= would let it be fetched")
        }
        return Self.portsOpen.contains(port) ? nil : Self.refusal(ofPort: port, of: url.hostText)
    }

    private func isExempt(_ url: WebURL) -> Bool {
        guard case .name(let name) = url.host else { return false }
        return allowedNames.contains { $0.utf8.elementsEqual(name.utf8) }
    }

    private static func refusal(ofPort port: UInt16, of host: String) -> Skip {
        Skip(.portRefused, "\(host) is asked on port \(port); without [Avatar] Allow= only 80 and 443 are")
    }

    private static func canonical(_ name: String) -> String {
        let lower = name.lowercased()
        if let address = InternetAddress(text: lower), !address.isV4 { return "[\(address)]" }
        return lower.utf8.last == UInt8(ascii: ".") ? String(lower.dropLast()) : lower
    }
}
