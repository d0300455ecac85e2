import BelfryBus
import BelfryEventLoop
import BelfryTerms
import BelfryVibration

/// What is felt of calls, and by what: feedbackd where it is installed, else a motor of this machine.
final class Vibration {
    /// How long it vibrates once: as long as a phone does for its `kSystemSoundID_Vibrate`.
    static let buzzLength = TimeSpan.milliseconds(400)
    /// How long what was found of a motor is believed.
    private static let searchLasts = TimeSpan.seconds(5)

    private let timers: any TimerSource
    /// Pushes and rests in turn, of a motor.
    var pattern: [TimeSpan]
    private let motor: Motor
    private let report: (Bool, String) -> Void
    private lazy var feedback = Feedback { [unowned self] in heard($0) }

    private var isRinging = false
    private var buzzing: (any ScheduledTimer)?
    /// Whether feedbackd has stopped by itself since it was begun: then the motor has its turn.
    private var hasStopped = false
    private var searched: (at: Instant, isFound: Bool)?

    /// - Parameters:
    ///   - pattern: pushes and rests in turn, of a motor; feedbackd has a theme for that.
    ///   - report: gets whether something vibrates now, and what, or why not.
    init(
        timers: any TimerSource, pattern: [TimeSpan], motor: Motor, report: @escaping (Bool, String) -> Void
    ) {
        self.timers = timers
        self.pattern = pattern
        self.motor = motor
        self.report = report
    }

    /// Whether something vibrates here.
    var isThere: Bool { feedback.isThere || hasMotor }

    private var hasMotor: Bool {
        if let searched, timers.now - searched.at < Self.searchLasts { return searched.isFound }
        let isFound = if case .found = motor.search() { true } else { false }
        searched = (timers.now, isFound)
        return isFound
    }

    /// The bus is there.
    func connected(to bus: SessionBus) { feedback.connected(to: bus) }

    /// The bus is lost.
    func lost() { feedback.lost() }

    /// Takes a signal; true if it was about this.
    func take(_ message: BusMessage) -> Bool { feedback.take(message) }

    /// Vibrates until ``stop()``, as a ring does.
    func ring() {
        guard !isRinging else { return }
        isRinging = true
        // The buzz's timer would end the ring.
        endBuzz()
        begin()
    }

    /// The ring is over.
    func stop() {
        isRinging = false
        if buzzing == nil { silence() }
    }

    /// Vibrates once; nothing happens while something vibrates.
    func buzz() {
        guard !isRinging, buzzing == nil else { return }
        buzzing = timers.schedule(at: timers.now + Self.buzzLength, description: "buzz") { [weak self] in
            self?.stopBuzz()
        }
        begin()
    }

    /// Ends what ``buzz()`` began.
    func stopBuzz() {
        guard buzzing != nil else { return }
        endBuzz()
        if !isRinging { silence() }
    }

    private func endBuzz() {
        buzzing?.cancel()
        buzzing = nil
    }

    private func begin() {
        hasStopped = false
        // It is started for a ring alone.
        if !feedback.start(activates: isRinging) { beginMotor(nil) }
    }

    private func silence() {
        feedback.stop()
        motor.stop()
    }

    private func beginMotor(_ why: String?) {
        do throws(MotorProblem) {
            let once = [Self.buzzLength, Self.buzzLength]
            let device = try motor.start(isRinging ? pattern : once, repeats: isRinging) { [unowned self] in
                report(false, $0.description)
            }
            report(true, device)
        } catch {
            report(false, [why, error.description].compactMap { $0 }.joined(separator: "; "))
        }
    }

    private func heard(_ outcome: Feedback.Outcome) {
        guard isRinging || buzzing != nil else { return }
        switch outcome {
        case .playing: report(true, "feedbackd")
        case .cannot(let why): beginMotor(why)
        case .stopped:
            // Once: what ends by itself again and again would be asked for without end.
            if !hasStopped, feedback.start(activates: false) {
                hasStopped = true
            } else {
                beginMotor("feedbackd has stopped")
            }
        }
    }
}
