import BelfryDevices
import BelfryTerms
import Fleet
import Testing

/// Devices of test jobs, of which nobody says that they were removed.
@Suite struct SharedDevicesTests {
    private let ci = FleetName("ci")!
    private let alive = "0a1b2c3d-0000-4000-8000-000000000001"
    private let dead = "0a1b2c3d-0000-4000-8000-000000000002"

    @Test("a device goes ten minutes after its last word, and who says something keeps its own")
    func goes() throws {
        var shared = SharedDevices()
        let keys = try [alive, dead].map { try #require(DeviceKey(ci, $0)) }
        var gone: [(Int64, [DeviceKey])] = []
        for minute in 0...20 as ClosedRange<Int64> {
            let now = Instant(microseconds: minute * 60_000_000)
            shared.hear(minute <= 4 ? [alive, dead] : [alive], of: ci, at: now)
            let due = shared.look(at: keys, at: now)
            if !due.isEmpty { gone.append((minute, due)) }
        }
        #expect(gone.first?.0 == 14 && gone.allSatisfy { $0.1 == [keys[1]] })
    }

    @Test("after a start, and after a time in which nobody could be heard, each has ten minutes again")
    func anew() throws {
        var shared = SharedDevices()
        let key = try #require(DeviceKey(ci, dead))
        for minute in 0..<10 as Range<Int64> {
            #expect(shared.look(at: [key], at: Instant(microseconds: minute * 60_000_000)).isEmpty)
        }
        shared.beginAnew()
        #expect(shared.look(at: [key], at: Instant(microseconds: 3_600_000_000)).isEmpty)
        #expect(shared.look(at: [key], at: Instant(microseconds: 4_200_000_000)) == [key])
    }
}
