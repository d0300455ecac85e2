import BelfryDevices
import BelfryTerms
import DeviceRegistry
import Forwarding
import Glibc
import Support
import Testing

import PushCarrier
@testable import PushQueue

/// R19: what is answered 200 is on the disk, and is handed over once.
@Suite struct NotificationQueueTests {
    @Test("a push is answered after the turn's commit, and then handed over as it came")
    func accepted() throws {
        let bench = try QueueBench()
        try bench.open()
        let device = try bench.device("group.a")
        let push = bench.push(device, .voip, type: .voip, body: "{ \"callId\" : \"a\" }")
        bench.submit(push)
        #expect(bench.answers.isEmpty && bench.carrier.taken.isEmpty)
        bench.loop.settle()
        #expect(bench.answers == [.accepted])
        #expect(bench.carrier.taken.map(\.push) == [push.0])
        #expect(bench.carrier.taken.first?.registration == push.1)
        bench.carrier.tell(.received, of: 0)
        bench.carrier.tell(.event("ringing", code: "loud"), of: 0)
        bench.loop.settle()
        #expect(try bench.steps(of: push.0.apnsID) == ["accepted", "handed-over", "received", "event ringing loud"])
    }

    @Test("the answers to all that was written together are sent before the first of it is handed over")
    func order() throws {
        let bench = try QueueBench()
        try bench.open()
        for _ in 0..<3 { bench.submit(bench.push(try bench.device())) }
        bench.loop.settle()
        #expect(bench.takenWhenSent == [0, 0, 0])
        #expect(bench.carrier.taken.count == 3)
    }

    @Test("what waits when the process dies is handed over by the next one, in order, but for what was settled")
    func recovery() throws {
        let bench = try QueueBench()
        try bench.open()
        let device = try bench.device()
        let pushes = (0..<3).map { bench.push(device, id: "id \($0)", body: "{\"n\":\($0)}") }
        for push in pushes { bench.submit(push) }
        bench.loop.settle()
        bench.carrier.tell(.received, of: 0)
        bench.loop.settle()
        try bench.open()
        bench.loop.settle()
        #expect(bench.carrier.taken.map(\.push) == [pushes[1].0])
        bench.carrier.tell(.rejected(reason: "NoAps", detail: "no aps"), of: 0)
        bench.loop.settle()
        try bench.open()
        bench.loop.settle()
        #expect(bench.carrier.taken.map(\.push) == [pushes[2].0])
        #expect(try bench.steps(of: "id 1") == ["accepted", "handed-over", "handed-over", "rejected NoAps"])
        bench.submit(pushes[0])
        bench.loop.settle()
        #expect(bench.answers == [.accepted, .accepted, .accepted, .accepted])
        #expect(bench.carrier.taken.count == 1)
    }

    @Test("a repetition is answered with its original, even in one turn, and delivered once; so after a restart")
    func duplicates() throws {
        let bench = try QueueBench()
        try bench.open()
        let device = try bench.device()
        let push = bench.push(device)
        bench.submit(push)
        bench.submit(push)
        #expect(bench.answers.isEmpty)
        bench.loop.settle()
        bench.submit(push)
        #expect(bench.answers == [.accepted, .accepted, .accepted])
        try bench.open()
        bench.loop.settle()
        bench.submit(push)
        #expect(bench.answers.count == 4 && bench.carrier.taken.count == 1)
        bench.carrier.tell(.received, of: 0)
        bench.wall = bench.wall + .seconds(601)
        try bench.open()
        bench.submit(push)
        bench.loop.settle()
        #expect(bench.carrier.taken.count == 1 && bench.answers.count == 5)
    }

    @Test("what is older than ten minutes is forgotten on the disk as well")
    func forgetting() throws {
        let bench = try QueueBench()
        try bench.open()
        let device = try bench.device()
        bench.carrier.answer = .received
        for _ in 0..<15 {
            bench.submit(bench.push(device))
            bench.loop.advance(by: .seconds(60))
            bench.wall = bench.wall + .seconds(60)
        }
        bench.finish()
        bench.close()
        let store = try QueueStore(state: bench.state, bytesMax: 1 << 30)
        #expect((10...12).contains(try store.remembered(max: 100).count))
        #expect(try store.waiting().isEmpty)
    }

