import CameraKit
import CameraSettings
import CaptureModel

/// What a session's configuration requests from its camera.
struct ConfiguredFormat: Hashable, Sendable {
    var preset = SessionPreset.inputPriority
    /// The format of the input, which counts under the preset `inputPriority`.
    var format = FormatRequest()

    init() {}

    init(_ configuration: SessionConfiguration) {
        preset = configuration.preset
        format = configuration.inputs.first?.format ?? FormatRequest()
    }
}

/// How a transaction opens a stream again, and what undoes that.
struct StreamExchange: Hashable, Sendable {
    /// What is requested from the camera.
    var format: FormatRequest
    /// What the session requested before.
    var earlier: ConfiguredFormat
    /// Whether the pictures must have the requested size. Otherwise only the rate is changed.
    private let isSizeNamed: Bool

    /// - Parameter present: The format on which the camera of the open stream agreed.
    /// - Returns: nil if the stream has what is requested, or none is open.
    init?(_ change: StreamChange, of present: VideoFormat?, _ configured: ConfiguredFormat) {
        guard let present else { return nil }
        let (pixelFormat, width, height) =
            change.format.map { ($0.pixelFormat, $0.width, $0.height) }
            ?? (present.pixelFormat, present.width, present.height)
        format = FormatRequest(
            pixelFormat: pixelFormat, width: width, height: height,
            framesPerSecond: change.frameIntervalNanoseconds.map { 1e9 / Double($0) })
        earlier = configured
        isSizeNamed = change.format != nil
        // The default of a format is what a configuration without a rate gets.
        let isDefault = configured.preset == .inputPriority && configured.format.framesPerSecond == nil
        let hasRate = format.framesPerSecond == nil ? isDefault : Self.hasRate(present, format.framesPerSecond)
        if hasRate, isFulfilled(by: present) { return nil }
    }

    /// How much a frame interval may differ from the requested one: 29.97 frames per second count as 30.
    private static let tolerance = 0.02

    private static func hasRate(_ stream: VideoFormat, _ rate: Double?) -> Bool {
        guard let rate else { return true }
        return (Double(stream.frameInterval.nanoseconds) * rate / 1e9 - 1).magnitude <= tolerance
    }

    /// Whether a stream has the requested format, and its pictures have the size if that was named.
    func isFulfilled(by stream: OpenStream) -> Bool {
        isFulfilled(by: stream.agreedFormat) && (!isSizeNamed || isFulfilled(by: stream.format))
    }

    /// Whether a format is the requested one.
    func isFulfilled(by stream: VideoFormat) -> Bool {
        stream.pixelFormat == format.pixelFormat && stream.width == format.width && stream.height == format.height
            && Self.hasRate(stream, format.framesPerSecond)
    }

    /// Whether a session still requests what this exchange has made it request.
    func isConfigured(in configuration: SessionConfiguration) -> Bool {
        let present = ConfiguredFormat(configuration)
        return present.preset == .inputPriority && present.format == format
    }
}

extension SessionSetup {
    /// Returns the setup with another format of the camera. A format that is named replaces a preset.
    func requesting(_ configured: ConfiguredFormat) throws(ConfigurationFailure) -> SessionSetup {
        var changed = configuration.next()
        changed.preset = configured.preset
        for index in changed.inputs.indices { changed.inputs[index].format = configured.format }
        return try SessionSetup(changed)
    }
}
