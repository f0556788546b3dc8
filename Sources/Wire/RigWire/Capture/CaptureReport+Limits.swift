public import CaptureModel

/// The limits of a report in a message. A spool may hold one of a recording with more files.
extension CaptureReport: ValidatedDocument {
    public func validate() throws(InvalidDocument) {
        try check(resolved, "resolved")
        try check(timing, "timing")
        try check(count: files.count, "files", in: 0...WireLimits.filesPerCapture)
        try check(files, "files")
        try check(count: owed.count, "owed", in: 0...WireLimits.companionsPerCapture)
        try check(count: failed.count, "failed", in: 0...WireLimits.companionsPerCapture)
        try check(clip, "clip")
        try check(streamGap, "streamGap")
        try check(movie, "movie")
        let kinds = files.map(\.kind) + owed + failed.map(\.kind)
        guard !kinds.isEmpty else { throw InvalidDocument("files", "is empty; a capture has a file") }
        guard Set(kinds).count == kinds.count else { throw InvalidDocument("files", "names a kind twice") }
    }
}

extension SpooledFile: ValidatedDocument {
    public func validate() throws(InvalidDocument) {
        try check(byteCount, "byteCount", in: 1...WireLimits.fileByteCount)
    }
}

extension ResolvedPhotoSettings: ValidatedDocument {
    public func validate() throws(InvalidDocument) {
        try check(width, "width", in: PixelSize.sides)
        try check(height, "height", in: PixelSize.sides)
        try check(streamFormat, "streamFormat")
        try check(thumbnail, "thumbnail")
        try check(preview, "preview")
        try check(bracketCount, "bracketCount", in: 1...WireLimits.bracket)
        try check(photoFormat, "photoFormat")
        try check(expectedGapNanoseconds, "expectedGapNanoseconds", in: WireLimits.nonNegative)
        try check(livePhoto, "livePhoto")
        try check(raw, "raw")
    }
}

extension VideoFormat: ValidatedDocument {
    public func validate() throws(InvalidDocument) {
        try check(width, "width", in: PixelSize.sides)
        try check(height, "height", in: PixelSize.sides)
        try check(frameIntervalNanoseconds, "frameIntervalNanoseconds", in: WireLimits.frameInterval)
    }
}

extension LivePhotoMovie: ValidatedDocument {
    public func validate() throws(InvalidDocument) {
        try check(dimensions, "dimensions")
        try check(preRollNanoseconds, "preRollNanoseconds", in: WireLimits.nonNegative)
        try check(postRollNanoseconds, "postRollNanoseconds", in: WireLimits.nonNegative)
    }
}

extension ResolvedRawPhoto: ValidatedDocument {
    public func validate() throws(InvalidDocument) {
        if case .samples(let samples) = self { try samples.validate() }
    }
}

extension ResolvedSamples: ValidatedDocument {
    public func validate() throws(InvalidDocument) {
        try check(dimensions, "dimensions")
        try check(bits, "bits", in: WireLimits.rawBits)
        try check(embeddedThumbnail, "embeddedThumbnail")
    }
}

extension FrameTiming: ValidatedDocument {
    public func validate() throws(InvalidDocument) {
        // As in ``FieldReader/count(_:_:)``: what a signed number can hold.
        try check(sequence, "sequence", in: 0...UInt64(Int64.max))
        try check(midExposure, "midExposure")
        try check(exposureNanoseconds, "exposureNanoseconds", in: WireLimits.nonNegative)
        try check(sharedError, "sharedError")
        guard let sharedError, sharedError.bound > midExposure.bound else { return }
        throw InvalidDocument("sharedError.boundNanoseconds", "must not be above midExposure.boundNanoseconds")
    }
}

extension SharedError: ValidatedDocument {
    public func validate() throws(InvalidDocument) {
        try check(boundNanoseconds, "boundNanoseconds", in: WireLimits.nonNegative)
    }
}

extension BoundedRigTime: ValidatedDocument {
    public func validate() throws(InvalidDocument) {
        try check(boundNanoseconds, "boundNanoseconds", in: WireLimits.nonNegative)
    }
}

extension StreamGap: ValidatedDocument {
    public func validate() throws(InvalidDocument) {
        try check(nanoseconds, "nanoseconds", in: WireLimits.nonNegative)
    }
}

extension RecordedMovie: ValidatedDocument {
    public func validate() throws(InvalidDocument) {
        try check(Int64(frameCount), "frameCount", in: WireLimits.movieFrames)
        try check(Int64(missingFrames), "missingFrames", in: WireLimits.movieFrames)
        try check(Int64(droppedFrames), "droppedFrames", in: WireLimits.movieFrames)
        try check(durationNanoseconds, "durationNanoseconds", in: WireLimits.nonNegative)
        try check(silenceNanoseconds, "silenceNanoseconds", in: WireLimits.nonNegative)
        try check(segmentCount.map { Int64($0) }, "segmentCount", in: WireLimits.segments)
        try check(pace, "pace")
    }
}

extension FramePace: ValidatedDocument {
    public func validate() throws(InvalidDocument) {
        try check(Int64(intervalCount), "intervalCount", in: WireLimits.movieFrames)
        try check(spanNanoseconds, "spanNanoseconds", in: WireLimits.nonNegative)
        try check(boundNanoseconds, "boundNanoseconds", in: WireLimits.nonNegative)
    }
}

extension ClipTiming: ValidatedDocument {
    public func validate() throws(InvalidDocument) {
        try check(start, "start")
        try check(count: frameOffsets.count, "frameOffsets", in: 1...LivePhotoMovie.frameLimit)
        try checkOrder()
        try check(stillFrame, "stillFrame", in: 0...frameOffsets.count - 1)
        try check(durationNanoseconds, "durationNanoseconds", in: WireLimits.nonNegative)
        try check(missingFrames, "missingFrames", in: 0...Int(UInt32.max))
        try check(count: silences?.count ?? 0, "silences", in: 0...ClipSilence.limit)
        try check(silences ?? [], "silences")
        try check(count: settings.count, "settings", in: 0...ClipSettings.limit)
        try check(settings, "settings")
    }

    /// Checks that the frames are in order, and neither too close nor too far apart.
    private func checkOrder() throws(InvalidDocument) {
        guard frameOffsets[0] == 0 else { throw InvalidDocument("frameOffsets[0]", "must be 0") }
        for index in frameOffsets.indices.dropFirst() {
            let (interval, isOverflow) = frameOffsets[index].subtractingReportingOverflow(frameOffsets[index - 1])
            guard !isOverflow, WireLimits.clipInterval.contains(interval) else {
                throw InvalidDocument(
                    "frameOffsets[\(index)]",
                    "must be \(WireLimits.clipInterval.lowerBound) to \(WireLimits.clipInterval.upperBound) after the one before"
                )
            }
        }
    }
}

extension ClipSilence: ValidatedDocument {
    public func validate() throws(InvalidDocument) {
        try check(startNanoseconds, "startNanoseconds", in: WireLimits.nonNegative)
        try check(durationNanoseconds, "durationNanoseconds", in: WireLimits.nonNegative)
    }
}

extension ClipSettings: ValidatedDocument {
    public func validate() throws(InvalidDocument) {
        try check(startNanoseconds, "startNanoseconds", in: WireLimits.nonNegative)
    }
}
