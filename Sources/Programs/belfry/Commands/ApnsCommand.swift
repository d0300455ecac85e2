import BelfryCommandLine

extension Command {
    /// `belfry apns`.
    static let apns = Command(
        name: "apns",
        synopsis: [
            "apns setup|list", "apns key add FILE --team ID", "apns certificate add FILE",
            "apns credentials new --bundle-id ID", "apns revoke NAME",
            "apns log [APNS-ID] [--lines N] [--since TIME] [--follow] [--json]", "apns watch [APNS-ID] [--json]",
            "apns fail --status N --reason R", "apns fail --clear", "apns goaway [--hard]",
        ],
        summary: "an APNs endpoint that push servers' own clients talk to",
        details: """
            belfry apns VERB --help says more about one. All but fail and goaway work whether or not the endpoint runs:
            systemctl --user enable --now belfry-apns.socket
            """,
        arguments: 1...Int.max, takesCommandLine: true
    ) { context throws(CommandError) in try SiblingProgram.run("belfry-apns", ["apns"], context) }

    /// `belfry device`.
    static let device = Command(
        name: "device",
        synopsis: [
            "device add --bundle-id ID [--group NAME|--share] [--environment production|development] [OPTION]...",
            "device list [--tokens]",
            "device remove|offline|online DEVICE",
        ],
        summary: "virtual devices that push servers can reach by their tokens",
        details:
            "add prints a device's tokens, one for calls and one for the rest; after remove they are answered 410.",
        arguments: 1...Int.max, takesCommandLine: true
    ) { context throws(CommandError) in try SiblingProgram.run("belfry-apns", ["device"], context) }
}