    @Test("so it is by processes none of which lives for ten minutes, and more than is remembered is not read")
    func forgettingBetween() throws {
        let bench = try QueueBench()
        var limits = ForwardingStateMachine.Limits()
        limits.rememberedMax = 8
        let device = try bench.device()
        for _ in 0..<15 {
            try bench.open(limits)
            bench.carrier.answer = .received
            bench.submit(bench.push(device))
            bench.loop.advance(by: .seconds(60))
            bench.wall = bench.wall + .seconds(60)
        }
        bench.finish()
        bench.close()
        let store = try QueueStore(state: bench.state, bytesMax: 1 << 30)
        #expect((8...9).contains(try store.remembered(max: 100).count))
        #expect(try store.remembered(max: 3).map(\.number) == store.remembered(max: 100).suffix(3).map(\.number))
    }

    @Test("R20 a push whose token nobody knows any more is kept, and not taken for one of a device that was removed")
    func unknownToken() throws {
        let bench = try QueueBench()
        try bench.open()
        let stranger = Registration(
            token: .random(), deviceID: "lost", kind: .alert, bundleID: "com.example.phone", appGroup: nil,
            environment: .production)
        let push = EndpointPush(
            apnsID: "a", token: stranger.token, topic: stranger.topic, pushType: .alert, payload: Array("{}".utf8),
            acceptedAt: bench.wall)
        bench.submit((push, stranger))
        bench.loop.settle()
        #expect(bench.answers == [.accepted] && bench.carrier.taken.isEmpty)
        #expect(try bench.steps(of: "a") == ["accepted", "offline unknown-token", "stored"])
    }

    @Test("a device that is taken off by another process keeps the latest push, until it is on again")
    func off() throws {
        let bench = try QueueBench()
        try bench.open()
        let device = try bench.offlineDevice()
        for number in 1...5 { bench.submit(bench.push(device, id: "id \(number)")) }
        bench.submit(bench.push(device, id: "once", expiration: WallTime(microseconds: 0)))
        bench.loop.settle()
        #expect(bench.answers.count == 6 && bench.carrier.taken.isEmpty)
        bench.loop.advance(by: QueueBench.Queue.tidyingDelay)
        try bench.open()
        bench.loop.settle()
        #expect(bench.carrier.taken.isEmpty)
        _ = try bench.registry.setOffline(false, device.id)
        bench.loop.settle()
        #expect(bench.carrier.ids == ["id 5"])
        #expect(try bench.steps(of: "id 4") == ["accepted", "stored", "replaced"])
        #expect(try bench.steps(of: "once") == ["accepted", "expired"])
    }

    @Test("devices have their turn by and by, be each push taken at once")
    func turns() throws {
        let bench = try QueueBench()
        try bench.open()
        bench.carrier.answer = .received
        let (many, one) = (try bench.device(), try bench.device())
        for id in ["a", "b", "c"] { bench.submit(bench.push(many, id: id)) }
        bench.submit(bench.push(one, id: "d"))
        bench.loop.settle()
        #expect(bench.carrier.ids == ["a", "d", "b", "c"])
    }

    @Test("a push whose device has been removed by the time of its turn is dropped")
    func removedMeanwhile() throws {
        let bench = try QueueBench()
        try bench.open()
        let device = try bench.device()
        bench.submit(bench.push(device, id: "a"))
        _ = try bench.registry.remove(device.id, at: bench.wall)
        bench.loop.settle()
        #expect(bench.answers == [.accepted] && bench.carrier.taken.isEmpty)
        #expect(try bench.steps(of: "a") == ["accepted", "unregistered"])
    }

    @Test("a carrier that says twice what became of a push is heard once")
    func heardOnce() throws {
        let bench = try QueueBench()
        try bench.open()
        let device = try bench.device()
        for id in ["a", "b", "c"] { bench.submit(bench.push(device, id: id)) }
        bench.loop.settle()
        bench.carrier.tell(.received, of: 0)
        bench.carrier.tell(.received, of: 0)
        bench.carrier.tell(.offline(.busy, detail: ""), of: 0)
        bench.loop.settle()
        #expect(bench.carrier.ids == ["a", "b"])
        #expect(try bench.steps(of: "a") == ["accepted", "handed-over", "received"])
    }

