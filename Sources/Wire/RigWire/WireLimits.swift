internal import CaptureModel
import SwiftProtobuf

/// The limits of messages. A message beyond a limit is refused completely, except that sentences are cut.
///
/// A message with every list and text at its limit still fits its channel (``WireCoding/maximumByteCount``).
public enum WireLimits {
    /// Devices of one node in `Hello` and `Heartbeat`.
    public static let devicesPerNode = 128
    /// Devices and nodes named in one request, and devices of one reply.
    public static let devicesPerRequest = 4096
    /// The most devices in a status that has them.
    public static let devicesInStatus = 1024
    /// Captures that an agent lists in one `Hello`, `Inventory` or `SpoolListing`: as many of the longest
    /// reports fit into a message.
    public static let inventoryPage = 60
    /// Captures accepted in one of these messages.
    public static let inventory = 64
    /// Bytes of a report of a capture. The longest has 1200 frames, and every text and list at its limit.
    public static let reportByteCount = 1 << 16
    /// Files of a library that belong to no shot, in one reply.
    public static let unclaimedFiles = 4096
    /// The most keys in a list: those that a registry holds, active and revoked.
    public static let keys = 12_288
    /// The keys that a frames channel admits: the active ones of a registry.
    public static let viewers = 8192
    /// The time for the handshake of a join channel, at both ends: a machine that is being set up may be busy. Other channels: 2 s.
    public static let joinHandshake = Duration.seconds(10)
    /// Files of one capture.
    public static let filesPerCapture = 8
    /// Files of one capture that are made later, owed or failed. A photo in HEIC, its clip and its motion photo are three.
    public static let companionsPerCapture = 3
    /// Labels of a device.
    public static let labels = 32
    /// Device patterns in a query of shots.
    public static let devicePatterns = 64
    /// Events in one `EventBatch`.
    public static let eventsPerBatch = 100
    /// Events in one `EventLog`. A client continues from the last one that it received.
    public static let eventsPerReplay = 400
    /// Shots in one `ShotList`. A client continues from the last one that it received.
    public static let shotsPerList = 1000
    /// Bytes of the longest manifest.
    public static let manifestByteCount = 64 << 20
    /// Bytes of a manifest in one reply. A client continues from the last one that it received.
    public static let manifestPage = 1 << 20
    /// Bytes of a file of the audit log in one reply. A client continues from the last one that it received.
    public static let auditPart = 1 << 20
    /// Files of the audit log in one reply, and the number of a record.
    public static let auditFiles = 4096
    public static let auditRecord: ClosedRange<Int64> = 0...1 << 53
    /// Details of an event.
    public static let details = 16
    /// Formats of a device, sizes of a format, intervals of a size.
    public static let formats = 48
    public static let sizes = 32
    public static let intervals = 12
    /// Controls of a device, and values set by one request; items of a menu.
    public static let controls = 128
    public static let menuItems = 32

    /// UTF-8 bytes of a label, type, position, driver or the key of a detail.
    public static let wordByteCount = String.longestWord
    /// UTF-8 bytes of a make, model or serial number.
    public static let hardwareByteCount = 128
    /// UTF-8 bytes of a device's purpose.
    public static let purposeByteCount = 256
    /// UTF-8 bytes of a condition's reason and of the value of a detail.
    public static let reasonByteCount = 512
    /// UTF-8 bytes of a problem's message, which may list all devices of a rig.
    public static let problemByteCount = 16_384
    /// Frames of a movie: more than a year at a thousand per second.
    public static let movieFrames: ClosedRange<Int64> = 0...1 << 40
    /// Files of a recording.
    public static let segments: ClosedRange<Int64> = 1...Int64(SegmentNumber.limit)
    /// Takes in progress in one reply: the most shots that may be in progress.
    public static let openTakes = 256
    /// Bounds between the bins of a histogram.
    public static let histogramBins = 64
    /// Gateways of a rig.
    public static let gateways = 16
    /// UTF-8 bytes of the address of a gateway.
    public static let webAddressByteCount = 256
    /// Bytes of one file.
    public static let fileByteCount: Int64 = 1 << 40
    /// Bytes of a stored file in one reply.
    public static let assetPart: ClosedRange<Int64> = 1...1 << 18
    /// UTF-8 bytes of the name of a stored file.
    public static let assetNameByteCount = 256

    /// Width and height in pixels.
    public static let pixels: ClosedRange<Int64> = 1...65_535
    /// Pictures of a bracket.
    public static let bracket = 5
    /// Time between frames in nanoseconds: up to one frame an hour.
    public static let frameInterval: ClosedRange<Int64> = 1...3_600_000_000_000
    /// Significant bits of a raw file's sample.
    public static let rawBits = 8...16
    /// Time between frames of a clip in nanoseconds.
    public static let clipInterval: ClosedRange<Int64> = 1...10_000_000_000
    /// The wait for outcomes in nanoseconds: up to a day.
    public static let timeout: ClosedRange<Int64> = 0...86_400_000_000_000
    /// Time until the answer to a trigger in nanoseconds: T may be in the future, and the timeout follows it.
    public static let answerWithin: ClosedRange<Int64> = 0...604_800_000_000_000
    /// How long a hold lasts, in nanoseconds.
    public static let holdDuration =
        RigHold.durations.lowerBound.nanoseconds...RigHold.durations.upperBound.nanoseconds
    /// The timeout of a device's answer in nanoseconds: up to ten minutes.
    public static let deviceTimeout: ClosedRange<Int64> = 0...600_000_000_000
    /// Counts and measures: any value that a signed number can hold, so that no conversion can trap.
    public static let nonNegative: ClosedRange<Int64> = 0...Int64.max
}
