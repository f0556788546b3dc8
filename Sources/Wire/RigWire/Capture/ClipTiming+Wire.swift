public import CaptureModel
public import RigProtocol

extension ClipTiming {
    init(wire: WireClipTiming) throws(WireError) {
        let reader = FieldReader("ClipTiming")
        let bound = try reader.number(wire.boundNs, "bound_ns", in: WireLimits.nonNegative)
        let offsets = try Self.offsets(wire, reader)
        self.init(
            localStart: LocalTime(nanoseconds: wire.localStartNs),
            start: BoundedRigTime(time: RigTime(nanoseconds: wire.rigStartNs), bound: .nanoseconds(bound)),
            frameOffsets: offsets,
            stillFrame: Int(try reader.number(wire.stillFrame, "still_frame", in: 0...Int64(offsets.count - 1))),
            durationNanoseconds: try reader.number(wire.durationNs, "duration_ns", in: WireLimits.nonNegative),
            missingFrames: Int(wire.missingFrames), silences: try Self.silences(wire, reader),
            settings: try reader.list(wire.settings, "settings", limit: ClipSettings.limit)
                .map(ClipSettings.init(wire:)))
    }

    private static func silences(_ wire: WireClipTiming, _ reader: FieldReader) throws(WireError) -> [ClipSilence]? {
        let silences = try reader.list(wire.silences, "silences", limit: ClipSilence.limit)
        return silences.isEmpty ? nil : try silences.map(ClipSilence.init(wire:))
    }

    private static func offsets(_ wire: WireClipTiming, _ reader: FieldReader) throws(WireError) -> [Int64] {
        guard wire.intervalsNs.count < LivePhotoMovie.frameLimit else {
            throw reader.invalid("intervals_ns", "has more than \(LivePhotoMovie.frameLimit - 1) entries")
        }
        var offsets: [Int64] = [0]
        for interval in wire.intervalsNs {
            offsets.append(
                offsets[offsets.count - 1] + (try reader.number(interval, "intervals_ns", in: WireLimits.clipInterval)))
        }
        return offsets
    }

    var wire: WireClipTiming {
        var wire = WireClipTiming()
        wire.localStartNs = localStart.nanoseconds
        wire.rigStartNs = start.time.nanoseconds
        wire.boundNs = start.boundNanoseconds
        wire.intervalsNs = zip(frameOffsets.dropFirst(), frameOffsets).map { $0 &- $1 }
        wire.stillFrame = UInt32(clamping: stillFrame)
        wire.durationNs = durationNanoseconds
        wire.missingFrames = UInt32(clamping: missingFrames)
        wire.silences = silences?.map(\.wire) ?? []
        wire.settings = settings.map(\.wire)
        return wire
    }
}

extension ClipSilence {
    init(wire: WireClipSilence) throws(WireError) {
        let reader = FieldReader("ClipSilence")
        self.init(
            startNanoseconds: try reader.number(wire.startNs, "start_ns", in: WireLimits.nonNegative),
            durationNanoseconds: try reader.number(wire.durationNs, "duration_ns", in: WireLimits.nonNegative),
            cause: try reader.word(wire.cause, "cause", as: Cause.self))
    }

    var wire: WireClipSilence {
        var wire = WireClipSilence()
        wire.startNs = startNanoseconds
        wire.durationNs = durationNanoseconds
        wire.cause = cause.rawValue
        return wire
    }
}

extension FrameTiming {
    public init(wire: WireFrameTiming) throws(WireError) {
        let reader = FieldReader("FrameTiming")
        let bound = try reader.number(wire.boundNs, "bound_ns", in: WireLimits.nonNegative)
        self.init(
            sequence: try reader.count(wire.sequence, "sequence"),
            localMidExposure: LocalTime(nanoseconds: wire.localMidExposureNs),
            midExposure: BoundedRigTime(time: RigTime(nanoseconds: wire.rigMidExposureNs), bound: .nanoseconds(bound)),
            skewNanoseconds: wire.skewNs,
            exposureNanoseconds: wire.hasExposureNs
                ? try reader.number(wire.exposureNs, "exposure_ns", in: WireLimits.nonNegative) : nil,
            dequeued: RigTime(nanoseconds: wire.rigDequeuedNs),
            settings: wire.hasSettings ? try FrameSettings(wire: wire.settings) : nil)
    }

    public var wire: WireFrameTiming {
        var wire = WireFrameTiming()
        wire.sequence = sequence
        wire.localMidExposureNs = localMidExposure.nanoseconds
        wire.rigMidExposureNs = midExposure.time.nanoseconds
        wire.boundNs = midExposure.boundNanoseconds
        wire.skewNs = skewNanoseconds
        if let exposureNanoseconds { wire.exposureNs = exposureNanoseconds }
        wire.rigDequeuedNs = dequeued.nanoseconds
        if let settings { wire.settings = settings.wire }
        return wire
    }
}
