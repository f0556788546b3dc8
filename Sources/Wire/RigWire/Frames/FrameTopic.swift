public import CaptureModel

/// The topic of the frames of one camera and kind: `node/device/kind`.
///
/// With names of at most 24 bytes, a topic has at most 58 bytes including its NUL. libzmq 4.3.4 is sure to accept 64.
public struct FrameTopic: Hashable, Sendable, CustomStringConvertible {
    public var device: DeviceID
    public var kind: FrameKind

    /// The most bytes of a topic including its NUL.
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

    /// The text and a NUL byte: the beginning of a message, and the prefix to which a viewer subscribes.
    public var bytes: [UInt8] { Array(description.utf8) + [0] }
}
