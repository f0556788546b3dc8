internal import CaptureModel
internal import HTTPTypes

extension GatewayProblem {
    /// A mistake in a body.
    /// - Parameters:
    ///   - path: The member, such as `selection.devices[2]`.
    ///   - reason: What is wrong and what is allowed.
    static func member(_ path: String, _ reason: String) -> GatewayProblem { badRequest("\(path): \(reason)") }

    /// A mistake in a document that came as a body or message.
    init(_ error: InvalidDocument) {
        self.init(.badRequest, "badRequest", error.path.isEmpty ? "the body \(error.reason)" : "\(error)")
    }
}
