internal import CaptureModel
internal import HTTPTypes
internal import ImageMetadata
internal import NIOCore
internal import RigClient
internal import RigWire

/// The pictures of a camera as browsers get them, or why there are none.
enum PictureNews: Sendable {
    case picture(Picture)
    /// No picture comes; a sentence that says why.
    case silent(String)
}

/// A picture, shared by all who look at it.
struct Picture: Sendable {
    /// The header of docs/api/README.md without the camera's number, which differs from page to page.
    var header: PictureHeader
    var jpeg: ByteBuffer
    /// How viewers of EXIF must show the pixels of ``jpeg``.
    var orientation: EXIFOrientation
    /// The pixels as they stand upright, for receivers that turn nothing; nil if those of ``jpeg`` do already.
    var upright: UprightPixels?
}

/// The pictures that somebody looks at: one subscription for each camera and kind, however many look.
///
/// A node makes pictures of a camera as long as it has a subscription, so a camera at which nobody looks costs nothing.
actor PictureHub {
    /// The most cameras and kinds at a time. Each has a socket.
    static let limit = 256
    /// How long to wait for a picture before those who look are told that none comes.
    private static let patience = Duration.seconds(3)

    private struct Source {
        var readers: [Int: AsyncStream<PictureNews>.Continuation] = [:]
        var task: Task<Void, Never>?
        var newest: PictureNews?
    }

    private let client: RigClient
    private let watch: RigWatch
    private let time: any TimeSource
    private var sources: [FrameTopic: Source] = [:]
    private var lastReader = 0

    /// - Parameter watch: Knows why a camera has no pictures.
    init(client: RigClient, watch: RigWatch, time: any TimeSource) {
        self.client = client
        self.watch = watch
        self.time = time
    }

    /// The newest picture, and each further one. Those that are not read in time are dropped. Ends when the stream is dropped.
    /// - Throws: ``GatewayProblem`` if too many cameras are looked at.
    func pictures(of topic: FrameTopic) throws -> AsyncStream<PictureNews> {
        guard sources[topic] != nil || sources.count < Self.limit else {
            throw GatewayProblem(
                .serviceUnavailable, "busy", "\(Self.limit) pictures are looked at, which is the most; close some pages"
            )
        }
        lastReader += 1
        let reader = lastReader
        let (news, continuation) = AsyncStream.makeStream(of: PictureNews.self, bufferingPolicy: .bufferingNewest(1))
        var source = sources[topic] ?? Source()
        source.readers[reader] = continuation
        if let newest = source.newest { continuation.yield(newest) }
        if source.task == nil {
            // Unstructured, since it lives as long as somebody looks.
            source.task = Task { await self.read(topic) }
        }
        sources[topic] = source
        continuation.onTermination = { _ in Task { await self.end(reader, of: topic) } }
        return news
    }

    private func end(_ reader: Int, of topic: FrameTopic) {
        sources[topic]?.readers[reader] = nil
        guard let source = sources[topic], source.readers.isEmpty else { return }
        source.task?.cancel()
        sources[topic] = nil
    }

    private func read(_ topic: FrameTopic) async {
        let frames = await client.frames(of: topic.device, kind: topic.kind)
        var losses = PictureLosses()
        while !Task.isCancelled {
            do {
                if let frame = try await frames.next(within: Self.patience) {
                    losses.add(frame.header)
                    publish(.picture(Picture(frame, dropped: losses.total)), of: topic)
                } else if !Task.isCancelled {
                    publish(.silent(await silence(of: topic.device)), of: topic)
                }
            } catch {
                publish(.silent("\(error)"), of: topic)
                try? await time.sleep(for: .seconds(1))
            }
        }
        await frames.close()
    }

    private func silence(of camera: DeviceID) async -> String {
        await watch.livePictureSilence(of: camera)
            ?? "no picture of \(camera) comes; the coordinator does not say why"
    }

    /// A source that has ended, and one that was begun again since, are told apart by the task.
    private func publish(_ news: PictureNews, of topic: FrameTopic) {
        guard !Task.isCancelled else { return }
        sources[topic]?.newest = news
        for reader in sources[topic]?.readers.values ?? [:].values { reader.yield(news) }
    }
}

extension Picture {
    init(_ frame: ReceivedFrame, dropped: UInt64) {
        header = PictureHeader(frame.header, dropped: dropped)
        jpeg = ByteBuffer(bytes: frame.payload)
        let exif = frame.header.orientation.exifValue(isMirrored: frame.header.isMirrored)
        orientation = EXIFOrientation(rawValue: UInt16(exif)) ?? .up
        upright = frame.header.uprightTransform.map { UprightPixels(frame.header.topic, $0) }
    }
}

/// Counts the pictures of a stream that did not arrive.
struct PictureLosses {
    private(set) var total: UInt64 = 0
    private var last: (epoch: Epoch, number: UInt64)?

    /// Adds what is missing before this picture: what its node says that it dropped, and numbers that did not arrive.
    mutating func add(_ header: FrameHeader) {
        total &+= header.drops.total
        if let last, last.epoch == header.epoch, header.number > last.number {
            total &+= header.number - last.number - 1
        }
        last = (header.epoch, header.number)
    }
}
