import BelfryCommandLine

extension Command {
    /// `belfry fleet`.
    static let fleet = Command(
        name: "fleet",
        synopsis: [
            "fleet setup [--broker HOST[:PORT[:ROUTEPORT]]]...",
            "fleet enroll NAME [--gateway|--shared] [--expires SPAN] [--again]",
            "fleet revoke NAME [--gateway|--machine]",
            "fleet remove NAME",
            "fleet join FILE [--again]",
            "fleet leave",
            "fleet status [--json]",
            "fleet list [--json]",
            "fleet restore",
        ],
        summary: "machines and gateways that reach each other through brokers",
        details: """
            setup makes a fleet's keys, a folder for each broker and, once these run, the registry of devices; enroll makes
            a credential, by which a machine or gateway joins. status and list tell how it stands, and of each machine; restore
            gives lost brokers their devices back.
            """,
        arguments: 1...Int.max, takesCommandLine: true
    ) { context throws(CommandError) in try SiblingProgram.run("belfry-fleet", [], context) }
}
