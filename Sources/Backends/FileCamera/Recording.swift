import CameraKit
import ImageMetadata
import PosixSupport

/// An open recording: its files, and what was found in them.
struct Recording: Sendable {
    /// Where one image lies.
    struct Image: Hashable, Sendable {
        /// The number of its file in the folder; 0 in a file of images.
        var file: Int
        /// Of its first byte in that file.
        var offset: Int64
        var byteCount: Int
    }

    let source: RecordingSource
    let index: RecordingIndex

    /// The bytes of an image. Blocks on the disk.
    /// - Throws: ``RecordingProblem`` where it cannot be read, or is not the image that was checked.
    func read(_ number: Int) throws(RecordingProblem) -> [UInt8] {
        let image = index.images[number]
        let bytes: [UInt8]
        do throws(PosixError) {
            bytes = try source.read(image)
        } catch {
            throw RecordingProblem(error)
        }
        // Outlining a JPEG costs its header only, and finds a file that was written to since it was checked.
        guard let frame = try? JPEGStructure(parsing: bytes).frame, frame.width == index.width,
            frame.height == index.height
        else {
            throw RecordingProblem(
                .failed,
                "\(source.place(of: image)) is not the image that was there when the camera started; "
                    + "leave a recording as it is while it is played")
        }
        return bytes
    }
}

/// The images of a recording, found and checked before the first is shown. It holds no file open.
struct RecordingIndex: Sendable {
    /// The files that they were found in.
    let listing: RecordingListing
    /// In the order of play; at least one.
    let images: [Recording.Image]
    /// Pixels, the same for all images.
    let width: Int
    let height: Int
}
