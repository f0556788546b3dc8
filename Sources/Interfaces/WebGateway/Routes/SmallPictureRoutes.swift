internal import CaptureModel
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import RigClient

/// Small pictures of stored files. The coordinator makes and keeps them.
struct SmallPictureRoutes {
    let rig: GatewayRig

    func add(to group: RouterGroup<GatewayContext>) {
        group.get("shots/:id/thumbnails/**") { request, context in try await picture(.thumbnail, request, context) }
        group.get("shots/:id/previews/**") { request, context in try await picture(.preview, request, context) }
    }

    private func picture(
        _ picture: SmallPicture, _ request: Request, _ context: GatewayContext
    ) async throws -> Response {
        let shot = try ShotRoutes.shot(context)
        // Looked up in the shot's manifest, by the coordinator: no text of a request reaches a file system.
        guard let path = context.parameters.getCatchAll().joined(separator: "/").removingPercentEncoding else {
            throw GatewayProblem(
                .notFound, "unknownFile", "shot \(shot) has no stored file of this name; its manifest lists them")
        }
        let found = try await rig.with(context.session) { try await $0.picture(picture, of: path, in: shot) }
        let headers: HTTPFields = [
            .contentType: "image/jpeg", .eTag: "\"\(found.asset.digest)-\(picture.rawValue)\"",
            // A stored file never changes.
            .cacheControl: "private, max-age=31536000, immutable",
        ]
        if request.has(headers[.eTag]) { return Response(status: .notModified, headers: headers) }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: found.jpeg)))
    }
}
