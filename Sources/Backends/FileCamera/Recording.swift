import CameraKit
import Glibc
import ImageMetadata
import PosixSupport

/// An open recording: its files, and their index.
struct Recording: Sendable {
    /// The location of one image.
    struct Image: Hashable, Sendable {
        /// The number of its file in the folder; 0 in a file of images.
        var file: Int
        /// The offset of its first byte in that file.
        var offset: Int64
        var byteCount: Int
        /// Whether further bytes follow it, which are not played.
        var isTrimmed = false

        var end: Int64 { offset + Int64(byteCount) }

        /// The same without what follows its picture.
        func picture(_ structure: JPEGStructure) -> Image {
            Image(
                file: file, offset: offset, byteCount: structure.endOffset,
                isTrimmed: structure.trailingByteCount > 0)
        }
    }

    let source: RecordingSource
    let index: RecordingIndex

    /// Returns the bytes of an image. Blocks on the disk.
    /// - Throws: ``RecordingProblem`` if it cannot be read, or is not the image that was checked.
    func read(_ number: Int) throws(RecordingProblem) -> [UInt8] {
        let image = index.images[number]
        let bytes: [UInt8]
        do throws(PosixError) {
            bytes = try source.read(image)
        } catch {
            throw RecordingProblem(error)
        }
        // Parsing the outline of a JPEG reads only its header, and detects a file that was changed after the check.
        guard let frame = try? JPEGStructure(parsing: bytes).frame, frame.width == index.width,
            frame.height == index.height
        else {
            throw RecordingProblem(
                .failed,
                "\(source.place(of: image)) has changed after the camera started; "
                    + "do not change a recording while it is played")
        }
        return bytes
    }
}
