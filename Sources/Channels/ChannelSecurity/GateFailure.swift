import CaptureModel

/// A socket that does not do what keeps strangers out. The daemon must end.
public struct GateFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Hashable, Sendable {
        /// It has let a key connect that nobody knows.
        case admitsStrangers
        /// It neither refused nor admitted the key in time.
        case noAnswer
    }

    public let code: Code
    public let channel: String
    public let endpoint: String

    init(_ code: Code, _ channel: String, _ endpoint: String) {
        self.code = code
        self.channel = channel
        self.endpoint = endpoint
    }

    public var description: String {
        let problem =
            switch code {
            case .admitsStrangers: "lets a key connect that no rig knows"
            case .noAnswer: "did not refuse an unknown key within \(GateTest.patience.text)"
            }
        return
            "the \(channel) channel at \(endpoint) \(problem); this program does not run with it. Check that its libzmq is "
            + "the one it was built with, and report this error"
    }
}
