import CALSA
import Glibc

/// A capture device of a sound card of this machine.
public struct PCMDevice: Hashable, Sendable {
    /// The kernel's number of the card, which depends on the order in which cards were connected.
    public var card: Int
    /// The number of the device on its card.
    public var device: Int
    /// The card's identifier, such as `Webcam`. The kernel adds a number to a duplicate.
    public var cardID: String
    /// The card's name for people.
    public var cardName: String
    /// The device's name for people.
    public var deviceName: String

    /// libasound's name of the device, with the card's identifier and without conversion.
    public var name: String { "hw:CARD=\(cardID),DEV=\(device)" }

    /// Returns the capture devices that this process can access, by card; empty if there are no sound devices.
    ///
    /// Opens each card's control device for a moment; nothing is captured.
    public static func all() -> [PCMDevice] {
        var found = [calsa_device](repeating: calsa_device(), count: maximumCount)
        let count = unsafe calsa_list_devices(&found, found.count)
        return found.prefix(count).map(PCMDevice.init)
    }

    /// More devices than the kernel's 32 cards have in practice.
    private static let maximumCount = 128

    private init(_ device: calsa_device) {
        card = Int(device.card)
        self.device = Int(device.device)
        cardID = Self.text(device.card_id)
        cardName = Self.text(device.card_name)
        deviceName = Self.text(device.device_name)
    }

    private static func text<Characters>(_ characters: Characters) -> String {
        unsafe withUnsafeBytes(of: characters) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}

/// Samples read at once.
public struct PCMBlock: Hashable, Sendable {
    /// Signed, interleaved.
    public var samples: [Int16]
    /// The time of the first frame, nanoseconds of `CLOCK_MONOTONIC`.
    public var firstFrameNanoseconds: Int64
    /// Whether that time is derived from the driver's stamp (`snd_pcm_htimestamp`). Otherwise it is derived from the time of the read.
    public var hasDriverStamp: Bool
    /// The number of the first frame, counted from the start of the device, including lost frames.
    public var position: UInt64
    /// Frames lost to overruns immediately before the first one, according to the stamps.
    public var lostFrames: UInt64

    public init(
        samples: [Int16], firstFrameNanoseconds: Int64, hasDriverStamp: Bool, position: UInt64, lostFrames: UInt64
    ) {
        self.samples = samples
        self.firstFrameNanoseconds = firstFrameNanoseconds
        self.hasDriverStamp = hasDriverStamp
        self.position = position
        self.lostFrames = lostFrames
    }
}

/// The parameters negotiated with a capture device. Samples are signed, 16 bits, interleaved.
public struct PCMParameters: Hashable, Sendable {
    /// Frames per second, by the device's own clock; at least 1.
    public var rate: Int
    /// At least 1.
    public var channels: Int
    /// The number of frames after which a reader is woken.
    public var periodFrames: Int
    /// The number of frames that the device holds before it overruns.
    public var bufferFrames: Int
    /// Whether the device reports its position only in complete periods or packets (`SNDRV_PCM_INFO_BATCH`), so that its stamps may be late
    /// by one.
    public var movesInBatches: Bool

    public init(rate: Int, channels: Int, periodFrames: Int, bufferFrames: Int, movesInBatches: Bool) {
        self.rate = rate
        self.channels = channels
        self.periodFrames = periodFrames
        self.bufferFrames = bufferFrames
        self.movesInBatches = movesInBatches
    }

    init(_ parameters: calsa_parameters) {
        self.init(
            rate: Int(parameters.rate), channels: Int(parameters.channels), periodFrames: Int(parameters.period_frames),
            bufferFrames: Int(parameters.buffer_frames), movesInBatches: parameters.moves_in_batches)
    }
}

/// Which of the awaited events have occurred.
public struct PCMReadiness: Hashable, Sendable {
    /// There is something to read, which may be a failure.
    public var isReadable: Bool
    /// The other descriptor is readable.
    public var isWoken: Bool

    init(_ readiness: calsa_readiness) {
        isReadable = readiness.readable
        isWoken = readiness.wake
    }
}

/// Numbers the frames of a running device, and calculates from the stamps how many an overrun has lost. Pure.
struct PCMTimeline: Hashable {
    /// The number of the next frame, if none is lost.
    private(set) var position: UInt64 = 0
    private let nanosecondsPerFrame: Double
    /// The expected time of that frame.
    private var expected: Int64?
    private var isAfterOverrun = false

    /// - Parameter rate: Frames per second; positive.
    init(rate: Int) {
        nanosecondsPerFrame = 1e9 / Double(max(rate, 1))
    }

    /// Records an overrun: the next frames do not follow the last ones.
    mutating func noteOverrun() {
        isAfterOverrun = true
    }

    /// Numbers frames that were read.
    /// - Parameter stamp: The time of the first frame, nanoseconds.
    /// - Returns: The number of the first frame, and how many were lost before it.
    mutating func place(_ frames: Int, at stamp: Int64) -> (position: UInt64, lost: UInt64) {
        let lost = isAfterOverrun ? lostFrames(until: stamp) : 0
        isAfterOverrun = false
        let first = position &+ lost
        position = first &+ UInt64(max(frames, 0))
        let length = Int64(exactly: (Double(frames) * nanosecondsPerFrame).rounded())
        expected = length.map { stamp &+ $0 }
        return (first, lost)
    }

    /// Returns at least one: an overrun always loses frames, even if inaccurate stamps suggest otherwise.
    private func lostFrames(until stamp: Int64) -> UInt64 {
        // Nothing was read before the overrun, so nothing is missing.
        guard let expected else { return 0 }
        let frames = (Double(stamp) - Double(expected)) / nanosecondsPerFrame
        return UInt64(exactly: max(frames.rounded(), 1)) ?? 1
    }
}

/// The parameters requested from a capture device.
public struct PCMRequest: Hashable, Sendable {
    /// Frames per second, exactly; nil selects the rate nearest to ``preferredRate``.
    public var rate: Int?
    /// Channels, exactly; nil selects the number nearest to ``preferredChannels``.
    public var channels: Int?
    /// The approximate duration of one read.
    public var periodMicroseconds: Int
    /// The approximate duration that the device holds for a late reader.
    public var bufferMicroseconds: Int

    /// The usual rate of sound for video.
    public static let preferredRate = 48_000
    public static let preferredChannels = 1

    public init(
        rate: Int? = nil, channels: Int? = nil, periodMicroseconds: Int = 10_000, bufferMicroseconds: Int = 500_000
    ) {
        self.rate = rate
        self.channels = channels
        self.periodMicroseconds = periodMicroseconds
        self.bufferMicroseconds = bufferMicroseconds
    }
}
