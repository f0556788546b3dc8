public import CaptureModel
public import RigProtocol

extension PixelSize {
    init(wire: WirePixelSize) throws(WireError) {
        let reader = FieldReader("PixelSize")
        self.init(
            width: Int(try reader.number(wire.width, "width", in: WireLimits.pixels)),
            height: Int(try reader.number(wire.height, "height", in: WireLimits.pixels)))
    }

    var wire: WirePixelSize {
        var wire = WirePixelSize()
        wire.width = UInt32(clamping: width)
        wire.height = UInt32(clamping: height)
        return wire
    }
}

extension ResolvedPhotoSettings {
    public init(wire: WireResolvedPhotoSettings) throws(WireError) {
        let reader = FieldReader("ResolvedPhotoSettings")
        let format = try reader.present(wire.hasStreamFormat ? wire.streamFormat : nil, "stream_format")
        self.init(
            width: Int(try reader.number(wire.width, "width", in: WireLimits.pixels)),
            height: Int(try reader.number(wire.height, "height", in: WireLimits.pixels)),
            streamFormat: try VideoFormat(wire: format),
            isCameraEncoded: wire.cameraEncoded,
            orientation: try reader.orientation(wire.orientationDegrees),
            mirrored: wire.mirrored ? true : nil,
            thumbnail: wire.hasThumbnail ? try PixelSize(wire: wire.thumbnail) : nil,
            preview: wire.hasPreview ? try PixelSize(wire: wire.preview) : nil,
            isFlashUsed: wire.hasFlashUsed ? wire.flashUsed : nil,
            bracketCount: wire.bracketCount == 0
                ? nil
                : Int(try reader.number(wire.bracketCount, "bracket_count", in: 1...Int64(WireLimits.bracket))),
            photoFormat: wire.hasPhotoFormat ? try VideoFormat(wire: wire.photoFormat) : nil,
            expectedGapNanoseconds: wire.hasPhotoFormat
                ? try reader.number(wire.expectedGapNs, "expected_gap_ns", in: WireLimits.nonNegative) : nil,
            livePhoto: wire.hasLivePhoto ? try LivePhotoMovie(wire: wire.livePhoto) : nil,
            livePhotoNote: wire.livePhotoNote.isEmpty
                ? nil : wire.livePhotoNote.sentence(limit: WireLimits.reasonByteCount),
            raw: wire.hasRaw ? try ResolvedRawPhoto(wire: wire.raw) : nil,
            rawProblem: wire.hasRawProblem ? RigProblem(wire: wire.rawProblem) : nil,
            codec: wire.codec.isEmpty ? nil : try reader.word(wire.codec, "codec", as: PhotoCodec.self),
            movie: wire.hasMovie ? ResolvedMovie(wire: wire.movie) : nil)
    }

    public var wire: WireResolvedPhotoSettings {
        var wire = WireResolvedPhotoSettings()
        wire.width = UInt32(clamping: width)
        wire.height = UInt32(clamping: height)
        wire.streamFormat = streamFormat.wire
        wire.cameraEncoded = isCameraEncoded
        wire.orientationDegrees = UInt32(orientation.rawValue)
        wire.mirrored = mirrored == true
        if let thumbnail { wire.thumbnail = thumbnail.wire }
        if let preview { wire.preview = preview.wire }
        if let isFlashUsed { wire.flashUsed = isFlashUsed }
        wire.bracketCount = UInt32(clamping: bracketCount ?? 0)
        if let photoFormat {
            wire.photoFormat = photoFormat.wire
            wire.expectedGapNs = expectedGapNanoseconds ?? 0
        }
        if let livePhoto { wire.livePhoto = livePhoto.wire }
        wire.livePhotoNote = livePhotoNote?.sentence(limit: WireLimits.reasonByteCount) ?? ""
        if let raw { wire.raw = raw.wire }
        if let rawProblem { wire.rawProblem = rawProblem.wire }
        if let codec { wire.codec = codec.rawValue }
        if let movie { wire.movie = movie.wire }
        return wire
    }
}

extension LivePhotoMovie {
    init(wire: WireLivePhotoMovie) throws(WireError) {
        let reader = FieldReader("LivePhotoMovie")
        self.init(
            dimensions: try PixelSize(
                wire: try reader.present(wire.hasDimensions ? wire.dimensions : nil, "dimensions")),
            preRollNanoseconds: try reader.number(wire.preRollNs, "pre_roll_ns", in: WireLimits.nonNegative),
            postRollNanoseconds: try reader.number(wire.postRollNs, "post_roll_ns", in: WireLimits.nonNegative),
            hasSound: wire.hasSound_p,
            codec: wire.codec.isEmpty ? nil : try reader.word(wire.codec, "codec", as: ClipCodec.self),
            motionPhoto: wire.motionPhoto ? true : nil)
    }

    var wire: WireLivePhotoMovie {
        var wire = WireLivePhotoMovie()
        wire.dimensions = dimensions.wire
        wire.preRollNs = preRollNanoseconds
        wire.postRollNs = postRollNanoseconds
        wire.hasSound_p = hasSound
        if let codec { wire.codec = codec.rawValue }
        wire.motionPhoto = motionPhoto ?? false
        return wire
    }
}

extension ResolvedRawPhoto {
    init(wire: WireResolvedRawPhoto) throws(WireError) {
        let reader = FieldReader("ResolvedRawPhoto")
        let dimensions = try reader.present(wire.hasDimensions ? wire.dimensions : nil, "dimensions")
        self.init(
            dimensions: try PixelSize(wire: dimensions), bits: Int(try reader.number(wire.bits, "bits", in: 8...16)),
            embeddedThumbnail: wire.hasEmbeddedThumbnail ? try PixelSize(wire: wire.embeddedThumbnail) : nil)
    }

    var wire: WireResolvedRawPhoto {
        var wire = WireResolvedRawPhoto()
        wire.dimensions = dimensions.wire
        wire.bits = UInt32(clamping: bits)
        if let embeddedThumbnail { wire.embeddedThumbnail = embeddedThumbnail.wire }
        return wire
    }
}
