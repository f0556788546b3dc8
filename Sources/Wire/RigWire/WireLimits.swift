internal import CaptureModel

/// What a message may hold at most. A message beyond a limit is refused whole, except for sentences, which are cut.
///
/// The limits are chosen so that a message with every list and text at its limit still fits its channel
/// (``WireCoding/maximumByteCount``).
public enum WireLimits {
    /// Devices of one node in `Hello` and `Heartbeat`.
    public static let devicesPerNode = 128
    /// Devices and nodes named in one request, and devices of one reply.
    public static let devicesPerRequest = 4096
    /// Captures that an agent lists at a time, in `Hello`, `Inventory` and `SpoolListing`; so many the coordinator can
    /// take up without holding up what else a node has to say, and, with the frames of a clip each and three failures, no more fit.
    public static let inventoryPage = 60
    /// Captures that are taken in these messages.
    public static let inventory = 64
    /// Files of a library that belong to no shot, in one reply.
    public static let unclaimedFiles = 4096
    /// Files of one capture.
    public static let filesPerCapture = 8
    /// Files of one capture that are made later: owed, or failed. A photo in HEIC, its clip and its motion photo are three.
    public static let companionsPerCapture = 3
    /// Labels of a device, and labels and pairs of a selection.
    public static let labels = 32
    /// Device patterns in a query of shots.
    public static let devicePatterns = 64
    /// Events in one `EventBatch`.
    public static let eventsPerBatch = 100
    /// Events in one `EventLog`; a client asks on from the last one it got.
    public static let eventsPerReplay = 400
    /// Shots in one `ShotList`; a client asks on from the last one it got.
    public static let shotsPerList = 1000
    /// Details of an event.
    public static let details = 16
    /// Formats of a device, sizes of a format, intervals of a size.
    public static let formats = 48
    public static let sizes = 32
    public static let intervals = 12
    /// Controls of a device, and values set by one request; entries of a menu.
    public static let controls = 128
    public static let menuItems = 32

    /// UTF-8 bytes of a label, type, position, driver or the key of a detail.
    public static let wordByteCount = 64
    /// UTF-8 bytes of a make, model or serial number.
    public static let hardwareByteCount = 128
    /// UTF-8 bytes of a device's purpose.
    public static let purposeByteCount = 256
    /// UTF-8 bytes of a condition's reason and of the value of a detail.
    public static let reasonByteCount = 512
    /// UTF-8 bytes of a problem's message, which may list all devices of a rig.
    public static let problemByteCount = 16_384
    /// Frames of a movie: more than a year of them at a thousand a second.
    public static let movieFrames: ClosedRange<Int64> = 0...1 << 40
    /// The longest recording in nanoseconds: up to a day.
    public static let recordedDuration: ClosedRange<Int64> = 1...86_400_000_000_000
    /// The length of a recording's files in nanoseconds, and their size in bytes.
    public static let segmentDuration = MovieSettings.shortestSegmentNanoseconds...recordedDuration.upperBound
    public static let segmentFileSize = MovieSettings.smallestSegment...fileByteCount
    /// Bytes of a disk.
    public static let diskByteCount: Int64 = 1 << 50
    /// Takes under way in one reply: as many as shots may be.
    public static let openTakes = 256
    /// Bytes of one file.
    public static let fileByteCount: Int64 = 1 << 40

    /// Width and height in pixels.
    public static let pixels: ClosedRange<Int64> = 1...65_535
    /// The longer side of a preview in pixels.
    public static let previewSize: ClosedRange<Int64> = 16...4096
    /// Pictures of a bracket.
    public static let bracket = 5
    /// Exposure times of a bracket in nanoseconds.
    public static let bracketExposure: ClosedRange<Int64> = 1000...10_000_000_000
    /// Gains of a bracket, in the device's units.
    public static let bracketGain: ClosedRange<Int64> = Int64(Int32.min)...Int64(Int32.max)
    /// Time from frame to frame in nanoseconds: up to one frame an hour.
    public static let frameInterval: ClosedRange<Int64> = 1...3_600_000_000_000
    /// Time from frame to frame of a clip in nanoseconds.
    public static let clipInterval: ClosedRange<Int64> = 1...10_000_000_000
    /// The wait for outcomes in nanoseconds: up to a day.
    public static let timeout: ClosedRange<Int64> = 0...86_400_000_000_000
    /// What is left until the answer to a trigger in nanoseconds: T may lie ahead, and then comes the timeout.
    public static let answerWithin: ClosedRange<Int64> = 0...604_800_000_000_000
    /// The wait for the answer of a device in nanoseconds: up to ten minutes.
    public static let deviceTimeout: ClosedRange<Int64> = 0...600_000_000_000
    /// What only counts or measures: whatever a signed number holds, so that no conversion can trap.
    public static let nonNegative: ClosedRange<Int64> = 0...Int64.max
}
