public import BelfryJSON
import BelfryTerms

/// Which records somebody wants, and what they show of each: those of a push that came by the APNs endpoint have its
/// `apnsId` and its `device`, too, so that any of them finds its push.
public struct RecordSelection: Sendable {
    /// How many pushes are remembered between their request and their end; beyond that the oldest are forgotten.
    static let rememberedMax = 100_000

    private let id: String?
    private let device: String?
    private var accepted = RememberedRequests(max: rememberedMax)

    /// The records of the push `id`, or of the device `device`, or all. The id is a push's own or its `apns-id`, the
    /// device is named by its id or by the token that a push is for; each in any case.
    public init(id: String? = nil, device: String? = nil) {
        self.id = id?.lowercased()
        self.device = device?.lowercased()
    }

    /// What is shown of `record`; nil if it is not wanted.
    public mutating func shown(_ record: PushRecord) -> JSONObject? {
        var object = record.json
        let request = accepted.request(of: record)
        if let request {
            object["apnsId"] = .string(request.apnsID)
            object["device"] = request.device.map { .string($0) }
        }
        guard id == nil || record.id == id, isOfDevice(request) else { return nil }
        return object
    }

    private func isOfDevice(_ request: PushRecord.Request?) -> Bool {
        guard let device else { return true }
        guard let request else { return false }
        // Its path ends with the token.
        return request.device?.lowercased() == device
            || request.path.lowercased().split(separator: "/").last.map(String.init) == device
    }
}

/// The last requests that an endpoint has accepted, by the identifiers of their pushes.
package struct RememberedRequests: Sendable {
    private let max: Int
    private var requests: [String: PushRecord.Request] = [:]
    /// Their identifiers as they came, also of some that were removed meanwhile.
    private var order: [String] = []
    /// The pushes whose worker has just refused them as busy.
    private var comingAgain: Set<String> = []

    /// None yet; `max` are remembered at most, from 1 on.
    package init(max: Int) { self.max = max }

    /// Remembers `request`, and forgets the oldest ones if they are too many.
    private mutating func add(_ request: PushRecord.Request) {
        if requests.updateValue(request, forKey: request.id) == nil { order.append(request.id) }
        guard order.count >= max * 2 else { return }
        // Once in a while, since it takes as long as there are many.
        let living = order.filter { requests[$0] != nil }
        for id in living.dropLast(max) { requests[id] = nil }
        order = living.suffix(max)
    }

    /// The request that `record` is, or by which its push came; nil if none did, or it was forgotten.
    ///
    /// It is forgotten with the push's end, unless the push was refused as busy: then it comes again (R20).
    package mutating func request(of record: PushRecord) -> PushRecord.Request? {
        switch record {
        case .request(let request):
            if request.status == 200 { add(request) }
            return request
        case .push: break
        case .event(let event):
            if event.rejected == .busy, requests[record.id] != nil { comingAgain.insert(record.id) }
        case .end:
            guard comingAgain.remove(record.id) == nil else { break }
            return requests.removeValue(forKey: record.id)
        }
        return requests[record.id]
    }
}
