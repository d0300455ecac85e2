import BelfryCommandLine

extension Command {
    /// `belfry fleet`.
    static let fleet = Command(
        name: "fleet",
        synopsis: [
            "fleet setup [--broker HOST[:PORT[:ROUTEPORT]]]...",
            "fleet enroll NAME [--gateway|--shared] [--expires SPAN] [--again]",
            "fleet revoke NAME [--gateway|--machine]",
        ],
        summary: "machines and gateways that reach each other through brokers",
        details: "setup makes a fleet's keys and a folder for each broker, enroll a credential; none asks a broker.",
        arguments: 1...Int.max, takesCommandLine: true
    ) { context throws(CommandError) in try SiblingProgram.run("belfry-fleet", [], context) }
}
