internal import CaptureModel
internal import Hummingbird
internal import ImageMetadata
internal import NIOCore
internal import RigClient
internal import RigDocuments
internal import RigSecurity
internal import RigWire

/// Live pictures without a WebSocket, at paths like those of other camera servers.
struct PictureRoutes {
    private static let boundary = "caprig-picture"

    let rig: GatewayRig

    func add(to group: RouterGroup<GatewayContext>) {
        group.get("snapshot/:node/:device") { request, context in
            let topic = try Self.topic(request, context)
            try await rig.check(context.session, has: .view)
            try await checkCamera(topic.device)
            return try await snapshot(topic)
        }
        group.get("stream/:node/:device") { request, context in
            let topic = try Self.topic(request, context)
            try await rig.check(context.session, has: .view)
            try await checkCamera(topic.device)
            return try await stream(topic, context)
        }
    }

    private static func topic(_ request: Request, _ context: GatewayContext) throws -> FrameTopic {
        let text = request.parameter("kind") ?? "full"
        guard let kind = FrameKind(rawValue: text) else {
            throw GatewayProblem.badRequest("kind is 'full' or 'preview'")
        }
        return FrameTopic(device: try RigRoutes.device(context), kind: kind)
    }

    private func checkCamera(_ device: DeviceID) async throws {
        let devices = try await rig.client.devices()
        // Should no picture come, the reason is known.
        await rig.watch.note(devices)
        guard let camera = devices.first(where: { $0.device.id == device && $0.device.mediaType == .video }) else {
            throw GatewayProblem(.notFound, "unknownDevice", "the rig has no camera '\(device)'")
        }
        if let problem = camera.livePictureProblem { throw GatewayProblem(.notFound, "noPicture", problem) }
    }

    private func snapshot(_ topic: FrameTopic) async throws -> Response {
        let news = try await rig.pictures.pictures(of: topic)
        for await item in news {
            switch item {
            case .picture(let picture):
                let jpeg = try Self.file(picture, of: topic)
                return Response(
                    status: .ok, headers: [.contentType: "image/jpeg"], body: ResponseBody(byteBuffer: jpeg))
            case .silent(let detail): throw GatewayProblem(.serviceUnavailable, "notRunning", detail)
            }
        }
        throw CancellationError()
    }

    /// A picture as a file, whose EXIF states the orientation as a photo's does. Browsers, viewers and OpenCV follow it, and the camera's own
    /// pixels stay as they are.
    static func file(_ picture: Picture, of topic: FrameTopic) throws -> ByteBuffer {
        do {
            let bytes = Array(picture.jpeg.readableBytesView)
            let exif = EXIFDescription(orientation: picture.orientation)
            return ByteBuffer(bytes: try JPEGRewriter.stillBytes(from: bytes, exif: exif))
        } catch {
            throw GatewayProblem(.badGateway, "corrupted", "the picture of \(topic.device) is damaged: \(error)")
        }
    }

    /// The pixels of each part stand upright, since hardly any program that reads a stream follows the EXIF of its parts.
    private func stream(_ topic: FrameTopic, _ context: GatewayContext) async throws -> Response {
        let watch = StreamWatch(rig, context, needing: .view)
        let news = try await rig.pictures.pictures(of: topic)
        return Response(
            status: .ok, headers: [.contentType: "multipart/x-mixed-replace; boundary=\(Self.boundary)"],
            body: ResponseBody { writer in
                let watching = watch.begin()
                defer { watching.cancel() }
                try await writer.write(ByteBuffer(string: "--\(Self.boundary)\r\n"))
                for await item in news {
                    guard case .picture(let picture) = item, let jpeg = await rig.turner.jpeg(of: picture) else {
                        continue
                    }
                    watch.willWrite()
                    try await writer.write(contentsOf: Self.parts(jpeg))
                    watch.didWrite()
                }
                try await writer.finish(nil)
            })
    }

    /// A browser shows a part when the boundary after it comes, so that is sent right away.
    private static func parts(_ jpeg: ByteBuffer) -> [ByteBuffer] {
        [
            ByteBuffer(
                string: "Content-Type: image/jpeg\r\nContent-Length: \(jpeg.readableBytes)\r\n\r\n"),
            jpeg, ByteBuffer(string: "\r\n--\(boundary)\r\n"),
        ]
    }
}
