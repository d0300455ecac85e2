public import BelfryDevices
import BelfryJSON
public import BelfryTerms
import Fleet

extension RunningBrokers {
    /// How often an entry is read anew that somebody has changed since.
    private static let attemptsMax = 5
    private static let changedCode: Int64 = 10_071

    /// Writes into the registry that each device of `machine` was removed at `now`. Returns how many were in use.
    public func removeDevices(of machine: FleetName, at now: WallTime) throws(FleetError) -> Int {
        guard !reached.isEmpty else { throw FleetError("no broker is reached") }
        let visit = try Self.visit(reached, as: account)
        let filter: JSONObject = ["subjects_filter": .string("\(BucketStream.keyPrefix)\(machine.text).>")]
        let info = try ask(BucketStream.infoSubject, filter.serialized(), by: visit)
        if let error = Self.error(in: info) { throw error.failure }
        var count = 0
        for member in info["state"]?.objectValue?["subjects"]?.objectValue?.members ?? [] {
            let key = BucketKey(String(member.key.dropFirst(BucketStream.keyPrefix.count)))
            guard case .device(let device)? = key, device.machine == machine else { continue }
            if try remove(member.key, at: now, by: visit) { count += 1 }
        }
        return count
    }

    /// Writes that the device at `subject` was removed; false if it was before.
    private func remove(
        _ subject: String, at now: WallTime, by visit: BrokerVisit
    ) throws(FleetError) -> Bool {
        for attempt in 1... {
            let request: JSONObject = ["last_by_subj": .string(subject)]
            let found = try ask(BucketStream.messageSubject, request.serialized(), by: visit)
            if let error = Self.error(in: found) { throw error.failure }
            let message = found["message"]?.objectValue
            let data = message?["data"]?.stringValue.map { Array($0.utf8) } ?? []
            guard let sequence = message?["seq"]?.integerValue.flatMap({ UInt64(exactly: $0) }),
                let bytes = Base64.decoded(data.span)
            else { throw FleetError(Self.notUnderstood) }
            // One that was forgotten is no entry any more.
            guard let entry = try? DeviceEntry(bytes: bytes), entry.removedAt == nil else { return false }
            var removed = entry
            removed.removedAt = now
            let written = try ask(
                subject, headers: [("Nats-Expected-Last-Subject-Sequence", "\(sequence)")],
                removed.replacing(entry, at: sequence).bytes, by: visit)
            guard let error = Self.error(in: written) else { return true }
            guard error.code == Self.changedCode, attempt < Self.attemptsMax else { throw error.failure }
        }
        return false
    }

    private func ask(
        _ subject: String, headers: [(name: String, value: String)] = [], _ bytes: [UInt8], by visit: BrokerVisit
    ) throws(FleetError) -> JSONObject {
        guard let broker = visit.reached.first else { throw FleetError("the brokers have gone") }
        switch visit.ask(subject, headers: headers, bytes, of: broker, for: Self.patience) {
        case .bytes(let answer):
            guard let object = (try? JSONValue.parse(answer))?.objectValue else {
                throw FleetError(Self.notUnderstood)
            }
            return object
        case .nobody: throw FleetError("the brokers have no registry of devices")
        case .none: throw FleetError("the brokers do not answer in time")
        case .forbidden(let words): throw FleetError(words)
        }
    }

    private static func error(in answer: JSONObject) -> (code: Int64, failure: FleetError)? {
        answer["error"]?.objectValue.map { error in
            let code = error["err_code"]?.integerValue ?? 0
            guard code != BucketStream.absentCode else {
                return (code, FleetError("there is no registry of devices: belfry fleet setup makes it"))
            }
            return (code, FleetError(error["description"]?.stringValue ?? notUnderstood))
        }
    }
}
