public import CaptureModel

/// What a camera calls one of its streams, such as `main` or `preview`.
public struct StreamName: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public var rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The one that captures are made of; every camera has it.
    public static let main = StreamName(rawValue: "main")

    public var description: String { rawValue }
}

/// One stream that a camera offers, in every format it comes in.
public struct StreamOffer: Hashable, Sendable {
    public var name: StreamName
    public var formats: [FormatOffer]

    public init(_ name: StreamName, formats: [FormatOffer]) {
        self.name = name
        self.formats = formats
    }
}

extension Camera {
    /// Its main stream alone.
    public func streams() async throws(CameraError) -> [StreamOffer] {
        [StreamOffer(.main, formats: try await capabilities().formats)]
    }

    /// Starts the main stream, and refuses every other.
    public func start(
        _ stream: StreamName, _ request: FormatRequest, clock: any TimeSource
    ) async throws(CameraError) -> any CameraStream {
        guard stream == .main else {
            throw CameraError(noStream: stream, among: [.main], device: identityDescription ?? "camera")
        }
        return try await start(request, clock: clock)
    }
}

extension CameraError {
    /// A camera has no stream of this name.
    package init(noStream name: StreamName, among offered: [StreamName], device: String) {
        let names = offered.map { "'\($0)'" }.joined(separator: ", ")
        self.init(
            .unsupportedFormat, device: device, operation: "start",
            reason: "it has no stream '\(name)'; ask for one that it offers: \(names)")
    }
}
