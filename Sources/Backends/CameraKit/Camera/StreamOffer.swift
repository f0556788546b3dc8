public import CaptureModel

/// A camera's name for one of its streams, such as `main` or `preview`.
public struct StreamName: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public var rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The stream from which captures are made. Every camera has it.
    public static let main = StreamName(rawValue: "main")

    public var description: String { rawValue }
}

/// One stream that a camera offers, with all its formats.
public struct StreamOffer: Hashable, Sendable {
    public var name: StreamName
    public var formats: [FormatOffer]

    public init(_ name: StreamName, formats: [FormatOffer]) {
        self.name = name
        self.formats = formats
    }
}

extension CameraError {
    /// Creates the error of a camera that has no stream with this name.
    package init(noStream name: StreamName, among offered: [StreamName], device: String) {
        let names = offered.map { "'\($0)'" }.joined(separator: ", ")
        self.init(
            .unsupportedFormat, device: device, operation: "start",
            reason: "it has no stream '\(name)'; ask for one that it offers: \(names)")
    }
}
