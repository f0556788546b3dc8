internal import NIOCore
internal import PosixSupport
internal import RigClient
internal import TurboJPEG

/// Turns the pixels of pictures upright for receivers that show a JPEG as it is stored, one after the other on a separate thread.
///
/// A picture is turned when the first receiver asks, once for all of them. Receivers wait for it, so the waiting work is bounded by their
/// number. docs/api/README.md names the cost.
actor PictureTurner {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private nonisolated let executor: ThreadExecutor
    private let turner = FrameTurner()

    init() throws(PosixError) {
        executor = try ThreadExecutor(name: "turn")
    }

    /// Returns the JPEG of a picture whose pixels stand upright; its own if they do already.
    /// - Throws: `TurboJPEGError` if it cannot be decoded.
    nonisolated func jpeg(of picture: Picture) async throws -> ByteBuffer {
        guard let upright = picture.upright else { return picture.jpeg }
        if let made = upright.made.withLock(\.self) { return made }
        return try await turn(picture.jpeg, upright)
    }

    private func turn(_ jpeg: ByteBuffer, _ upright: UprightPixels) throws(TurboJPEGError) -> ByteBuffer {
        if let made = upright.made.withLock(\.self) { return made }
        let turned = ByteBuffer(bytes: try turner.upright(Array(jpeg.readableBytesView).span, by: upright.transform))
        upright.made.withLock { $0 = turned }
        return turned
    }
}

/// The pixels of a picture as they stand upright, shared by its receivers.
final class UprightPixels: Sendable {
    let transform: PictureTransform
    /// nil until somebody has asked.
    let made = Locked<ByteBuffer?>(nil)

    init(_ transform: PictureTransform) {
        self.transform = transform
    }
}
