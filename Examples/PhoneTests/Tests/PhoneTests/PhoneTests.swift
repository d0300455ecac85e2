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
            let server = Process()
            let words = Pipe()
            server.executableURL = URL(filePath: "/usr/bin/python3")
            server.arguments = ["-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", folder.path(), "0"]
            server.standardOutput = words
            server.standardError = FileHandle.nullDevice
            try server.run()
            defer { server.terminate() }
            // Serving HTTP on 127.0.0.1 port N (http://127.0.0.1:N/) ...
            let line = String(decoding: words.fileHandleForReading.availableData, as: UTF8.self)
            let port = try #require(line.split(separator: " ").compactMap { Int($0) }.first)

            let call = try await Belfry.bell.call(name: "Anna", picture: "http://127.0.0.1:\(port)/dot.gif")
            let event = try await call.waitFor(.attachment)
            #expect("\(event)".contains("public.png"), "\(event)")
        }

        @Test(.belfry(settings: BellSettings(hasEndpoint: true)))
        func push() async throws {
            let bell = try Belfry.bell
            let client = Process()
            client.executableURL = URL(filePath: "/bin/sh")
            client.arguments = [
                "-c",
                """
                curl --silent --fail --http2 --cacert "$BELFRY_APNS_CA" --cert "$BELFRY_APNS_CERTIFICATE" \
                    --header "apns-topic: $BELFRY_APNS_BUNDLE_ID.voip" --header "apns-push-type: voip" \
                    --data '{"type":"call-request","callId":"b","callerName":"Bob"}' \
                    "$BELFRY_APNS_URL/3/device/$BELFRY_APNS_VOIP_TOKEN"
                """,
            ]
            client.environment = bell.environment
            try client.run()
            client.waitUntilExit()
            #expect(client.terminationStatus == 0)
            // The endpoint answers before the phone rings, as Apple's does.
            let call = try await bell.nextPush { $0.callID == "b" }
            try await call.waitFor(.ringing)
            #expect(call.request?.headers["apns-push-type"] == "voip")
            #expect(await bell.calls.map(\.id) == ["b"])
        }
    }
#endif
