// Fuzz TARGET [OPTION...]: libFuzzer feeds one of the readers of foreign bytes; "Fuzz --list" names them. Tests/fuzz
// builds and runs it.
import CFuzzer
import Glibc

/// Everything that reads bytes from outside, each with what it must hold.
enum FuzzTarget: String, CaseIterable {
    case push, json, event
    case ringMessage = "ring-message"
    case propertyList = "property-list"
    case settings, sound, kernel, pictures
    case keptPicture = "kept-picture"
    case decoder
    case hostChannel = "host-channel"
    case sources, devices, desktop
    case endpointRequest = "endpoint-request"
    case providerToken = "provider-token"
    case certificate, ends, contacts
    case callCentre = "call-centre"
    case callEnds = "call-ends"
    case numberTable = "number-table"
    case dialledNumber = "dialled-number"
    case directoryCSV = "directory-csv"
    case loadNews = "load-news"
    case fleetCredential = "fleet-credential"
    case brokerWords = "broker-words"
    case fleetDevice = "fleet-device"
    case fleetPush = "fleet-push"
    case relayWords = "relay-words"
    case fleetBucket = "fleet-bucket"

    /// The one that the command line names.
    static let chosen = CommandLine.arguments.dropFirst().first.flatMap(FuzzTarget.init)

    func feed(_ bytes: [UInt8]) {
        switch self {
        case .push: feedPush(bytes)
        case .json: feedJSON(bytes)
        case .event: feedEvent(bytes)
        case .ringMessage: feedRingMessage(bytes)
        case .propertyList: feedPropertyList(bytes)
        case .settings: feedSettings(bytes)
        case .sound: feedSound(bytes)
        case .kernel: feedKernel(bytes)
        case .pictures: feedPictures(bytes)
        case .keptPicture: feedKeptPicture(bytes)
        case .decoder: feedDecoder(bytes)
        case .hostChannel: feedHostChannel(bytes)
        case .sources: feedSources(bytes)
        case .devices: feedDevices(bytes)
        case .desktop: feedDesktop(bytes)
        case .endpointRequest: feedEndpointRequest(bytes)
        case .providerToken: feedProviderToken(bytes)
        case .certificate: feedCertificate(bytes)
        case .ends: feedEnds(bytes)
        case .contacts: feedContacts(bytes)
        case .callCentre: feedCallCentre(bytes)
        case .callEnds: feedCallEnds(bytes)
        case .numberTable: feedNumberTable(bytes)
        case .dialledNumber: feedDialledNumber(bytes)
        case .directoryCSV: feedDirectoryCSV(bytes)
        case .loadNews: feedLoadNews(bytes)
        case .fleetCredential: feedFleetCredential(bytes)
        case .brokerWords: feedBrokerWords(bytes)
        case .fleetDevice: feedFleetDevice(bytes)
        case .fleetPush: feedFleetPush(bytes)
        case .relayWords: feedRelayWords(bytes)
        case .fleetBucket: feedFleetBucket(bytes)
        }
    }
}

guard FuzzTarget.chosen != nil else {
    for target in FuzzTarget.allCases { print(target.rawValue) }
    exit(CommandLine.arguments.dropFirst().first == "--list" ? 0 : 64)
}
// The target's name stands where libFuzzer expects the program's.
let status = unsafe cfuzzer_run(CommandLine.argc - 1, CommandLine.unsafeArgv + 1) { start, count in
    FuzzTarget.chosen?.feed(unsafe [UInt8](UnsafeBufferPointer(start: start, count: count)))
    return 0
}
exit(status)
