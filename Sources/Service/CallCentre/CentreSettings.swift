public import BelfryAppGroup
public import BelfryApps
public import BelfryDevices
public import BelfryTerms
public import CallControl
public import CallDirectory
public import RingEar

/// What the driver of apps' calls works with.
public struct CentreSettings: Sendable {
    /// How apps are started.
    public enum Start: Sendable {
        /// As units of the user's manager, `NAME@ID.service`, by systemctl(1) at that path.
        case units(name: String, systemctl: String)
        /// As children with these variables, which write to standard error.
        case children(environment: [String: String])
    }

    /// The configured apps.
    public let apps: ConfiguredApps
    /// What the calls of apps keep to.
    public let control: CallControlSettings
    /// Where the state is.
    public let state: StateDirectory
    /// Where runtime files are.
    public let runtime: RuntimeDirectory
    /// Where pushes are pushed.
    public let pushSocketPath: String
    /// How apps are started.
    public let start: Start
    /// The group of a push that names none.
    public var group: GroupName
    /// Where devices are made for apps that state no environment.
    public var environment = APNsEnvironment.production
    /// The person's address book; nil if there is none.
    public var contactsFile: String?
    /// The loader of call directories, a program with its first arguments; empty if there is no telling where it is.
    public var loaderCommand: [String] = []
    /// The folders of call directory extensions that are in no app.
    public var directoryExtensions: [String] = []
    /// How long a loader has, until it is killed: longer than what it gives an extension.
    public var loadMax = TimeSpan.seconds(180)
    /// Where the journal listens.
    public var journalPath: String
    /// Says who has a number that an app reports, and if the person has blocked it; nil if apps' calls are not looked
    /// up.
    public var lookUp: NumberLookUp?
    /// How long the driver stays after the last call, app and client.
    public var idleMax = TimeSpan.seconds(10)
    /// How long a connection has to say what it is.
    public var roleMax = TimeSpan.seconds(5)
    /// How long `belfry app start` waits for a registry.
    public var startMax = TimeSpan.seconds(10)

    /// Settings; the others are defaults.
    public init(
        apps: ConfiguredApps, control: CallControlSettings, state: StateDirectory, runtime: RuntimeDirectory,
        pushSocketPath: String, start: Start, group: GroupName, journalPath: String
    ) {
        (self.apps, self.control, self.state, self.runtime) = (apps, control, state, runtime)
        (self.pushSocketPath, self.start, self.group) = (pushSocketPath, start, group)
        self.journalPath = journalPath
    }
}
