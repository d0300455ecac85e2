public import BelfryJSON

/// Which records somebody wants, and what they show of each: those of a push that came by the APNs endpoint have its
/// `apnsId` and its `device`, too, so that any of them finds its push.
public struct RecordSelection: Sendable {
    /// How many pushes are remembered between their request and their end; beyond that the oldest are forgotten.
    static let rememberedMax = 100_000

    private let id: String?
    private let device: String?
    private var accepted = RememberedRequests(max: rememberedMax)

    /// The records of the push `id`, or of the device `device`, or all. The id is a push's own or its `apns-id`, in
    /// any case.
    public init(id: String? = nil, device: String? = nil) {
        self.id = id?.lowercased()
        self.device = device?.lowercased()
    }

    /// What is shown of `record`; nil if it is not wanted.
    public mutating func shown(_ record: PushRecord) -> JSONObject? {
        var object = record.json
        var found: String?
        switch record {
        case .request(let request):
            if request.status == 200 { accepted.add(request) }
            found = request.device
        case .push, .event, .end:
            guard let request = accepted[record.id] else { break }
            found = request.device
            object["apnsId"] = .string(request.apnsID)
            object["device"] = request.device.map { .string($0) }
        }
        if case .end = record { _ = accepted.remove(record.id) }
        guard id == nil || record.id == id, device == nil || found?.lowercased() == device else { return nil }
        return object
    }
}

/// The last requests that an endpoint has accepted, by the identifiers of their pushes.
package struct RememberedRequests: Sendable {
    private let max: Int
    private var requests: [String: PushRecord.Request] = [:]
    /// Their identifiers as they came, also of some that were removed meanwhile.
    private var order: [String] = []

    /// None yet; `max` are remembered at most, from 1 on.
    package init(max: Int) { self.max = max }

    /// Remembers `request`, and forgets the oldest ones if they are too many.
    package mutating func add(_ request: PushRecord.Request) {
        if requests.updateValue(request, forKey: request.id) == nil { order.append(request.id) }
        guard order.count >= max * 2 else { return }
        // Once in a while, since it takes as long as there are many.
        let living = order.filter { requests[$0] != nil }
        for id in living.dropLast(max) { requests[id] = nil }
        order = living.suffix(max)
    }

    /// The request by which the push `id` came; nil if none did, or it was removed or forgotten.
    package subscript(id: String) -> PushRecord.Request? { requests[id] }

    /// Forgets the request of the push `id`; it.
    package mutating func remove(_ id: String) -> PushRecord.Request? { requests.removeValue(forKey: id) }
}
