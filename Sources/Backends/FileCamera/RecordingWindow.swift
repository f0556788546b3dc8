import CameraKit
import CaptureModel
import ImageMetadata
import PosixSupport

/// Walks through a file of JPEG images one after another, holding the next stretch of it.
struct RecordingWindow {
    private let source: RecordingSource
    private var bytes: [UInt8] = []
    /// Of the window's first byte in the file.
    private var offset: Int64 = 0
    /// How much of the window is behind.
    private var position = 0
    private var isAtEnd = false

    private static let stretch = 1 << 20

    init(_ source: RecordingSource) {
        self.source = source
    }

    /// The next image and where it begins; nil at the end of the file. Zero bytes between images are passed over, as
    /// cameras pad their frames with them.
    mutating func nextImage() throws(RecordingProblem) -> (offset: Int64, bytes: [UInt8])? {
        guard try skipPadding() else { return nil }
        var wanted = Self.stretch
        while true {
            switch try extent() {
            case .whole(let byteCount):
                defer { position += byteCount }
                return (here, Array(bytes[position..<position + byteCount]))
            case .unfinished:
                guard !isAtEnd else { throw problem("the last image is torn: the file ends within it; cut it off") }
                guard bytes.count - position < FileCameraLimits.imageByteCount else {
                    throw problem(RecordingScan.tooLarge)
                }
                try extend(to: wanted)
                // Doubled, so that a large image is not looked through again and again.
                wanted *= 2
            }
        }
    }

    private var here: Int64 { offset + Int64(position) }

    private mutating func skipPadding() throws(RecordingProblem) -> Bool {
        while true {
            while position < bytes.count {
                if bytes[position] != 0 { return true }
                position += 1
            }
            if isAtEnd { return false }
            try extend(to: Self.stretch)
        }
    }

    private func extent() throws(RecordingProblem) -> JPEGExtent {
        do throws(JPEGProblem) {
            return try JPEGExtent(of: bytes.span.extracting(position..<bytes.count))
        } catch {
            switch error {
            case .noStartOfImage: throw noImage
            default: throw problem("the image there is not whole: \(error) Cut it out")
            }
        }
    }

    private var noImage: RecordingProblem {
        if here == 0, bytes.starts(with: Array("RIFF".utf8)) {
            return problem(
                "it is an AVI file, which is not played; "
                    + "`ffmpeg -i FILE -c copy -f mjpeg OUT.mjpeg` makes a file of images of it, if its video is MJPEG")
        }
        return problem("no JPEG image begins there; only files of JPEG images one after another are played")
    }

    private func problem(_ reason: String) -> RecordingProblem {
        RecordingProblem(.failed, "\(source.path), byte \(here): \(reason)")
    }

    /// Drops what is behind and reads on, until the window holds `count` bytes or the file ends.
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
