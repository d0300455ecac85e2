import AVFAudio
import Combine

// What the models of calling apps write beside CallKit, as they write it.

/// Counts what an app hears of its calls, on the main queue.
public final class CallModel: ObservableObject {
    /// The name of the last call.
    @Published public private(set) var caller = ""
    /// How many there were.
    @Published public private(set) var count = 0
    private var bag = Set<AnyCancellable>()

    /// A model of what is posted at `center`; each caller is handed to `log`.
    public init(center: NotificationCenter, queue: DispatchQueue, log: @escaping (String) -> Void) {
        center.publisher(for: Notification.Name("CallStarted"))
            .compactMap { $0.userInfo?["caller"] as? String }
            .removeDuplicates()
            .receive(on: queue)
            .handleEvents(receiveOutput: { log($0) })
            .sink { [weak self] caller in
                self?.caller = caller
                self?.count += 1
            }
            .store(in: &bag)
    }

    /// Calls `body` once with the next caller that comes after this one.
    public func next(_ body: @escaping (String) -> Void) {
        $caller.dropFirst().first { !$0.isEmpty }.sink(receiveValue: body).store(in: &bag)
    }
}

/// Whether a call may have a picture, and sound.
public func mayCall(video: Bool, _ answer: @escaping @Sendable (Bool) -> Void) {
    switch AVCaptureDevice.authorizationStatus(for: video ? .video : .audio) {
    case .authorized: answer(true)
    case .notDetermined, .denied: AVCaptureDevice.requestAccess(for: video ? .video : .audio, completionHandler: answer)
    default: answer(false)
    }
}
