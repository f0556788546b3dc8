public import CaptureModel
public import RigProtocol

extension CaptureProblem {
    /// Never fails: whatever the peer says went wrong, something went wrong, and its outcome must not be lost.
    ///
    /// A code this version does not know becomes `protocolViolation`, since there is no code for "something else"; the
    /// message is kept and names the peer's code. ``WireProblem`` itself still has it for who needs to tell them apart.
    public init(wire: WireProblem) {
        let message = wire.message.sentence(limit: WireLimits.problemByteCount)
        if let code = Code(rawValue: wire.code) {
            self.init(code, message)
        } else {
            let code = wire.code.sentence(limit: WireLimits.wordByteCount)
            self.init(.protocolViolation, "\(message) (problem code '\(code)', which this version does not know)")
        }
    }

    public var wire: WireProblem {
        var wire = WireProblem()
        wire.code = code.rawValue
        wire.message = message.sentence(limit: WireLimits.problemByteCount)
        return wire
    }
}
