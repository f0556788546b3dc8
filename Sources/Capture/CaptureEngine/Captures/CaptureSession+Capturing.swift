public import CaptureModel

extension CaptureSession {
    /// Takes one photo: arms it and, once it is armed, fires it.
    /// - Returns: The capture's life cycle. It goes on to its end whether it is read or not.
    /// - Throws: ``CaptureProblem`` where nothing was begun: why there can be no capture; `conflict` where the order's
    ///   capture is under way already.
    public func capturePhoto(_ order: CaptureOrder) async throws(CaptureProblem) -> CaptureEvents {
        let events = CaptureEvents(id: order.key)
        _ = try await arm(order, telling: events.teller).get()
        // Unstructured, because the capture outlives the call that begins it; it ends with its life cycle.
        Task { await fire(order.key) }
        return events
    }

    /// Takes a fact of a capture's life and tells the step it makes.
    func note(_ key: CaptureKey, _ fact: CaptureLifeCycle.Fact) async {
        let teller = pending[key]?.teller ?? clips[key]?.teller
        let steps = pending[key]?.lifeCycle.handle(fact) ?? clips[key]?.lifeCycle.handle(fact) ?? []
        for step in steps { await tell(key, teller, step) }
    }

    /// The observer first, so that whoever reads the capture's events finds the rig told.
    func tell(_ key: CaptureKey, _ teller: CaptureTeller?, _ step: LifeCycleStep) async {
        await tell(key, step)
        teller?.tell(step)
    }
}
