import CaptureModel
import CaptureTestSupport
import RigWire
import Testing

extension SeededGenerator {
    mutating func shotID() -> ShotID {
        ShotID(unixMilliseconds: number(0...(1 << 47)), using: &self)
    }

    mutating func digest() throws -> ContentDigest {
        try #require(ContentDigest(bytes: (0..<32).map { _ in UInt8.random(in: 0...255, using: &self) }))
    }

    mutating func fileKey() throws -> FileKey {
        FileKey(capture: CaptureKey(shot: shotID(), device: try deviceID()), kind: try assetKind())
    }

    mutating func assetKind() throws -> AssetKind {
        let segment = try #require(SegmentNumber(Int(number(1...Int64(SegmentNumber.limit)))))
        return pick(AssetKind.allCases + AssetKind.ofRecording(segment))
    }

    mutating func photoSettings() -> PhotoSettings {
        PhotoSettings(
            quality: maybe { Int($0.number(1...100)) }, embedThumbnail: maybe { $0.pick(ThumbnailShape.allCases) },
            previewSize: maybe { Int($0.number(WireLimits.previewSize)) }, flash: maybe { $0.pick(FlashMode.allCases) },
            bracket: maybe { generator in (0..<Int(generator.number(1...5))).map { _ in generator.bracketStep() } },
            maxPhotoDimensions: maybe { $0.pixelSize() }, livePhoto: maybe { $0.pick(LivePhotoRequest.allCases) },
            clipCodec: maybe { $0.pick(ClipCodec.allCases) }, motionPhoto: maybe { _ in true },
            raw: maybe { $0.pick(RawPhoto.allCases) }, codec: maybe { $0.pick(PhotoCodec.allCases) },
            movie: maybe { $0.movieSettings() })
    }

    mutating func resolvedSettings() -> ResolvedPhotoSettings {
        let larger = maybe { ($0.videoFormat(), $0.number(WireLimits.nonNegative)) }
        return ResolvedPhotoSettings(
            width: Int(number(WireLimits.pixels)), height: Int(number(WireLimits.pixels)), streamFormat: videoFormat(),
            isCameraEncoded: Bool.random(using: &self), orientation: pick(Orientation.allCases),
            mirrored: maybe { _ in true }, thumbnail: maybe { $0.pixelSize() }, preview: maybe { $0.pixelSize() },
            isFlashUsed: maybe { Bool.random(using: &$0) }, bracketCount: maybe { Int($0.number(1...5)) },
            photoFormat: larger?.0, expectedGapNanoseconds: larger?.1, livePhoto: maybe { $0.livePhotoMovie() },
            livePhotoNote: maybe { "a" + $0.sentence() },
            raw: maybe {
                ResolvedRawPhoto(
                    dimensions: $0.pixelSize(), bits: Int($0.number(8...16)), embeddedThumbnail: $0.pixelSize())
            },
            rawProblem: maybe { CaptureProblem($0.pick(CaptureProblem.Code.allCases), "a" + $0.sentence()) },
            codec: maybe { $0.pick(PhotoCodec.allCases) },
            movie: maybe { generator in
                ResolvedMovie(hasSound: Bool.random(using: &generator), note: generator.maybe { "a" + $0.sentence() })
            })
    }

    mutating func movieSettings() -> MovieSettings {
        MovieSettings(
            maxRecordedDurationNanoseconds: maybe { $0.number(WireLimits.recordedDuration) },
            maxRecordedFileSize: maybe { $0.number(1...WireLimits.fileByteCount) },
            minFreeDiskSpaceLimit: maybe { $0.number(0...WireLimits.diskByteCount) },
            segmentDurationNanoseconds: maybe { $0.number(WireLimits.segmentDuration) },
            segmentFileSize: maybe { $0.number(WireLimits.segmentFileSize) })
    }

    mutating func recordedMovie() -> RecordedMovie {
        RecordedMovie(
            frameCount: Int(number(0...1_000_000)), missingFrames: Int(number(0...1000)),
            droppedFrames: Int(number(0...1000)), durationNanoseconds: number(WireLimits.nonNegative),
            silenceNanoseconds: number(WireLimits.nonNegative), end: pick(RecordedMovie.End.allCases),
            problem: maybe { $0.problem() }, note: maybe { "a" + $0.sentence() },
            segmentCount: maybe { Int($0.number(1...Int64(SegmentNumber.limit))) })
    }

