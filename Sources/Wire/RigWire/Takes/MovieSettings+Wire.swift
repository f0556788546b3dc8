import CaptureModel
import RigProtocol

extension MovieSettings {
    init(wire: WireMovieSettings) throws(WireError) {
        let reader = FieldReader("MovieSettings")
        self.init(
            maxRecordedDurationNanoseconds: wire.hasMaxRecordedDurationNs
                ? try reader.number(
                    wire.maxRecordedDurationNs, "max_recorded_duration_ns", in: WireLimits.recordedDuration) : nil,
            maxRecordedFileSize: wire.hasMaxRecordedFileSize
                ? try reader.number(
                    wire.maxRecordedFileSize, "max_recorded_file_size", in: 1...WireLimits.fileByteCount) : nil,
            minFreeDiskSpaceLimit: wire.hasMinFreeDiskSpaceLimit
                ? try reader.number(
                    wire.minFreeDiskSpaceLimit, "min_free_disk_space_limit", in: 0...WireLimits.diskByteCount) : nil,
            segmentDurationNanoseconds: wire.hasSegmentDurationNs
                ? try reader.number(wire.segmentDurationNs, "segment_duration_ns", in: WireLimits.segmentDuration)
                : nil,
            segmentFileSize: wire.hasSegmentFileSize
                ? try reader.number(wire.segmentFileSize, "segment_file_size", in: WireLimits.segmentFileSize) : nil)
    }

    var wire: WireMovieSettings {
        var wire = WireMovieSettings()
        if let maxRecordedDurationNanoseconds { wire.maxRecordedDurationNs = maxRecordedDurationNanoseconds }
        if let maxRecordedFileSize { wire.maxRecordedFileSize = maxRecordedFileSize }
        if let minFreeDiskSpaceLimit { wire.minFreeDiskSpaceLimit = minFreeDiskSpaceLimit }
        if let segmentDurationNanoseconds { wire.segmentDurationNs = segmentDurationNanoseconds }
        if let segmentFileSize { wire.segmentFileSize = segmentFileSize }
        return wire
    }
}

extension ResolvedMovie {
    init(wire: WireResolvedMovie) {
        self.init(
            hasSound: wire.hasSound_p,
            note: wire.note.isEmpty ? nil : wire.note.sentence(limit: WireLimits.reasonByteCount))
    }

    var wire: WireResolvedMovie {
        var wire = WireResolvedMovie()
        wire.hasSound_p = hasSound
        wire.note = note?.sentence(limit: WireLimits.reasonByteCount) ?? ""
        return wire
    }
}
