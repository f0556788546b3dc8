public import CaptureModel

/// What the frames of one camera and kind are published under: `node/device/kind`.
///
/// With names of at most 24 bytes a topic has at most 58 bytes with its NUL, within the 64 that libzmq 4.3.4 takes for
/// certain.
public struct FrameTopic: Hashable, Sendable, CustomStringConvertible {
    public var device: DeviceID
    public var kind: FrameKind

    /// The most bytes of a topic and its NUL.
    public static let maximumByteCount = 64

    public init(device: DeviceID, kind: FrameKind) {
        self.device = device
        self.kind = kind
    }

    /// - Returns: nil unless the text is a topic of this version.
    public init?(_ text: String) {
        guard let slash = text.lastIndex(of: "/"),
            let kind = FrameKind(rawValue: String(text[text.index(after: slash)...])),
            let device = try? DeviceID(String(text[..<slash]))
        else { return nil }
        self.init(device: device, kind: kind)
    }

    public var description: String { "\(device)/\(kind.rawValue)" }

    /// The text and a NUL byte: how a message begins, and what a viewer subscribes to.
    public var bytes: [UInt8] { Array(description.utf8) + [0] }
}
