/// One file of a capture.
public struct FileKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    public var capture: CaptureKey
    public var kind: AssetKind

    public init(capture: CaptureKey, kind: AssetKind) {
        self.capture = capture
        self.kind = kind
    }

    public static func < (left: Self, right: Self) -> Bool {
        (left.capture, left.kind.rawValue) < (right.capture, right.kind.rawValue)
    }

    public var description: String { "\(capture) \(kind.rawValue)" }
}
