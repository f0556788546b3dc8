public import CaptureModel
public import ImageMetadata
internal import LibAV
internal import StorageKit
internal import TurboJPEG

/// Makes the small pictures of a JPEG: decodes it once at a reduced scale, then scales the planes and encodes them for each picture.
///
/// Reuses its decoder, encoder and planes. Not `Sendable`: use one per thread or actor. A damaged picture is used as far as it can be
/// decoded. The bytes are untrusted.
public final class PictureScaler {
    private let decoder: JPEGDecoder
    private let encoder: JPEGEncoder
    private let scaler = PlaneScaler()
    private var image = PlanarImage()

    /// - Parameter maximumPixelCount: Larger pictures are refused before they are decoded.
    /// - Throws: ``PictureProblem`` if there is not enough memory.
    public init(maximumPixelCount: Int = 100_000_000) throws(PictureProblem) {
        do {
            (decoder, encoder) = (try JPEGDecoder(maximumPixelCount: maximumPixelCount), try JPEGEncoder())
        } catch {
            throw PictureProblem(description: "\(error)")
        }
    }

    /// Returns all small pictures of a JPEG. Each is a JPEG whose Exif block contains the orientation.
    /// - Parameter orientation: The orientation of the pixels.
    /// - Throws: ``PictureProblem`` if the JPEG cannot be decoded.
    public func reduce(
        _ jpeg: [UInt8], orientation: EXIFOrientation
    ) throws(PictureProblem) -> [SmallPicture: [UInt8]] {
        do {
            let header = try decoder.header(of: jpeg.span)
            let plan = ReductionPlan(width: header.width, height: header.height)
            try decoder.decodePlanes(jpeg.span, scale: plan.scale, into: &image)
            var pictures: [SmallPicture: [UInt8]] = [:]
            for picture in SmallPicture.allCases {
                let pixels = try encoded(plan.part(of: picture, header.subsampling))
                let jpeg = try JPEGRewriter.stillBytes(
                    from: pixels.span, exif: EXIFDescription(orientation: orientation))
                guard jpeg.count <= SmallPicture.byteLimit else {
                    throw PictureProblem(description: "its \(picture) would have \(jpeg.count) bytes")
                }
                pictures[picture] = jpeg
            }
            return pictures
        } catch {
            throw PictureProblem(description: "\(error)")
        }
    }

    private func encoded(_ part: ReductionPlan.Part) throws -> [UInt8] {
        let subsampling = image.geometry.subsampling
        let sources = PlaneGeometry(width: part.width, height: part.height, subsampling: subsampling).planeSizes
        let targets = PlaneGeometry(width: part.targetWidth, height: part.targetHeight, subsampling: subsampling)
            .planeSizes
        var planes: [(bytes: [UInt8], stride: Int)] = []
        for (index, source) in sources.enumerated() {
            planes.append(try scaled(index, source, from: part, to: targets[index]))
        }
        let geometry = PlaneGeometry(
            width: part.targetWidth, height: part.targetHeight, subsampling: subsampling, strides: planes.map(\.stride))
        let chroma = planes.dropFirst().map(\.bytes)
        let (luma, cb, cr) = (planes.first?.bytes ?? [], chroma.first ?? [], chroma.last ?? [])
        var output: [UInt8] = []
        try encoder.encode(
            geometry, y: luma.span, cb: cb.span, cr: cr.span, quality: SmallPicture.quality, into: &output)
        return output
    }

    private func scaled(
        _ index: Int, _ source: (width: Int, height: Int), from part: ReductionPlan.Part,
        to target: (width: Int, height: Int)
    ) throws -> (bytes: [UInt8], stride: Int) {
        let subsampling = image.geometry.subsampling
        let (across, down) = index == 0 ? (1, 1) : (subsampling.horizontalFactor, subsampling.verticalFactor)
        let stride = image.geometry.strides[index]
        let start = image.offsets[index] + part.top / down * stride + part.left / across
        let bytes = image.bytes
        return try scaler.scale(
            bytes.span.extracting(start..<image.offsets[index + 1]), width: source.width, height: source.height,
            stride: stride, to: target)
    }
}

/// Where the JPEG of a stored file is: one case for each kind of file that can be shown.
enum PictureSource: Hashable {
    /// The file is a JPEG.
    case whole
    /// The JPEG in the first directory of a TIFF.
    case embedded
    /// The first packet of a movie's pictures.
    case firstFrame

