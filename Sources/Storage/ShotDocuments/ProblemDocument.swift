public import CaptureModel

/// Why something is not what was asked for.
public struct ProblemDocument: Codable, Sendable {
    var code: CaptureProblem.Code
    var message: String

    private enum CodingKeys: String, CodingKey {
        case code = "code"
        case message = "message"
    }

    public init(_ value: CaptureProblem) {
        code = value.code
        message = value.message
    }

    public var value: CaptureProblem {
        CaptureProblem(code, message)
    }
}
