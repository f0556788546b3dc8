import CaptureModel

/// Cameras that are being armed, each for one shot: what is asked of one camera for one shot keeps its order, while
/// nothing else waits for a camera that is slow to answer.
///
/// | capture is | prepare comes | cancel comes | the camera has answered |
/// |---|---|---|---|
/// | not being armed | arm it | cancel it at once, which asks no camera | – |
/// | being armed | passed over: the answer is on its way, unless a cancel is noted | noted | told; where a cancel is noted: cancel it instead |
///
/// A camera that does not answer is given ``limit`` shots at most, then it is refused further ones. A value.
struct CapturesBeingArmed: Sendable {
    /// Shots for which one camera may be armed at a time: as many as its session takes.
    static let limit = 64

    /// What to do for a message.
    enum Verdict: Hashable, Sendable {
        case carryOut
        case passOver
        /// Too much is under way.
        case refuse
    }

    /// Whether each is to be cancelled once it is armed.
    private var arming: [CaptureKey: Bool] = [:]
    private var counts: [DeviceID: Int] = [:]

    /// Whether any camera is being armed.
    var isArming: Bool { !arming.isEmpty }

    mutating func prepare(_ key: CaptureKey) -> Verdict {
        guard arming[key] == nil else { return .passOver }
        guard counts[key.device, default: 0] < Self.limit else { return .refuse }
        arming[key] = false
        counts[key.device, default: 0] += 1
        return .carryOut
    }

    mutating func cancel(_ key: CaptureKey) -> Verdict {
        guard arming[key] != nil else { return .carryOut }
        arming[key] = true
        return .passOver
    }

    /// Whether a capture that the camera has answered for is to be cancelled before ``finish(_:)``.
    func isCancelled(_ key: CaptureKey) -> Bool { arming[key] == true }

    /// What was asked for a capture is carried out.
    mutating func finish(_ key: CaptureKey) {
        guard arming.removeValue(forKey: key) != nil else { return }
        counts[key.device, default: 1] -= 1
        if counts[key.device] == 0 { counts[key.device] = nil }
    }
}
