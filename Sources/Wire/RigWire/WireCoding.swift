internal import CaptureModel
public import SwiftProtobuf

/// The encoder and decoder of one channel's messages, with the channel's size limit.
public struct WireCoding: Hashable, Sendable {
    /// The most bytes of a protobuf part of this channel, in either direction.
    public let maximumByteCount: Int

    /// Control: 1 MiB, for a hello with its inventory.
    public static let control = WireCoding(maximumByteCount: 1 << 20)
    /// Clock: 256 bytes, so that a probe is always cheap.
    public static let clock = WireCoding(maximumByteCount: 256)
    /// Collect: 64 KiB for the protobuf part. The bytes of a chunk are a separate part (``maximumChunkByteCount``).
    public static let collect = WireCoding(maximumByteCount: 1 << 16)
    /// Client: 4 MiB, for manifests and replays.
    public static let client = WireCoding(maximumByteCount: 4 << 20)
    /// Feed: 64 KiB.
    public static let feed = WireCoding(maximumByteCount: 1 << 16)

    /// Join: 4 KiB, since anybody may connect.
    public static let join = WireCoding(maximumByteCount: 1 << 12)

    /// Frames: 4 KiB for the header of a frame.
    public static let frameHeader = WireCoding(maximumByteCount: 1 << 12)

    /// The most bytes of a file in one chunk of the collect channel.
    public static let maximumChunkByteCount = 1 << 20

    /// Encodes `message`.
    /// - Throws: ``WireError`` with `oversized` if the peer would refuse it.
    public func encode<M: SwiftProtobuf.Message>(_ message: M) throws(WireError) -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try message.serializedBytes()
        } catch {
            throw WireError(.malformed, message: Self.name(of: M.self), reason: "cannot be encoded: \(error)")
        }
        try checkSize(bytes.count, of: M.self)
        return bytes
    }

    /// Decodes a message from an untrusted peer. Fields that this version does not know are dropped.
    /// - Throws: ``WireError`` with `oversized` or `malformed`. The values of fields are not checked here.
    public func decode<M: SwiftProtobuf.Message>(_ type: M.Type, from bytes: [UInt8]) throws(WireError) -> M {
        try checkSize(bytes.count, of: type)
        var options = BinaryDecodingOptions()
        // The deepest message of the protocol has eight levels.
        options.messageDepthLimit = 16
        options.discardUnknownFields = true
        do {
            return try M(serializedBytes: bytes, options: options)
        } catch {
            throw WireError(.malformed, message: Self.name(of: type), reason: "is not a message of this type: \(error)")
        }
    }

    private func checkSize(_ count: Int, of type: any SwiftProtobuf.Message.Type) throws(WireError) {
        guard count <= maximumByteCount else {
            throw WireError(
                .oversized, message: Self.name(of: type),
                reason: "has \(count) bytes; at most \(maximumByteCount) are allowed")
        }
    }

    private static func name(of type: any SwiftProtobuf.Message.Type) -> String {
        type.protoMessageName.split(separator: ".").last.map(String.init) ?? type.protoMessageName
    }
}

/// A message of the bus that is not valid.
public struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of fault, few enough to count messages by kind.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// More bytes than the channel allows.
        case oversized
        /// The bytes are not a message of this type.
        case malformed
        /// A required field is absent.
        case missing
        /// A field has a value that the protocol does not allow.
        case invalid
    }

    public var code: Code
    /// The message type, as in `proto/`: `VideoFormat`.
    public var message: String
    /// The field, as in `proto/`: `frame_interval_ns`; empty for the complete message.
    public var field: String
    /// What is wrong and what is allowed.
    public var reason: String

    public init(_ code: Code, message: String, field: String = "", reason: String) {
        self.code = code
        self.message = message
        self.field = field
        self.reason = reason
    }

    public var description: String {
        "message \(message)\(field.isEmpty ? "" : ", field \(field)"): \(reason)"
    }
}

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
    /// Captures that an agent lists in one `Hello`, `Inventory` or `SpoolListing`. The coordinator can accept this many
    /// without delaying the node's other messages. If each has the frames of a clip and three failures, no more fit.
    public static let inventoryPage = 60
    /// Captures accepted in one of these messages.
    public static let inventory = 64
    /// Files of a library that belong to no shot, in one reply.
    public static let unclaimedFiles = 4096
    /// The most keys in a list: those that a registry holds, active and revoked.
    public static let keys = 12_288
    /// The keys that a frames channel admits: the active ones of a registry.
    public static let viewers = 8192
    /// Files of one capture.
    public static let filesPerCapture = 8
    /// Files of one capture that are made later, owed or failed. A photo in HEIC, its clip and its motion photo are three.
    public static let companionsPerCapture = 3
    /// Labels of a device, and labels and pairs of a selection.
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
    public static let wordByteCount = 64
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
    /// The longest recording in nanoseconds: up to a day.
    public static let recordedDuration: ClosedRange<Int64> = 1...86_400_000_000_000
    /// The length of a recording's files in nanoseconds, and their size in bytes.
    public static let segmentDuration = MovieSettings.shortestSegmentNanoseconds...recordedDuration.upperBound
    public static let segmentFileSize = MovieSettings.smallestSegment...fileByteCount
    /// Bytes of a disk.
    public static let diskByteCount: Int64 = 1 << 50
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
    /// The longer side of a preview in pixels.
    public static let previewSize: ClosedRange<Int64> = 16...4096
    public static let rawThumbnailSide: ClosedRange<Int64> = 16...4096
    /// Pictures of a bracket.
    public static let bracket = 5
    /// Exposure times of a bracket in nanoseconds.
    public static let bracketExposure: ClosedRange<Int64> = 1000...10_000_000_000
    /// Gains of a bracket, in the device's units.
    public static let bracketGain: ClosedRange<Int64> = Int64(Int32.min)...Int64(Int32.max)
    /// Time between frames in nanoseconds: up to one frame an hour.
    public static let frameInterval: ClosedRange<Int64> = 1...3_600_000_000_000
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