    @Test("a carrier that has found nobody is heard no more of that try")
    func heardNoMore() throws {
        let bench = try QueueBench()
        try bench.open()
        bench.submit(bench.push(try bench.device(), id: "a"))
        bench.loop.settle()
        bench.carrier.tell(.offline(.busy, detail: ""), of: 0)
        bench.carrier.tell(.received, of: 0)
        bench.loop.settle()
        #expect(try bench.steps(of: "a") == ["accepted", "handed-over", "offline busy", "stored"])
    }

    @Test("what is kept for a device that is removed while no endpoint runs is dropped by the next one")
    func removedWhileOff() throws {
        let bench = try QueueBench()
        try bench.open()
        let device = try bench.offlineDevice()
        bench.submit(bench.push(device, id: "a"))
        bench.loop.settle()
        bench.close()
        _ = try bench.registry.remove(device.id, at: bench.wall)
        try bench.open()
        bench.loop.settle()
        #expect(try bench.steps(of: "a") == ["accepted", "stored", "unregistered"])
        bench.loop.advance(by: .seconds(1))
        try bench.open()
        bench.loop.settle()
        #expect(bench.carrier.taken.isEmpty)
        #expect(try bench.steps(of: "a").count == 3)
    }

    @Test("what comes in one turn is not written all at once, so that it takes no more places than it needs")
    func crowd() throws {
        let bench = try QueueBench()
        try bench.open()
        let device = try bench.device()
        for _ in 0...QueueBench.Queue.writtenTogetherMax { bench.submit(bench.push(device)) }
        #expect(bench.answers == Array(repeating: .accepted, count: QueueBench.Queue.writtenTogetherMax))
        bench.loop.settle()
        #expect(bench.answers.count == QueueBench.Queue.writtenTogetherMax + 1)
    }

    @Test("what nobody will take is dropped from the disk a little later, or with the next push")
    func tidying() throws {
        let bench = try QueueBench()
        try bench.open()
        let device = try bench.offlineDevice()
        func waiting() throws -> [String] {
            bench.close()
            return try QueueStore(state: bench.state, bytesMax: 1 << 30).waiting().map(\.apnsID)
        }
        for id in ["a", "b"] {
            bench.submit(bench.push(device, id: id, expiration: WallTime(microseconds: 0)))
            bench.loop.settle()
        }
        #expect(try waiting() == ["b"])
        try bench.open()
        bench.loop.settle()
        bench.loop.advance(by: QueueBench.Queue.tidyingDelay)
        #expect(try waiting().isEmpty)
    }

    @Test("and so each time")
    func tidyingAgain() throws {
        let bench = try QueueBench()
        try bench.open()
        let device = try bench.offlineDevice()
        for _ in 0..<2 {
            bench.submit(bench.push(device, expiration: WallTime(microseconds: 0)))
            bench.loop.settle()
            bench.loop.advance(by: QueueBench.Queue.tidyingDelay)
        }
        bench.close()
        #expect(try QueueStore(state: bench.state, bytesMax: 1 << 30).waiting().isEmpty)
    }

