#if os(Linux)
    import BelfryTesting
    import Foundation
    import Testing

    /// What the programs beside the tests give: the caller's picture, and an endpoint.
    @Suite struct PhoneTests {
        @Test(.belfry(settings: BellSettings(avatarAllow: ["127.0.0.1"])))
        func picture() async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let dot = "R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw=="
            try #require(Data(base64Encoded: dot)).write(to: folder.appending(path: "dot.gif"))
            let bell = try Belfry.bell
            let server = try await bell.run(
                "python3", ["-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", folder.path(), "0"])
            // Serving HTTP on 127.0.0.1 port N (http://127.0.0.1:N/) ...
            try await server.waitForOutput("/) ...")
            let port = try #require(await server.output.split(separator: " ").compactMap { Int($0) }.first)

            let call = try await bell.call(name: "Anna", picture: "http://127.0.0.1:\(port)/dot.gif")
            let event = try await call.waitFor(.attachment)
            #expect("\(event)".contains("public.png"), "\(event)")
        }

        @Test(.belfry(settings: BellSettings(hasEndpoint: true)))
        func push() async throws {
            let bell = try Belfry.bell
            let client = try await bell.run(
                "sh",
                [
                    "-c",
                    """
                    curl --silent --fail --http2 --cacert "$BELFRY_APNS_CA" --cert "$BELFRY_APNS_CERTIFICATE" \
                        --header "apns-topic: $BELFRY_APNS_BUNDLE_ID.voip" --header "apns-push-type: voip" \
                        --data '{"type":"call-request","callId":"b","callerName":"Bob"}' \
                        "$BELFRY_APNS_URL/3/device/$BELFRY_APNS_VOIP_TOKEN"
                    """,
                ])
            #expect(try await client.waitUntilExit() == .exited(0))
            // The endpoint answers before the phone rings, as Apple's does.
            let call = try await bell.nextPush { $0.callID == "b" }
            try await call.waitFor(.ringing)
            #expect(call.request?.headers["apns-push-type"] == "voip")
            #expect(await bell.calls.map(\.id) == ["b"])
        }
    }
#endif
