import BelfryAppleGround
import BelfryTerms
import CoreLocation
import KeeperChannel
import Synchronization
import Testing

/// Places as values, and who asks where the device is.
@Suite struct LocationTests {
    private final class Listener: CLLocationManagerDelegate, Sendable {
        let errors = Mutex<[CLError.Code]>([])

        func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
            if let error = error as? CLError { errors.withLock { $0.append(error.code) } }
        }
    }

    @Test("whoever asks where the device is has no permission, and is warned") func denied() async throws {
        let warned = Mutex<[String]>([])
        let door = KeeperDoor.open(KeeperGreeting(stateDirectory: "", memoryBytesMax: 1)) { word in
            if case .warning(.unsupported, let detail) = word { warned.withLock { $0.append(detail) } }
        }
        defer { door.close() }
        let listener = Listener()
        let manager = door.run { CLLocationManager() }
        manager.delegate = listener
        #expect(manager.authorizationStatus == .denied && CLLocationManager.authorizationStatus() == .denied)
        #expect(manager.location == nil && CLLocationManager.locationServicesEnabled())
        manager.desiredAccuracy = kCLLocationAccuracyBest
        door.run { manager.requestLocation() }
        await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
        #expect(listener.errors.withLock { $0 } == [.denied])
        #expect(warned.withLock { $0 }.contains("CLLocationManager.requestLocation()"))
    }

    @Test("how far two places are apart") func distance() {
        let (berlin, paris) = (
            CLLocation(latitude: 52.52, longitude: 13.405), CLLocation(latitude: 48.8566, longitude: 2.3522)
        )
        #expect((876_000...879_000).contains(berlin.distance(from: paris)))
        #expect(berlin.distance(from: berlin) == 0)
    }
}
