public import BelfryDevices

/// Takes each push to the machine that has its device.
public final class MachineCarrier: Carrier {
    /// Called as soon as devices of a machine, or of this one, may be reached again.
    public var onReturn: (FleetName?) -> Void = { _ in }

    private let here: SocketCarrier
    private let elsewhere: RelayCarrier

    /// Takes those of this machine by `here`, all others by `elsewhere`.
    public init(here: SocketCarrier, elsewhere: RelayCarrier) {
        self.here = here
        self.elsewhere = elsewhere
        here.onReturn = { [weak self] in self?.onReturn($0) }
        elsewhere.onReturn = { [weak self] in self?.onReturn($0) }
    }

    /// Begins to hand over `handOver`.
    public func carry(_ handOver: HandOver, _ news: @escaping (CarrierNews) -> Void) {
        if handOver.registration.machine == nil { here.carry(handOver, news) } else { elsewhere.carry(handOver, news) }
    }
}
