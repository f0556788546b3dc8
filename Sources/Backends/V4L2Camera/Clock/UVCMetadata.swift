import Glibc
import Video4Linux

/// The metadata that a USB camera's driver delivers beside its frames, by a second node: the headers of their payloads.
///
/// The driver completes the metadata of a frame before the frame, so that they are there when the frame was dequeued, and nothing waits for
/// them. Used only on the camera's thread.
final class UVCMetadata {
    private let device: VideoDevice
    private let buffers: [MappedBuffer]
    private var headers = UVCFrameHeaders()

    /// The frames whose metadata the driver can keep while the thread is held up.
    private static let wantedBuffers: UInt32 = 8

    /// Opens the node, creates the buffers and begins to capture, before the frames' node does. Blocks.
    /// - Throws: ``VideoError``: `EINVAL` for a node that is not of a USB camera, or does not deliver these headers.
    init(path: String) throws(VideoError) {
        device = try VideoDevice(path: path)
        let isOfUSBCamera = device.capabilities.driver == Self.driver
        guard isOfUSBCamera, try device.setMetadataFormat(.payloadHeaders) == .payloadHeaders else {
            throw VideoError(errorNumber: EINVAL, operation: "VIDIOC_S_FMT", devicePath: path)
        }
        buffers = try device.makeBuffers(Self.wantedBuffers)
        for buffer in buffers { try device.enqueue(buffer.index) }
        try device.startStreaming()
    }

    /// The driver whose metadata these are. Test drivers have nodes of metadata too, with other contents.
    static let driver = "uvcvideo"

    /// Returns the headers of a frame; none if the driver delivered none.
    /// - Throws: ``VideoError`` if the node has failed.
    func headers(of sequence: UInt32) throws(VideoError) -> [UVCPayloadHeader] {
        // At most once around, so that a driver that completes at once cannot hold the thread.
        for _ in buffers {
            guard let filled = try device.dequeue() else { break }
            if let buffer = buffers.first(where: { $0.index == filled.index }), let plane = filled.planes.first {
                let bytes = buffer.packed([
                    BufferPart(memoryPlane: 0, offset: 0, rows: 1, rowBytes: plane.end, stride: plane.end)
                ])
                headers.add(UVCPayloadHeader.all(in: bytes ?? []), of: filled.sequence)
            }
            try device.enqueue(filled.index)
        }
        return headers.remove(of: sequence)
    }

    /// Stops and frees the node. Failures are ignored, because it is closed next.
    func end() {
        try? device.stopStreaming()
        try? device.freeBuffers()
    }
}

/// The headers of frames that have not been dequeued yet, by the driver's number of the frame. Pure.
struct UVCFrameHeaders: Hashable, Sendable {
    private var waiting: [Frame] = []

    private struct Frame: Hashable, Sendable {
        var sequence: UInt32
        var headers: [UVCPayloadHeader]
    }

    /// Beyond it, the oldest are dropped: of frames that never came.
    private static let most = 16

    mutating func add(_ headers: [UVCPayloadHeader], of sequence: UInt32) {
        waiting.append(Frame(sequence: sequence, headers: headers))
        if waiting.count > Self.most { waiting.removeFirst() }
    }

    /// Returns the headers of a frame, of several the newest; none if it has none. Those of frames before it are dropped.
    mutating func remove(of sequence: UInt32) -> [UVCPayloadHeader] {
        let found = waiting.last { $0.sequence == sequence }
        // The number wraps: half of all are before another.
        waiting.removeAll { sequence &- $0.sequence < 1 << 31 }
        return found?.headers ?? []
    }
}
