import CameraKit
import CaptureModel
import ImageMetadata
import PosixSupport

/// Reads a whole recording once, so that what is wrong with it is told before the first image is shown.
///
/// It holds one image at a time, or the next megabyte of a file.
struct RecordingScan {
    private let source: RecordingSource
    private var images: [Recording.Image] = []
    private var size: (width: Int, height: Int)?
    private var firstPlace = ""

    init(_ source: RecordingSource) {
        self.source = source
    }

    /// Blocks for as long as reading takes; ends early when the task is cancelled.
    /// - Throws: ``RecordingProblem`` with the first image that cannot be played, by file and byte.
    mutating func run() throws(RecordingProblem) -> RecordingIndex {
        if source.isFolder { try scanFolder() } else { try scanFile() }
        guard let size else {
            throw RecordingProblem(.absent, "\(source.path) holds no image: it is empty")
        }
        return RecordingIndex(listing: source.listing, images: images, width: size.width, height: size.height)
    }

    private mutating func scanFolder() throws(RecordingProblem) {
        for (file, version) in source.listing.versions.enumerated() {
            let byteCount = version.byteCount
            guard byteCount <= Int64(FileCameraLimits.imageByteCount) else {
                throw RecordingProblem(.failed, "\(source.place(ofFile: file)): \(Self.tooLarge)")
            }
            let bytes = try read(file, at: 0, count: Int(byteCount))
            let structure = try outline(bytes.span, Recording.Image(file: file, offset: 0, byteCount: bytes.count))
            try take(structure, Recording.Image(file: file, offset: 0, byteCount: structure.endOffset))
        }
    }

    private mutating func scanFile() throws(RecordingProblem) {
        var window = RecordingWindow(source)
        while let (offset, bytes) = try window.nextImage() {
            let image = Recording.Image(file: 0, offset: offset, byteCount: bytes.count)
            try take(try outline(bytes.span, image), image)
        }
    }

    private mutating func take(_ structure: JPEGStructure, _ image: Recording.Image) throws(RecordingProblem) {
        let frame = structure.frame
        let size = size ?? (frame.width, frame.height)
        guard size == (frame.width, frame.height) else {
            throw RecordingProblem(
                .failed,
                "\(source.place(of: image)) is \(frame.width)x\(frame.height), \(firstPlace) is "
                    + "\(size.width)x\(size.height); all images of a recording must have one size")
        }
        guard images.count < FileCameraLimits.imageCount else {
            throw RecordingProblem(.failed, "\(source.path) holds more than \(FileCameraLimits.imageCount) images")
        }
        if images.isEmpty { firstPlace = source.place(of: image) }
        self.size = size
        images.append(image)
        guard !Task.isCancelled else { throw RecordingProblem(.failed, "the start was cancelled") }
    }

    private func outline(_ bytes: Span<UInt8>, _ image: Recording.Image) throws(RecordingProblem) -> JPEGStructure {
        do throws(JPEGProblem) {
            let structure = try JPEGStructure(parsing: bytes)
            try structure.checkEntropyMarkers(in: bytes)
            return structure
        } catch {
            throw RecordingProblem(
                .failed, "\(source.place(of: image)) is no whole JPEG image: \(error) Remove or replace it")
        }
    }

    private func read(_ file: Int, at offset: Int64, count: Int) throws(RecordingProblem) -> [UInt8] {
        do throws(PosixError) {
            return try source.read(file: file, at: offset, count: count)
        } catch {
            throw RecordingProblem(error)
        }
    }

    static var tooLarge: String {
        "an image of more than \(FileCameraLimits.imageByteCount >> 20) MiB cannot be played"
    }
}
