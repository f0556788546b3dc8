/// What a virtual microphone is and how it behaves. Every field has a default; the names are the keys in YAML.
public struct VirtualMicrophoneConfiguration: Hashable, Sendable {
    /// Number of the microphone in its rig; tells its ambient noise from that of others.
    public var number: UInt16 = 1
    /// Nominal frames a second, unless the format request names another number.
    public var sampleRate = 48_000
    /// Channels, all with the same sound, unless the format request names another number.
    public var channels = 1
    /// How much sound each buffer has.
    public var periodMilliseconds = 20.0
    /// Seed of everything random (noise, jitter, chance faults); mixed with `number`.
    public var seed: UInt64 = 1
    /// How much too long the time from sample to sample is, in parts per million; negative is too short.
    public var driftPPM = 0.0
    /// Largest deviation of a stamp from the truth, evenly spread, as real stamps have it.
    public var stampJitterMilliseconds = 0.0
    /// The error that the microphone claims for its stamps; true as long as it is not below the jitter.
    public var stampBoundMilliseconds = 0.1
    /// Time from a buffer's last sample to its delivery.
    public var deliveryMilliseconds = 2.0
    /// Time from `start` to the first sample.
    public var startDelayMilliseconds = 0.0
    /// What goes wrong, and when; `dropped` strikes a buffer as an overrun does. ``faultKinds`` are known.
    public var faults: [VirtualFault] = []

    /// A microphone that works: 48 kHz, one channel.
    public init() {}

    /// The faults a microphone can have.
    public static let faultKinds: Set<VirtualFault.Kind> = [
        .dropped, .stalled, .slowStart, .unplugged, .busy, .denied,
    ]

    /// The keys a configuration may have, in the order in which they are documented.
    public enum CodingKeys: String, CodingKey, CaseIterable, Sendable {
        case number, sampleRate, channels, periodMilliseconds, seed, driftPPM, stampJitterMilliseconds
        case stampBoundMilliseconds, deliveryMilliseconds, startDelayMilliseconds, faults
    }
}
