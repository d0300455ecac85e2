import BelfryPictures
import BelfryTerms
import Support
import Testing

/// No packet leaves for an address that is not public, whatever leads there.
@Suite(.serialized) struct AddressRefusalTests {
    private let server: HostileServer
    private let publicAddress = "93.184.216.34"
    /// Allows nothing that is asked for here. With nothing allowed at all, Landlock keeps the fetcher from every port
    /// but 80 and 443, and so from the server that stands in for the public address.
    private let irrelevant = ["other.example"]

    init() throws {
        server = try unsafe HostileServer.shared.get()
    }

    @Test(arguments: refusedAddresses)
    func refusedAsAnAddressAsAnAnswerAndBehindARedirect(_ address: String) throws {
        let host = address.contains(":") ? "[\(address)]" : address
        let literal = try Fetcher(
            "http://\(host)/", allow: [], environment: server.standIn(answers: publicAddress))
        #expect(literal.reason == .addressRefused)
        #expect(literal.complaint.isEmpty, "nothing is connected to")

        let resolved = try Fetcher(
            "http://name.example/", allow: [], environment: server.standIn(answers: address))
        #expect(resolved.reason == .addressRefused, "\(resolved)")
        #expect(resolved.detail?.hasPrefix("name.example has no public address;") == true, "\(resolved)")
        #expect(resolved.complaint.isEmpty)

        let redirected = try Fetcher(
            "http://name.example/redirect-to?http://\(host)/", allow: irrelevant,
            environment: publicly(first: publicAddress))
        #expect(redirected.reason == .addressRefused, "\(redirected)")
        #expect(redirected.detail == "name.example redirects to an address that is not public")
        #expect(redirected.complaint == "connect \(publicAddress) 80\n")
    }

    @Test func refusedInEverySpelling() throws {
        for spelling in [
            "127.1", "2130706433", "0x7f000001", "017700000001", "0177.0.0.1", "0x7f.0.0.1", "[::ffff:127.0.0.1]",
            "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::1]", "localhost", "localhost.", "LOCALHOST",
        ] {
            let fetcher = try Fetcher(
                "http://\(spelling)/", allow: [], environment: server.standIn(answers: "127.0.0.1"))
            #expect(fetcher.reason == .addressRefused, "\(spelling): \(fetcher)")
            #expect(fetcher.complaint.isEmpty, "\(spelling)")
        }
    }

    @Test func aNameThatChangesItsMindIsRefused() throws {
        // Asked again for the redirect, the resolver answers this machine.
        let fetcher = try Fetcher(
            "http://name.example/redirect-to?/png", allow: irrelevant,
            environment: publicly(first: publicAddress + " 127.0.0.1"))
        #expect(fetcher.reason == .addressRefused, "\(fetcher)")
        #expect(fetcher.complaint == "connect \(publicAddress) 80\n")
        // As long as it does not, the same redirect is followed.
        let steady = try Fetcher(
            "http://name.example/redirect-to?/png", allow: irrelevant, environment: publicly(first: publicAddress))
        #expect(steady.reason == nil, "\(steady)")
    }

    @Test func ofAMixedAnswerOnlyThePublicAddressesAreTried() throws {
        let unreachable = server.standIn(answers: "\(publicAddress),127.0.0.1,10.0.0.1")
        let fetcher = try Fetcher("http://name.example/png", allow: [], environment: unreachable)
        #expect(fetcher.reason == .connectFailed)
        #expect(fetcher.complaint == "connect \(publicAddress) 80\n")
    }

    @Test func anAllowedNetworkIsReachedByAnyNameAndOnAnyPort() throws {
        let environment = server.standIn(
            answers: "10.1.2.3", routes: "10.1.2.3=\(server.port("http"))")
        let url = "http://door.example:8080/png"
        #expect(try Fetcher(url, allow: ["10.1.0.0/16"], environment: environment).reason == nil)
        #expect(try Fetcher(url, allow: ["door.example"], environment: environment).reason == nil)
        #expect(try Fetcher(url, allow: ["10.2.0.0/16"], environment: environment).reason == .addressRefused)
        #expect(try Fetcher(url, allow: [], environment: environment).reason == .portRefused)
    }

    @Test func aNameWithoutAnAddressIsOne() throws {
        let environment = server.standIn(answers: "nonsense")
        #expect(try Fetcher("http://name.example/", allow: [], environment: environment).reason == .resolveFailed)
    }

    private func publicly(first answers: String) -> [String: String] {
        server.standIn(answers: answers, routes: "\(publicAddress)=\(server.port("http"))")
    }
}

/// One address of each block that is refused.
private let refusedAddresses = [
    "0.0.0.0", "0.1.2.3", "10.1.2.3", "100.64.1.1", "127.0.0.1", "127.255.255.254", "168.63.129.16",
    "169.254.169.254", "172.16.0.1",
    "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.51.100.1",
    "203.0.113.1", "224.0.0.251", "239.255.255.250", "240.0.0.1", "255.255.255.255", "::", "::1", "::7f00:1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "2001::1", "2001:2::1",
    "2001:10::1", "2001:20::1", "2001:db8::1", "3fff::1", "2002:7f00:1::1", "fc00::1", "fd12:3456::1", "fe80::1",
    "fec0::1", "ff02::1", "5f00::1", "8000::1",
]