    /// - Parameter kinds: All stored kinds of the capture.
    /// - Returns: nil if another file represents this one, or it cannot be shown.
    init?(_ kind: AssetKind, beside kinds: Set<AssetKind>) {
        switch kind {
        case .photo, .photo2, .photo3, .photo4, .photo5: self = .whole
        case .alternatePhoto where !kinds.contains(.photo): self = .embedded
        // A take is represented by its first frame.
        case .movie(.first): self = .firstFrame
        case .alternatePhoto, .cameraRaw, .preview, .pairedVideo, .motionPhoto, .photoHEIC, .movie, .frames: return nil
        }
    }

    /// The size of the longest JPEG that is read, in bytes.
    private static let byteLimit = 100 << 20
    /// How many bytes of a TIFF are read for its first directory.
    private static let directoryLimit = 64 << 10

    /// - Throws: ``PictureProblem`` if the file has no such picture; `StorageError` if the store fails.
    func jpeg(of file: PictureFile) async throws -> [UInt8] {
        switch self {
        case .whole:
            return try await Self.read(file, at: 0, count: file.byteCount)
        case .embedded:
            guard let place = TIFFPreview.jpeg(in: try await file.read(at: 0, count: Self.directoryLimit)) else {
                throw PictureProblem(description: "\(file.key) has no JPEG in its first directory")
            }
            return try await Self.read(file, at: place.offset, count: Int64(place.byteCount))
        case .firstFrame:
            return try await FirstFrame(file).jpeg()
        }
    }

    private static func read(_ file: PictureFile, at offset: Int64, count: Int64) async throws -> [UInt8] {
        guard (1...Int64(byteLimit)).contains(count) else {
            throw PictureProblem(
                description: "\(file.key) has a picture of \(count) bytes; 1 to \(byteLimit) are read")
        }
        return try await file.read(at: offset, count: Int(count))
    }
}

/// A stored file from which small pictures are made.
struct PictureFile {
    let store: any AssetReading
    let key: FileKey
    let byteCount: Int64

    func read(at offset: Int64, count: Int) async throws(StorageError) -> [UInt8] {
        try await store.read(key, at: offset, count: count)
    }
}

/// How small pictures are made from one decoded JPEG: the scale of decoding, as small as the results allow, and the part and target size of
/// each picture.
struct ReductionPlan: Hashable {
    /// A part of the decoded picture, and the size to which it is scaled, in pixels.
    struct Part: Hashable {
        var left = 0
        var top = 0
        var width: Int
        var height: Int
        var targetWidth: Int
        var targetHeight: Int
    }

    private(set) var scale = DecodeScale.full
    private let width: Int
    private let height: Int

    /// - Parameters: The size of the JPEG in pixels, at least 1.
    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        let preview = Self.fitted(width, height, SmallPicture.preview.longerSide)
        let side = min(width, height, SmallPicture.thumbnail.longerSide)
        let fitting = DecodeScale.allCases.last { scale in
            let (width, height) = (scale.applied(to: width), scale.applied(to: height))
            return width >= preview.width && height >= preview.height && min(width, height) >= side
        }
        scale = fitting ?? .full
    }

    /// - Parameter subsampling: The subsampling of the JPEG. The part begins on complete chroma samples.
    func part(of picture: SmallPicture, _ subsampling: ChromaSubsampling) -> Part {
        let (width, height) = (scale.applied(to: self.width), scale.applied(to: self.height))
        switch picture {
        case .preview:
            let target = Self.fitted(self.width, self.height, picture.longerSide)
            return Part(width: width, height: height, targetWidth: target.width, targetHeight: target.height)
        case .thumbnail:
            let square = min(width, height)
            let side = min(square, picture.longerSide)
            let (across, down) = (subsampling.horizontalFactor, subsampling.verticalFactor)
            return Part(
                left: (width - square) / 2 / across * across, top: (height - square) / 2 / down * down, width: square,
                height: square, targetWidth: side, targetHeight: side)
        }
    }

    /// Returns the size with the same aspect ratio whose longer side is at most `limit`.
    private static func fitted(_ width: Int, _ height: Int, _ limit: Int) -> (width: Int, height: Int) {
        let longer = max(width, height)
        guard longer > limit else { return (width, height) }
        func scaled(_ side: Int) -> Int { max(1, (side * limit + longer / 2) / longer) }
        return (scaled(width), scaled(height))
    }
}

extension SmallPicture {
    /// JPEG quality, 1 to 100.
    static let quality = 80
}
