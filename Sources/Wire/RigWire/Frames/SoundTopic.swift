public import CaptureModel

/// What the sound of a microphone is published under: `node/device/sound`.
public struct SoundTopic: Hashable, Sendable, CustomStringConvertible {
    public var device: DeviceID

    public init(device: DeviceID) {
        self.device = device
    }

    public var description: String { "\(device)/sound" }

    /// The text and a NUL byte: how a message begins, and what a listener subscribes to.
    public var bytes: [UInt8] { Array(description.utf8) + [0] }
}
