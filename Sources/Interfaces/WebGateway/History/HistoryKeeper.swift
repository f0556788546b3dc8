internal import CaptureModel
internal import RigClient

/// Keeps the history of the rig while no page is open too, with the gateway's own key: one question in ten seconds, and the
/// events of shots, from the oldest that the coordinator holds.
actor HistoryKeeper {
    private let client: RigClient
    private let time: any TimeSource
    private var history = RigHistory()
    private var spreads = ShotSpreads()

    init(client: RigClient, time: any TimeSource) {
        self.client = client
        self.time = time
    }

    var document: RigHistoryDocument {
        let now = time.wallClockPair()
        var document = history.document(at: now.monotonic, realtimeNanoseconds: now.realtimeNanoseconds)
        document.shots = spreads.entries
        return document
    }

    /// Works until the task is cancelled.
    func run() async {
        async let _: Void = followShots()
        await ask()
    }

    private func followShots() async {
        while !Task.isCancelled {
            do {
                for try await item in client.events(from: .beginning) {
                    if case .event(let event) = item { spreads.add(event.source.event) }
                }
            } catch {
                // The coordinator does not answer; all of its events come again once it does.
            }
            try? await time.sleep(for: RigHistory.interval)
        }
    }

    /// An interval in which the coordinator does not answer is a gap.
    private func ask() async {
        var due = time.now()
        while !Task.isCancelled {
            if let (status, devices) = try? await client.state() { history.add(status, devices, at: time.now()) }
            while due <= time.now() { due = due + RigHistory.interval }
            try? await time.sleep(until: due)
        }
    }
}