    @Test("what nobody takes is tried again, by the clock or when the carrier is back, also by the next process")
    func offline() throws {
        let bench = try QueueBench()
        try bench.open()
        let device = try bench.device()
        bench.carrier.answer = .offline(.noSocket, detail: "there is none")
        bench.submit(bench.push(device, id: "a", expiration: bench.wall + .seconds(100)))
        bench.loop.settle()
        #expect(bench.carrier.taken.count == 1)
        bench.loop.advance(by: .seconds(1))
        #expect(bench.carrier.taken.count == 2)
        bench.carrier.onReturn(nil)
        bench.loop.settle()
        #expect(bench.carrier.taken.count == 3)
        try bench.open()
        bench.loop.settle()
        #expect(bench.carrier.ids == ["a"])
        bench.carrier.tell(.offline(.workerDied, detail: ""), of: 0)
        bench.wall = bench.wall + .seconds(200)
        bench.loop.settle()
        try bench.open()
        bench.loop.settle()
        #expect(bench.carrier.taken.isEmpty)
        let told = try bench.steps(of: "a")
        #expect(
            told == ["accepted", "handed-over", "offline no-socket", "stored", "handed-over", "offline no-socket"]
                + ["handed-over", "offline no-socket", "handed-over", "offline worker-died", "expired"])
    }

    @Test("what waits for a device that is removed is dropped, and its tokens are gone for what is under way")
    func removed() throws {
        let bench = try QueueBench()
        try bench.open()
        let device = try bench.device()
        for number in 0..<3 { bench.submit(bench.push(device, id: "id \(number)")) }
        bench.loop.settle()
        _ = try bench.registry.remove(device.id, at: bench.wall)
        bench.loop.settle()
        bench.carrier.tell(.received, of: 0)
        bench.loop.settle()
        #expect(bench.carrier.taken.count == 1)
        #expect(try bench.steps(of: "id 2") == ["accepted", "unregistered"])
    }

    @Test("a kind of push that nobody receives is recorded, answered, and goes nowhere")
    func recorded() throws {
        let bench = try QueueBench()
        try bench.open()
        let push = bench.push(try bench.device(), type: .complication)
        bench.submit(push)
        bench.loop.settle()
        #expect(bench.answers == [.accepted] && bench.carrier.taken.isEmpty)
        #expect(try bench.steps(of: push.0.apnsID) == ["recorded"])
    }

    @Test("too many for a token, and too many in all, are refused")
    func limits() throws {
        let bench = try QueueBench()
        var limits = ForwardingStateMachine.Limits()
        (limits.waitingForTokenMax, limits.waitingMax) = (2, 3)
        try bench.open(limits)
        let device = try bench.device()
        for _ in 0..<3 { bench.submit(bench.push(device)) }
        for _ in 0..<2 { bench.submit(bench.push(device, .voip, type: .voip)) }
        bench.loop.settle()
        #expect(bench.answers == [.tooManyRequests, .unavailable, .accepted, .accepted, .accepted])
        #expect(
            try bench.steps().filter { $0.hasPrefix("refused") } == [
                "refused TooManyRequests", "refused ServiceUnavailable",
            ])
        #expect(try bench.details() == ["2 pushes wait for this device token", "3 pushes wait"])
    }
}

/// R19: a disk that is full, or damaged.
@Suite struct QueueDiskTests {
    @Test("a full disk is 500, nothing of it is handed over or remembered, and it goes on when there is room")
    func full() throws {
        let bench = try QueueBench()
        try bench.open(fileBytesMax: 256 << 10)
        let device = try bench.device()
        let body = String(repeating: " ", count: 50 << 10)
        for number in 0..<5 { bench.submit(bench.push(device, id: "id \(number)", body: body)) }
        // All of them are one turn's, and so is the failure.
        bench.loop.settle()
        #expect(bench.answers == Array(repeating: .failed, count: 5) && bench.carrier.taken.isEmpty)
        #expect(bench.warnings.count == 1)
        #expect(try bench.steps() == Array(repeating: "refused InternalServerError", count: 5))
        #expect(try bench.details().count == 5 && bench.details().allSatisfy { $0.hasPrefix("it cannot be kept: ") })
        for number in 0..<5 {
            bench.submit(bench.push(device, id: "id \(number)", body: body))
            bench.loop.advance(by: .seconds(1))
        }
        let accepted = bench.answers.dropFirst(5).count { $0 == .accepted }
        #expect((2...4).contains(accepted) && bench.answers.last == .failed)
        #expect(bench.carrier.ids == ["id 0"])
        for index in 0..<accepted {
            bench.carrier.tell(.received, of: index)
            bench.loop.advance(by: .seconds(1))
        }
        #expect(bench.carrier.ids == (0..<accepted).map { "id \($0)" })
        bench.submit(bench.push(device, id: "id 4", body: body))
        bench.loop.advance(by: .seconds(1))
        #expect(bench.answers.last == .accepted && bench.carrier.ids.last == "id 4")
        try bench.open(fileBytesMax: 256 << 10)
        bench.loop.settle()
        #expect(bench.carrier.ids == ["id 4"])
    }