    mutating func livePhotoMovie() -> LivePhotoMovie {
        LivePhotoMovie(
            dimensions: pixelSize(), preRollNanoseconds: number(WireLimits.nonNegative),
            postRollNanoseconds: number(WireLimits.nonNegative), hasSound: Bool.random(using: &self),
            codec: maybe { $0.pick(ClipCodec.allCases) }, motionPhoto: maybe { _ in true })
    }

    mutating func clipTiming() -> ClipTiming {
        var offsets: [Int64] = [0]
        for _ in 0..<number(0...200) { offsets.append(offsets[offsets.count - 1] + number(1...1_000_000_000)) }
        return ClipTiming(
            localStart: LocalTime(nanoseconds: number(Int64.min...Int64.max)), start: boundedTime(),
            frameOffsets: offsets, stillFrame: Int(number(0...Int64(offsets.count - 1))),
            durationNanoseconds: number(WireLimits.nonNegative), missingFrames: Int(number(0...1000)),
            silences: maybe { generator in (0..<Int(generator.number(1...32))).map { _ in generator.clipSilence() } })
    }

    mutating func clipSilence() -> ClipSilence {
        ClipSilence(
            startNanoseconds: number(WireLimits.nonNegative), durationNanoseconds: number(WireLimits.nonNegative),
            cause: pick(ClipSilence.Cause.allCases))
    }

    mutating func bracketStep() -> BracketStep {
        BracketStep(
            exposureNanoseconds: maybe { $0.number(WireLimits.bracketExposure) },
            gain: maybe { $0.number(WireLimits.bracketGain) })
    }

    mutating func pixelSize() -> PixelSize {
        PixelSize(width: Int(number(WireLimits.pixels)), height: Int(number(WireLimits.pixels)))
    }

    mutating func boundedTime() -> BoundedRigTime {
        BoundedRigTime(
            time: RigTime(nanoseconds: number(Int64.min...Int64.max)), bound: .nanoseconds(number(0...Int64.max)))
    }

    mutating func timing() -> FrameTiming {
        FrameTiming(
            sequence: UInt64(number(0...Int64.max)),
            localMidExposure: LocalTime(nanoseconds: number(Int64.min...Int64.max)), midExposure: boundedTime(),
            skewNanoseconds: number(Int64.min...Int64.max), exposureNanoseconds: maybe { $0.number(0...Int64.max) },
            dequeued: RigTime(nanoseconds: number(Int64.min...Int64.max)))
    }

    mutating func spooledFile() throws -> SpooledFile {
        SpooledFile(
            kind: try assetKind(), byteCount: number(1...WireLimits.fileByteCount), digest: try digest(),
            shortfall: maybe { $0.problem() })
    }

    mutating func captureReport() throws -> CaptureReport {
        var report = CaptureReport(
            key: CaptureKey(shot: shotID(), device: try deviceID()), resolved: resolvedSettings(), timing: timing(),
            files: [try spooledFile()], clip: maybe { $0.clipTiming() }, streamGap: maybe { $0.streamGap() },
            movie: maybe { $0.recordedMovie() })
        let other = AssetKind.allCases.filter { $0 != report.files[0].kind }
        switch number(0...3) {
        case 0: report.owed = [pick(other)]
        case 1: report.failed = [FailedFile(kind: pick(other), problem: problem())]
        case 2: (report.files, report.owed) = ([], [pick(other)])
        default: break
        }
        return report
    }

    mutating func streamGap() -> StreamGap {
        StreamGap(
            localStart: LocalTime(nanoseconds: number(Int64.min...Int64.max)),
            start: maybe { RigTime(nanoseconds: $0.number(Int64.min...Int64.max)) },
            nanoseconds: maybe { $0.number(WireLimits.nonNegative) })
    }

    mutating func problem() -> CaptureProblem {
        CaptureProblem(pick(CaptureProblem.Code.allCases), sentence())
    }
}
