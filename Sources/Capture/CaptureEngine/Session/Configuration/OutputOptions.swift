import CaptureModel

/// What a configuration means for the outputs, as people are told of it.
struct OutputOptions: Hashable, Sendable {
    private var device: DeviceID
    private var stream: String
    private var encoding: String
    private var orientation: String
    private var mirroring: String
    private var enabled: [String]

    /// - Parameter format: The stream's; nil while none runs.
    init(setup: SessionSetup, stream format: VideoFormat?, quality: Int) {
        device = setup.input.device.id
        stream = format?.description ?? "not known before it runs"
        encoding =
            switch format?.pixelFormat {
            case nil: "not known before it runs"
            case .mjpeg: "the camera's own JPEG"
            default: "JPEG of quality \(quality), encoded by the node"
            }
        orientation = setup.configuration.orientation.map { "\($0.rawValue) degrees" } ?? "none"
        mirroring = setup.configuration.isVideoMirrored == true ? "left and right exchanged" : "none"
        enabled = setup.configuration.connections.filter(\.isEnabled).map(\.output.rawValue).sorted()
    }

    /// What is otherwise than before, a sentence each.
    func changes(since old: OutputOptions) -> [String] {
        func change(_ what: String, _ old: String, _ new: String) -> String? {
            old == new ? nil : "\(what): \(old) → \(new)"
        }
        return [
            change("input", old.device.description, device.description), change("stream", old.stream, stream),
            change("stills", old.encoding, encoding), change("orientation", old.orientation, orientation),
            change("mirroring", old.mirroring, mirroring),
            change("outputs", old.enabled.joined(separator: ", "), enabled.joined(separator: ", ")),
        ].compactMap(\.self)
    }
}
