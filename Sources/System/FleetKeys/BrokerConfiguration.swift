import Fleet

/// What a broker's folder has beside keys: the file that nats-server(8) reads.
struct BrokerConfiguration {
    static let fileName = "nats.conf"
    static let operatorName = "operator.jwt"
    static let certificateName = "server.pem"
    static let keyName = "server-key.pem"
    static let authorityName = "authority.pem"

    let broker: Broker
    /// All of the fleet's, this one among them.
    let brokers: [Broker]
    let keys: FleetKeySet
    let systemToken: String
    let accountToken: String

    /// The file. Paths in it are those of the folder that it is in, where the broker has to be started.
    var text: String {
        """
        # A broker of a Belfry fleet: \(broker.address). belfry fleet setup writes this file anew.
        #
        # This folder belongs on \(broker.address.host), to a user of its own, since it has a key; start it in there:
        #   nats-server -c \(Self.fileName)
        # By the unit of Debian's package, with the folder as /var/lib/belfry-broker and "chown -R nats:" it,
        # "systemctl edit nats-server" and write:
        #   [Service]
        #   WorkingDirectory=/var/lib/belfry-broker
        #   # Of thousands of machines each has a fifth less memory here, for a tenth more of a processor as they come.
        #   Environment=GOGC=40
        #   ExecStart=
        #   ExecStart=/usr/sbin/nats-server -c \(Self.fileName)

        server_name: "\(broker.name)"
        listen: "\(anyAddress):\(broker.address.port)"

        # What comes longer is none of Belfry's; who does not answer is gone soon.
        max_payload: 64KB
        ping_interval: "10s"
        ping_max: 2
        write_deadline: "5s"

        tls {
          cert_file: "\(Self.certificateName)"
          key_file: "\(Self.keyName)"
          # As long as machines wait: where another broker has died, thousands of them come at once.
          timeout: 30
        }

        # No WebSocket, MQTT, leaf node or user without a credential may be added: Debian's version has holes there.
        jetstream {
          store_dir: "\(storeName)"
          max_memory_store: 16MB
          max_file_store: 1GB
        }
        \(cluster)
        operator: "\(Self.operatorName)"
        system_account: "\(keys.system.name)"
        resolver {
          type: full
          dir: "accounts"
          # How often it asks the others whether they know more: it may have been off as somebody was revoked.
          interval: "2s"
        }
        # Whom the brokers let in, as it was when this file was written; a later one that they were told counts more.
        resolver_preload {
          \(keys.system.name): "\(systemToken)"
          \(keys.account.name): "\(accountToken)"
        }

        """
    }

    /// What a broker alone has stored, the others would not get as they join it: who of them leads decides by chance
    /// whether it counts. So it stays where it is.
    private var storeName: String { brokers.count > 1 ? "store" : "store-alone" }

    /// Of one broker alone JetStream would wait for others.
    private var cluster: String {
        guard brokers.count > 1 else { return "" }
        let routes = brokers.filter { $0 != broker }.map { other in
            "    \"nats-route://\(other.address.bracketedHost):\(other.routePort)\"\n"
        }
        return """

            cluster {
              name: "belfry"
              listen: "\(anyAddress):\(broker.routePort)"
              no_advertise: true
              tls {
                cert_file: "\(Self.certificateName)"
                key_file: "\(Self.keyName)"
                ca_file: "\(Self.authorityName)"
                verify: true
                timeout: 5
              }
              routes: [
            \(routes.joined())  ]
            }

            """
    }

    /// Whose name or address of version 4 it is may have no version 6 at all.
    private var anyAddress: String { broker.address.host.contains(":") ? "[::]" : "0.0.0.0" }

    /// As its certificate has it.
    var certificateName: String { "\(broker.address.isNumeric ? "IP" : "DNS"):\(broker.address.host)" }
}
