import BelfryDevices
import PushCarrier
import PushQueue

/// Takes pushes down, and tells what a test wants told.
final class PlayedCarrier: Carrier {
    var onReturn: (FleetName?) -> Void = { _ in }
    private(set) var taken: [HandOver] = []
    private var news: [(CarrierNews) -> Void] = []
    /// What is told at once of each; nothing if it is nil.
    var answer: CarrierNews?

    func carry(_ handOver: HandOver, _ news: @escaping (CarrierNews) -> Void) {
        taken.append(handOver)
        self.news.append(news)
        if let answer { news(answer) }
    }

    /// Tells `what` of the push that was taken as the `index`th.
    func tell(_ what: CarrierNews, of index: Int) { news[index](what) }

    var ids: [String] { taken.map(\.push.apnsID) }
}
