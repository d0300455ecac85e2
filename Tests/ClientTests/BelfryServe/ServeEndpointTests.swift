import BelfrySyscalls
import Glibc
import Support
import Testing

/// `belfry serve --apns`: a push server's own client, here curl, rings a phone.
@Suite struct ServeEndpointTests {
    private let place = TemporaryFolder()

    private func shell(_ script: String) throws -> ProgramRun {
        try ProgramRun(
            testedProgram("belfry"), ["serve", "--apns", "--", "sh", "-c", script, testedProgram("belfry-apns")],
            environment: [
                "TMPDIR": place.path, "XDG_RUNTIME_DIR": nil, "BELFRY_SOCKET": nil, "BELFRY_SOUND": "none",
            ])
    }

    private static let push = """
        curl -sS -m 60 -w '%{http_code}\\n' --cacert "$BELFRY_APNS_CA" --cert "$BELFRY_APNS_CERTIFICATE" \\
            -H "apns-topic: $BELFRY_APNS_BUNDLE_ID.voip" -H 'apns-push-type: voip' -H 'apns-expiration: 0' \\
            -d '{"callId":"a","callerName":"Anna"}' "$BELFRY_APNS_URL/3/device/$BELFRY_APNS_VOIP_TOKEN"
        """

    @Test("what curl sends with a certificate is answered 200 and rings; nothing is left")
    func rings() throws {
        let heard = "until $0 apns log --json | grep -o '\"event\":\"ringing\",\"code\":\"loud\"'; do :; done"
        let run = try shell("\(Self.push)\n\(heard)")
        #expect(run.lines() == ["200", "\"event\":\"ringing\",\"code\":\"loud\""])
        #expect(try run.child.waitUntilExit() == .exited(code: 0))
        #expect(try Directory.open(path: place.path, makes: false).names(max: 10) == [])
    }

    @Test("what a known server's pushes say is read as the device says: two calls ring, and the cancel ends one")
    func knownServer() throws {
        let run = try shell(
            """
            token=$($0 device add --bundle-id $BELFRY_APNS_BUNDLE_ID --payload twilio --json \\
                | sed 's/.*"voipToken":"\\([0-9a-f]*\\)".*/\\1/')
            push() {
                curl -sS -m 60 -w '%{http_code}\\n' --cacert "$BELFRY_APNS_CA" --cert "$BELFRY_APNS_CERTIFICATE" \\
                    -H "apns-topic: $BELFRY_APNS_BUNDLE_ID.voip" -H 'apns-push-type: voip' \\
                    -d '{"twi_message_type":"twilio.voice.'$1'","twi_call_sid":"'$2'","twi_from":"client:anna"}' \\
                    "$BELFRY_APNS_URL/3/device/$token"
            }
            await() {
                looks=0
                until $0 apns log --json | grep -o '"event":"'$1'","code":"'$2'"' || [ $looks = 5000 ]; do
                    looks=$((looks + 1))
                done
            }
            push call CA1; await ringing loud
            push call CA2; await ringing soft
            push cancel CA1; await ended hangup
            """)
        #expect(
            run.lines() == [
                "200", #""event":"ringing","code":"loud""#, "200", #""event":"ringing","code":"soft""#, "200",
                #""event":"ended","code":"hangup""#,
            ])
        #expect(try run.child.waitUntilExit() == .exited(code: 0))
    }

    @Test("a device that was removed is 410, one whose token was never issued 400, and fail answers what it says")
    func answers() throws {
        let run = try shell(
            """
            $0 apns fail --status 503 --reason ServiceUnavailable
            \(Self.push)
            $0 device remove $BELFRY_APNS_DEVICE
            \(Self.push) | sed 's/"timestamp":[0-9]*//'
            until $0 apns log | grep -o 'its device was removed$'; do :; done
            $0 device add --bundle-id $BELFRY_APNS_BUNDLE_ID >/dev/null
            \(Self.push) | sed 's/"timestamp":[0-9]*//'
            until $0 apns log | grep -o 'removed, and its app was given another token$'; do :; done
            BELFRY_APNS_VOIP_TOKEN=00
            \(Self.push)
            """)
        #expect(
            run.lines() == [
                "{\"reason\":\"ServiceUnavailable\"}503", "{\"reason\":\"Unregistered\",}410",
                "its device was removed", "{\"reason\":\"Unregistered\",}410",
                "removed, and its app was given another token", "{\"reason\":\"BadDeviceToken\"}400",
            ])
        #expect(try run.child.waitUntilExit() == .exited(code: 0))
    }
}
