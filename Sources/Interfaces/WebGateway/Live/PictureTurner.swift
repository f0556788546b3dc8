internal import Logging
internal import NIOCore
internal import PosixSupport
internal import RigClient
internal import RigWire
internal import TurboJPEG

/// Turns the pixels of pictures upright for receivers that show a JPEG as it is stored, one after the other on a separate thread.
///
/// A picture is turned when the first receiver asks, once for all of them, also if that fails. Receivers wait for it, so the waiting work is bounded
/// by their number. docs/api/README.md names the cost.
actor PictureTurner {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private nonisolated let executor: ThreadExecutor
    private let turner = FrameTurner()
    private let log: Logger
    private nonisolated let failed = Locked<UInt64>(0)
    /// The streams whose newest picture could not be turned; at most those of the rig's cameras.
    private var failing: Set<FrameTopic> = []

    init(log: Logger) throws(PosixError) {
        executor = try ThreadExecutor(name: "turn")
        self.log = log
    }

    /// Pictures that could not be turned, since the start of the gateway.
    nonisolated var failures: UInt64 { failed.withLock(\.self) }

    /// Returns the JPEG of a picture whose pixels stand upright; its own if they do already.
    /// - Returns: nil if it cannot be decoded. That is counted, and logged for the first such picture in a row.
    nonisolated func jpeg(of picture: Picture) async -> ByteBuffer? {
        guard let upright = picture.upright else { return picture.jpeg }
        if let made = upright.made.withLock(\.self) { return made.jpeg }
        return await turn(picture.jpeg, upright)
    }

    private func turn(_ jpeg: ByteBuffer, _ upright: UprightPixels) -> ByteBuffer? {
        if let made = upright.made.withLock(\.self) { return made.jpeg }
        let made: UprightPixels.Made
        do {
            made = .turned(
                ByteBuffer(bytes: try turner.upright(Array(jpeg.readableBytesView).span, by: upright.transform)))
            failing.remove(upright.topic)
        } catch {
            made = .undecodable
            failed.withLock { $0 += 1 }
            if failing.insert(upright.topic).inserted {
                log.warning(
                    "pictures of a camera cannot be turned upright, and are not shown to viewers that turn none",
                    metadata: [
                        "camera.id": "\(upright.topic.device)", "kind": "\(upright.topic.kind)", "reason": "\(error)",
                    ])
            }
        }
        upright.made.withLock { $0 = made }
        return made.jpeg
    }
}

/// The pixels of a picture as they stand upright, shared by its receivers.
final class UprightPixels: Sendable {
    /// What has become of a picture.
    enum Made: Hashable, Sendable {
        case turned(ByteBuffer)
        case undecodable

        var jpeg: ByteBuffer? { if case .turned(let jpeg) = self { jpeg } else { nil } }
    }

    let topic: FrameTopic
    let transform: PictureTransform
    /// nil until somebody has asked.
    let made = Locked<Made?>(nil)

    init(_ topic: FrameTopic, _ transform: PictureTransform) {
        self.topic = topic
        self.transform = transform
    }
}
