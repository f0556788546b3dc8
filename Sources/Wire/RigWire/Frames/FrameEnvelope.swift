import CaptureModel
public import RigProtocol

/// A message of the frames channel as ZeroMQ transfers it, in one part: topic, NUL, length of the header as 32 bits in
/// network byte order, header, payload.
public enum FrameEnvelope {
    /// The most bytes of a message.
    public static let maximumByteCount = 32 << 20
    /// The most bytes of a header.
    public static let maximumHeaderByteCount = WireCoding.frameHeader.maximumByteCount

    /// Returns the bytes before the payload.
    public static func prefix(_ header: FrameHeader) throws(WireError) -> [UInt8] {
        prefix(header.topic.bytes, try WireCoding.frameHeader.encode(header.wire))
    }

    /// Returns the bytes before the payload.
    public static func prefix(_ header: SoundHeader) throws(WireError) -> [UInt8] {
        prefix(header.topic.bytes, try WireCoding.frameHeader.encode(header.wire))
    }

    /// Returns the message of a stream that has nothing to show: an empty header, and no payload.
    public static func beat(of topic: [UInt8]) -> [UInt8] {
        prefix(topic, [])
    }

    /// Returns whether a message only reports that its stream exists.
    public static func isBeat(_ message: Span<UInt8>) -> Bool {
        guard let end = (0..<min(message.count, FrameTopic.maximumByteCount)).first(where: { message[$0] == 0 }) else {
            return false
        }
        return message.count == end + 5 && (end + 1..<message.count).allSatisfy { message[$0] == 0 }
    }

    private static func prefix(_ topic: [UInt8], _ header: [UInt8]) -> [UInt8] {
        let length = UInt32(clamping: header.count)
        return topic + (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + header
    }

    /// Parses a message from an untrusted peer.
    /// - Returns: The header, and the offset of the payload.
    /// - Throws: ``WireError``, also if the header is not of the topic's camera and kind.
    public static func open(_ message: Span<UInt8>) throws(WireError) -> (header: FrameHeader, payload: Int) {
        guard let end = (0..<min(message.count, FrameTopic.maximumByteCount)).first(where: { message[$0] == 0 }) else {
            throw fault("topic", "must be node/device/kind, then NUL")
        }
        let start = end + 5
        guard start <= message.count else { throw fault("length", "is cut off") }
        let length = (end + 1..<start).reduce(0) { $0 << 8 | Int(message[$1]) }
        guard length <= maximumHeaderByteCount, start + length <= message.count else {
            throw fault("length", "is \(length); the message has \(message.count - start) bytes more")
        }
        let header = try header(bytes(message, start..<start + length))
        guard bytes(message, 0..<end + 1) == header.topic.bytes else {
            throw fault("topic", "is not that of the header, \(header.topic)")
        }
        return (header, start + length)
    }

    private static func header(_ encoded: [UInt8]) throws(WireError) -> FrameHeader {
        try FrameHeader(wire: try WireCoding.frameHeader.decode(WireFrameHeader.self, from: encoded))
    }

    private static func bytes(_ message: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        range.map { message[$0] }
    }

    private static func fault(_ field: String, _ reason: String) -> WireError {
        WireError(.malformed, message: "frame", field: field, reason: reason)
    }
}

extension FrameHeader {
    public init(wire: WireFrameHeader) throws(WireError) {
        let reader = FieldReader("FrameHeader")
        let kind = try reader.word(wire.kind, "kind", as: FrameKind.self)
        let device = try DeviceID(wire: try reader.present(wire.hasDevice ? wire.device : nil, "device"))
        self.init(
            topic: FrameTopic(device: device, kind: kind), epoch: try reader.epoch(wire.epoch),
            number: try reader.count(wire.number, "number"), sequence: try reader.count(wire.sequence, "sequence"),
            midExposure: LocalTime(nanoseconds: wire.localMidExposureNs),
            stampBound: .nanoseconds(
                try reader.number(wire.stampBoundNs, "stamp_bound_ns", in: WireLimits.nonNegative)),
            exposure: wire.hasExposureNs
                ? .nanoseconds(try reader.number(wire.exposureNs, "exposure_ns", in: WireLimits.nonNegative)) : nil,
            dequeued: LocalTime(nanoseconds: wire.localDequeuedNs),
            published: LocalTime(nanoseconds: wire.localPublishedNs),
            rig: wire.hasRig ? try FrameRigTime(wire: wire.rig) : nil, format: try reader.word(wire.format, "format"),
            width: Int(try reader.number(wire.width, "width", in: WireLimits.pixels)),
            height: Int(try reader.number(wire.height, "height", in: WireLimits.pixels)),
            orientation: try reader.orientation(wire.orientationDegrees), isMirrored: wire.mirrored,
            drops: try OutputDrops(wire: wire.drops))
    }

    public var wire: WireFrameHeader {
        var wire = WireFrameHeader()
        wire.device = topic.device.wire
        wire.kind = topic.kind.rawValue
        wire.epoch = epoch.rawValue
        wire.number = number
        wire.sequence = sequence
        wire.localMidExposureNs = midExposure.nanoseconds
        wire.stampBoundNs = stampBound.nanoseconds
        if let exposure { wire.exposureNs = exposure.nanoseconds }
        wire.localDequeuedNs = dequeued.nanoseconds
        wire.localPublishedNs = published.nanoseconds
        if let rig { wire.rig = rig.wire }
        wire.format = format
        wire.width = UInt32(clamping: width)
        wire.height = UInt32(clamping: height)
        wire.orientationDegrees = UInt32(clamping: orientation.rawValue)
        wire.mirrored = isMirrored
        wire.drops = drops.wire
        return wire
    }
}

extension FrameRigTime {
    init(wire: WireFrameRigTime) throws(WireError) {
        let reader = FieldReader("FrameRigTime")
        let bound = try reader.number(wire.boundNs, "bound_ns", in: WireLimits.nonNegative)
        let clockBound = try reader.number(wire.clockBoundNs, "clock_bound_ns", in: WireLimits.nonNegative)
        self.init(
            clock: try reader.rigClockID(wire.rigClockID),
            midExposure: BoundedRigTime(
                time: RigTime(nanoseconds: wire.rigMidExposureNs), bound: .nanoseconds(bound)),
            clockBound: .nanoseconds(clockBound))
    }

    var wire: WireFrameRigTime {
        var wire = WireFrameRigTime()
        wire.rigClockID = clock.rawValue
        wire.rigMidExposureNs = midExposure.time.nanoseconds
        wire.boundNs = midExposure.boundNanoseconds
        wire.clockBoundNs = clockBound.nanoseconds
        return wire
    }
}

extension OutputDrops {
    init(wire: WireFrameDrops) throws(WireError) {
        let reader = FieldReader("FrameDrops")
        self.init()
        beforeOutput = try reader.count(wire.beforeOutput, "before_output")
        superseded = try reader.count(wire.superseded, "superseded")
        undecodable = try reader.count(wire.undecodable, "undecodable")
        oversized = try reader.count(wire.oversized, "oversized")
    }

    var wire: WireFrameDrops {
        var wire = WireFrameDrops()
        wire.beforeOutput = beforeOutput
        wire.superseded = superseded
        wire.undecodable = undecodable
        wire.oversized = oversized
        return wire
    }
}
