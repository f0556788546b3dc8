public import CameraKit

/// What a virtual camera is and how it behaves. Every field has a default; the names are the keys in YAML.
public struct VirtualCameraConfiguration: Hashable, Encodable, Sendable {
    /// Number of the camera in its rig: drawn into the time code, and it picks the colour of the scene.
    public var number: UInt16 = 1
    /// Width in pixels, unless the format request names another.
    public var width = 1280
    /// Height in pixels, unless the format request names another.
    public var height = 720
    /// Nominal frame rate, unless the format request names another.
    public var framesPerSecond = 30.0
    /// A further stream, ``StreamName/preview``: the same exposures in another size; nil for a camera without one.
    public var preview: VirtualPreview?
    /// JPEG quality of the frames, 1 to 100.
    public var quality = 85
    /// Seed of everything random (texture, jitter, chance faults); mixed with `number`.
    public var seed: UInt64 = 1

    /// Where the exposures lie: frame `k` is exposed around `phase + k · interval` of this machine's `CLOCK_MONOTONIC`.
    public var phaseMilliseconds = 0.0
    /// Largest deviation of a mid-exposure from its place, evenly spread; at most 45 % of the frame interval.
    public var jitterMilliseconds = 0.0
    /// How much too long the frame interval is, in parts per million; negative is too short.
    public var driftPPM = 0.0
    /// Exposure time; never longer than the frame interval, and the scene gets brighter with it.
    public var exposureMilliseconds = 8.0
    /// Gain on the picture; the time code stays black and white.
    public var gainDecibels = 0.0
    /// Time from the end of an exposure to the delivery of its frame, as readout and USB take it.
    public var readoutMilliseconds = 4.0
    /// The error that the camera claims for its stamps. They are exact, so any bound is true.
    public var stampBoundMilliseconds = 0.1
    /// Time from `start` to the first exposure.
    public var startDelayMilliseconds = 0.0

    /// For EXIF.
    public var make = "Caprig"
    /// For EXIF.
    public var model = "Virtual camera"
    /// For EXIF; nil makes one of `number`.
    public var serial: String?

    /// What goes wrong, and when.
    public var faults: [VirtualFault] = []

    /// A camera that works: 1280 × 720, 30 fps, number 1.
    public init() {}

    /// The keys a configuration may have, in the order in which they are documented.
    public enum CodingKeys: String, CodingKey, CaseIterable, Sendable {
        case number, width, height, framesPerSecond, preview, quality, seed
        case phaseMilliseconds, jitterMilliseconds, driftPPM, exposureMilliseconds, gainDecibels
        case readoutMilliseconds, stampBoundMilliseconds, startDelayMilliseconds
        case make, model, serial, faults
    }
}

/// The second stream of a virtual camera. Its rate and quality are those of the camera.
public struct VirtualPreview: Hashable, Codable, Sendable {
    /// Pixels, unless the format request names another width.
    public var width: Int
    /// Pixels, unless the format request names another height.
    public var height: Int

    public init(width: Int = 320, height: Int = 180) {
        self.width = width
        self.height = height
    }
}

extension StreamName {
    /// The second stream of a virtual camera.
    public static let preview = StreamName(rawValue: "preview")
}

extension VirtualCameraConfiguration {
    /// The streams, the main one first.
    var streams: [StreamName] { preview == nil ? [.main] : [.main, .preview] }

    /// Width and height that a stream has where the format request names no others; nil where there is no such stream.
    func size(of stream: StreamName) -> (width: Int, height: Int)? {
        switch stream {
        case .main: (width, height)
        case .preview: preview.map { ($0.width, $0.height) }
        default: nil
        }
    }
}