    @Test("a full disk takes the next push as soon as one that it has was taken, however many come")
    func fullAndBusy() throws {
        let bench = try QueueBench()
        try bench.open(fileBytesMax: 256 << 10)
        let device = try bench.device()
        let body = String(repeating: " ", count: 50 << 10)
        for _ in 0..<5 {
            bench.submit(bench.push(device, body: body))
            bench.loop.advance(by: .seconds(1))
        }
        #expect(bench.answers.last == .failed)
        bench.carrier.tell(.received, of: 0)
        bench.submit(bench.push(device, body: body))
        bench.loop.settle()
        #expect(bench.answers.count == 6 && bench.answers.last == .accepted)
    }

    @Test("a disk that took nothing is tried again after a second", arguments: [(500, 1), (1_100, 0)])
    func retried(milliseconds: Int64, waiting: Int) throws {
        let bench = try QueueBench()
        try bench.open(fileBytesMax: 256 << 10)
        let device = try bench.device()
        bench.submit(bench.push(device))
        bench.loop.settle()
        bench.carrier.tell(.received, of: 0)
        bench.submit(bench.push(device, body: String(repeating: " ", count: 1 << 20)))
        bench.loop.settle()
        #expect(bench.answers == [.accepted, .failed] && bench.warnings.count == 1)
        bench.loop.advance(by: .milliseconds(milliseconds))
        bench.close()
        #expect(try QueueStore(state: bench.state, bytesMax: 1 << 30).waiting().count == waiting)
    }

    @Test("R13: a damaged file is set aside with a warning, and pushes are taken all the same")
    func damaged() throws {
        let bench = try QueueBench()
        try bench.open()
        let device = try bench.device()
        bench.submit(bench.push(device))
        bench.loop.settle()
        bench.close()
        for ending in ["-wal", "-shm"] { unsafe unlink("\(bench.folder.path)/apns/queue.sqlite\(ending)") }
        bench.folder.write([UInt8](repeating: 7, count: 8192), to: "apns/queue.sqlite")
        try bench.open()
        bench.loop.settle()
        #expect(bench.warnings == ["the queue of pushes was damaged, and set aside: what waited in it is lost"])
        #expect(unsafe access("\(bench.folder.path)/apns/queue.sqlite.corrupt", F_OK) == 0)
        bench.submit(bench.push(device, id: "after"))
        bench.loop.settle()
        #expect(bench.answers == [.accepted, .accepted] && bench.carrier.ids == ["after"])
    }

    @Test("R13: so is one whose damage is found as it is read")
    func damagedWithin() throws {
        let bench = try QueueBench()
        try bench.open()
        let device = try bench.device()
        bench.submit(bench.push(device))
        bench.loop.settle()
        bench.close()
        bench.folder.damage("apns/queue.sqlite", from: 4_096)
        let quiet = try bench.device()
        _ = try bench.registry.setOffline(true, quiet.id)
        try bench.open()
        bench.submit(bench.push(quiet))
        bench.loop.settle()
        #expect(bench.carrier.taken.isEmpty, "a device that is off stays so")
        #expect(bench.warnings == ["the queue of pushes was damaged, and set aside: what waited in it is lost"])
        bench.submit(bench.push(device, id: "after"))
        bench.loop.settle()
        #expect(bench.answers == [.accepted, .accepted, .accepted] && bench.carrier.ids == ["after"])
        try bench.open()
        bench.loop.settle()
        #expect(bench.carrier.ids == ["after"] && bench.warnings.count == 1)
    }

    @Test("a second process gets no queue")
    func second() throws {
        let bench = try QueueBench()
        try bench.open()
        #expect(throws: QueueError(description: "another process has the queue of pushes")) {
            _ = try NotificationQueue(
                state: bench.state, registry: bench.registry, carrier: PlayedCarrier(), on: PolledLoop())
        }
    }
}
