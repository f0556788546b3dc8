public import CaptureModel
public import RigProtocol

extension RigProblem {
    /// Creates a problem and never fails: whatever the peer reports, something went wrong, and its outcome must not be lost.
    /// ``WireProblem`` still has a code that this version does not know.
    public init(wire: WireProblem) {
        self.init(
            code: wire.code.sentence(limit: WireLimits.wordByteCount),
            wire.message.sentence(limit: WireLimits.problemByteCount))
    }

    public var wire: WireProblem {
        var wire = WireProblem()
        wire.code = code.rawValue
        wire.message = message.sentence(limit: WireLimits.problemByteCount)
        return wire
    }
}
