internal import CaptureModel
internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import RigClient
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
        guard devices.contains(where: { $0.device.id == device && $0.device.mediaType == .video }) else {
            throw GatewayProblem(.notFound, "unknownDevice", "the rig has no camera '\(device)'")
        }
    }

    private func snapshot(_ topic: FrameTopic) async throws -> Response {
        let news = try await rig.pictures.pictures(of: topic)
        for await item in news {
            switch item {
            case .picture(let picture):
                return Response(
                    status: .ok, headers: [.contentType: "image/jpeg"], body: ResponseBody(byteBuffer: picture.jpeg))
            case .silent(let detail): throw GatewayProblem(.serviceUnavailable, "notRunning", detail)
            }
        }
        throw CancellationError()
    }

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
                    guard case .picture(let picture) = item else { continue }
                    watch.willWrite()
                    try await writer.write(contentsOf: Self.parts(picture))
                    watch.didWrite()
                }
                try await writer.finish(nil)
            })
    }

    /// A browser shows a part when the boundary after it comes, so that is sent right away.
    private static func parts(_ picture: Picture) -> [ByteBuffer] {
        let length = picture.jpeg.readableBytes
        return [
            ByteBuffer(
                string: "Content-Type: image/jpeg\r\nContent-Length: \(length)\r\n\r\n"),
            picture.jpeg, ByteBuffer(string: "\r\n--\(boundary)\r\n"),
        ]
    }
}
