internal import CaptureModel
internal import RigClient

/// Keeps the history of the rig while no page is open too, with the gateway's own key: one question in ten seconds.
actor HistoryKeeper {
    private let client: RigClient
    private let time: any TimeSource
    private var history = RigHistory()

    init(client: RigClient, time: any TimeSource) {
        self.client = client
        self.time = time
    }

    var document: RigHistoryDocument {
        let now = time.wallClockPair()
        return history.document(at: now.monotonic, realtimeNanoseconds: now.realtimeNanoseconds)
    }

    /// Asks until the task is cancelled. An interval in which the coordinator does not answer is a gap.
    func run() async {
        var due = time.now()
        while !Task.isCancelled {
            if let (status, devices) = try? await client.state() { history.add(status, devices, at: time.now()) }
            while due <= time.now() { due = due + RigHistory.interval }
            try? await time.sleep(until: due)
        }
    }
}
