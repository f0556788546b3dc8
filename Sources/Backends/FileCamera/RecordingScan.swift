import CameraKit
import ImageMetadata
import PosixSupport

/// Reads a complete recording once, so that its errors are reported before the first image is shown.
///
/// It keeps one image in memory at a time, or the next megabyte of a file.
struct RecordingScan {
    private let source: RecordingSource
    private var images: [Recording.Image] = []
    private var size: (width: Int, height: Int)?
    private var firstPlace = ""

    init(_ source: RecordingSource) {
        self.source = source
    }

    /// Scans the recording. Blocks while reading; ends early if the task is cancelled.
    /// - Throws: ``RecordingProblem`` with the first image that cannot be played, by file and byte.
    mutating func run() throws(RecordingProblem) -> RecordingIndex {
        if source.isFolder { try scanFolder() } else { try scanFile() }
        guard let size else {
            throw RecordingProblem(.absent, "\(source.path) has no image: it is empty")
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
            let image = Recording.Image(file: file, offset: 0, byteCount: bytes.count)
            let structure = try outline(bytes.span, image)
            try check(structure, image.picture(structure))
        }
    }

    private mutating func scanFile() throws(RecordingProblem) {
        var window = RecordingWindow(source)
        while let (image, structure) = try window.nextImage() {
            try refuse(structure.damage, image)
            if let last = images.last, image.offset > last.end { images[images.count - 1].isTrimmed = true }
            try check(structure, image)
        }
        if let last = images.last, window.here > last.end { images[images.count - 1].isTrimmed = true }
    }

    private mutating func check(_ structure: JPEGStructure, _ image: Recording.Image) throws(RecordingProblem) {
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
        let structure: JPEGStructure
        do throws(JPEGProblem) {
            structure = try JPEGStructure(parsing: bytes)
        } catch {
            throw incomplete(image, error)
        }
        try refuse(structure.damage, image)
        return structure
    }

    private func refuse(_ damage: JPEGProblem?, _ image: Recording.Image) throws(RecordingProblem) {
        if let damage { throw incomplete(image, damage) }
    }

    private func incomplete(_ image: Recording.Image, _ problem: JPEGProblem) -> RecordingProblem {
        RecordingProblem(
            .failed, "\(source.place(of: image)) is not a complete JPEG image: \(problem) Remove or replace it")
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

/// Walks through a file of concatenated JPEG images, with a part of it in memory.
struct RecordingWindow {
    private let source: RecordingSource
    private var bytes: [UInt8] = []
    /// The offset of the window's first byte in the file.
    private var offset: Int64 = 0
    /// Number of bytes of the window that are consumed.
    private var position = 0
    private var isAtEnd = false

    private static let stretch = 1 << 20

    init(_ source: RecordingSource) {
        self.source = source
    }

    /// Returns the next image; nil at the end of the file. Skips what is between images: padding, and what cameras append to their frames.
    mutating func nextImage() throws(RecordingProblem) -> (image: Recording.Image, structure: JPEGStructure)? {
        guard try skipToImage() else { return nil }
        var wanted = Self.stretch
        while true {
            if let structure = try structure() {
                let image = Recording.Image(file: 0, offset: here, byteCount: structure.endOffset)
                position += structure.endOffset
                return (image, structure)
            } else {
                guard bytes.count - position < FileCameraLimits.imageByteCount else {
                    throw problem(RecordingScan.tooLarge)
                }
                try extend(to: wanted)
                // Doubled, so that a large image is not parsed many times.
                wanted *= 2
            }
        }
    }

    /// Where the next image is looked for; the end of the file when there is none.
    var here: Int64 { offset + Int64(position) }

    /// Skips what is before the next image: zeros at the beginning of the file, anything between two images.
    private mutating func skipToImage() throws(RecordingProblem) -> Bool {
        let isFirst = here == 0
        while true {
            while position < bytes.count, isFirst || isAtEnd || bytes.count - position >= Self.startOfImage.count {
                if isFirst ? bytes[position] != 0 : bytes[position...].starts(with: Self.startOfImage) { return true }
                position += 1
            }
            if isAtEnd { return false }
            try extend(to: Self.stretch)
        }
    }

    /// The first marker of an image, and the beginning of the second.
    private static let startOfImage: [UInt8] = [0xFF, 0xD8, 0xFF]

    /// Returns the structure of the image that begins here; nil if its end is not in the window yet.
    private func structure() throws(RecordingProblem) -> JPEGStructure? {
        do throws(JPEGProblem) {
            return try JPEGStructure(parsing: bytes.span.extracting(position..<bytes.count), isContinued: !isAtEnd)
        } catch {
            switch error {
            case .truncated where !isAtEnd: return nil
            case .truncated, .noEndOfImage:
                throw problem("the last image is torn: the file ends within it; cut it off")
            case .noStartOfImage: throw noImage
            default: throw problem("the image there is not whole: \(error) Cut it out")
            }
        }
    }

    private var noImage: RecordingProblem {
        if here == 0, bytes.starts(with: Array("RIFF".utf8)) {
            return problem(
                "it is an AVI file, which is not played; "
                    + "`ffmpeg -i FILE -c copy -f mjpeg OUT.mjpeg` converts it to a file of images, if its video is MJPEG"
            )
        }
        return problem("no JPEG image begins there; only files of consecutive JPEG images are played")
    }

    private func problem(_ reason: String) -> RecordingProblem {
        RecordingProblem(.failed, "\(source.path), byte \(here): \(reason)")
    }

    /// Drops the consumed bytes and continues reading, until the window has `count` bytes or the file ends.
    private mutating func extend(to count: Int) throws(RecordingProblem) {
        bytes.removeFirst(position)
        (offset, position) = (here, 0)
        let wanted = max(count, bytes.count + Self.stretch) - bytes.count
        let more: [UInt8]
        do throws(PosixError) {
            more = try source.read(file: 0, at: offset + Int64(bytes.count), count: wanted)
        } catch {
            throw RecordingProblem(error)
        }
        isAtEnd = more.count < wanted
        bytes += more
    }
}
