public import CaptureModel

/// What a session does when machine or process stood still.
extension CaptureSession {
    /// Tells the session that machine or process stood still: a session that ran is interrupted until its next good
    /// frame.
    ///
    /// After a sleep of the machine instants of before have no rig time any more. So the frames are given up, and with
    /// them the captures under way: each ends with `deviceLost`. After a stop of the process both stay, and what has no
    /// frame of its T is told so.
    public func wasSuspended(_ suspension: Suspension) async {
        let now = clock.now()
        let interruption = Interruption(reason: "\(suspension)", began: now - suspension.duration, ended: now)
        for key in pending.keys { pending[key]?.note(interruption) }
        if suspension.kind == .machineSlept { await giveUpFrames() }
        await handle(.nodeSuspended("\(suspension)"))
    }

    private func giveUpFrames() async {
        ring.removeAll()
        interruptClips(because: "the machine was asleep")
        interruptRecordings(because: "the machine was asleep")
        for key in pending.keys { pending[key]?.hasLostFrames = true }
        // The call that fires one ends it.
        for key in pending.keys.sorted() {
            guard let capture = pending[key] else { continue }
            if capture.isFired {
                capture.alarm?.ring()
            } else {
                let problem = brokenOff(capture.order)
                noteLost(key, problem)
                await close(key, with: problem)
            }
        }
    }

    /// Keeps why a capture was given up, for the call that fires it, which waits for its frame or is still to come.
    func noteLost(_ key: CaptureKey, _ problem: CaptureProblem) {
        if lostCaptures.count >= Self.pendingLimit { lostCaptures = [:] }
        lostCaptures[key] = problem
    }

    /// - Throws: Where the frames of the capture are gone.
    func checkFrames(of order: CaptureOrder) throws(CaptureProblem) {
        if pending[order.key]?.hasLostFrames == true { throw brokenOff(order) }
    }

    func brokenOff(_ order: CaptureOrder) -> CaptureProblem {
        let why = pending[order.key]?.interruption?.reason ?? stateDescription
        return CaptureProblem(.deviceLost, "\(device.id) broke off after it was armed: \(why)")
    }
}
