public import CaptureModel

/// One microphone of a node: what it is called, what it is for, and where it is found.
public struct MicrophoneConfiguration: Hashable, Sendable {
    public var name: DeviceName
    public var position: Position
    public var labels: [String]
    /// Why the rig has it.
    public var purpose: String
    /// Whether the agent may open it; a disabled microphone is not part of the rig.
    public var enabled: Bool
    public var source: DeviceSource
    /// Frames a second; nil leaves the choice to the microphone.
    public var sampleRate: Int?
    /// nil leaves the choice to the microphone.
    public var channels: Int?
    /// Added to every stamp; negative for a microphone that delivers late.
    public var latencyOffset: Duration

    public init(
        name: DeviceName, position: Position = .unspecified, labels: [String] = [], purpose: String,
        enabled: Bool = true, source: DeviceSource, sampleRate: Int? = nil, channels: Int? = nil,
        latencyOffset: Duration = .zero
    ) {
        self.name = name
        self.position = position
        self.labels = labels
        self.purpose = purpose
        self.enabled = enabled
        self.source = source
        self.sampleRate = sampleRate
        self.channels = channels
        self.latencyOffset = latencyOffset
    }
}
