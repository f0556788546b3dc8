internal import CaptureModel
internal import Export
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import RigClient
internal import RigLibrary
internal import RigSecurity

internal import class PosixSupport.Locked
internal import struct PosixSupport.UTCDate

/// Shots and takes as one archive, with what `capctl export` puts into a folder.
struct ExportRoutes {
    /// The most shots of one archive.
    static let shotLimit = 100
    /// How many bytes are handed to the connection at once. The reader must take them within `StreamWatch.patience`.
    private static let writeByteCount = 1 << 18
    /// How many stored files the archive is to have.
    private static let files = HTTPField.Name("Caprig-Files")

    let rig: GatewayRig

    func add(to group: RouterGroup<GatewayContext>) {
        group.get("export") { request, context in
            let (shots, layout) = (try Self.shots(request), try Self.layout(request))
            guard let place = rig.exports.take() else {
                throw GatewayProblem(
                    .serviceUnavailable, "busy",
                    "\(ExportPlaces.limit) exports are under way, which is the most; try again when one has ended")
            }
            let library = RemoteLibrary(rig.client, endpoint: await rig.client.endpoint)
            let archive = try await prepare(shots, layout, library, context)
            return response(archive, layout, library, place, context)
        }
    }

    private static func shots(_ request: Request) throws -> [ShotID] {
        let texts = request.parameters("shot")
        guard (1...shotLimit).contains(texts.count) else {
            throw GatewayProblem.badRequest("shot is given 1 to \(shotLimit) times, and not \(texts.count) times")
        }
        return try texts.map { text in
            guard let id = ShotID(text) else {
                throw GatewayProblem.badRequest("shot is the id of a shot, and not '\(text)'")
            }
            return id
        }
    }

    private static func layout(_ request: Request) throws -> ExportLayout {
        guard let text = request.parameter("layout") else { return .byShot }
        guard let layout = ExportLayout(rawValue: text) else {
            let names = ExportLayout.allCases.map(\.rawValue).joined(separator: ", ")
            throw GatewayProblem.badRequest("layout is one of \(names), and not '\(text)'")
        }
        return layout
    }

    private func prepare(
        _ shots: [ShotID], _ layout: ExportLayout, _ library: RemoteLibrary, _ context: GatewayContext
    ) async throws -> ExportArchive {
        do {
            return try await rig.with(context.session) { _ in
                try await ShotExport(library).archive(shots, as: layout)
            }
        } catch let error as ExportError {
            // What the coordinator has answered says more.
            if let refusal = await library.refusal { throw refusal }
            throw GatewayProblem(error)
        }
    }

    private func response(
        _ archive: ExportArchive, _ layout: ExportLayout, _ library: RemoteLibrary, _ place: ExportPlace,
        _ context: GatewayContext
    ) -> Response {
        let (rig, session, watch) = (rig, context.session, StreamWatch(rig, context, needing: .read))
        var headers: HTTPFields = [
            .contentType: "application/zip", .cacheControl: "no-store",
            .contentDisposition: "attachment; filename=\"\(Self.name(rig.name, archive, layout))\"",
        ]
        if let files = Self.files { headers[files] = "\(archive.fileCount)" }
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody(contentLength: Int(archive.byteCount)) { writer in
                let watching = watch.begin()
                defer { watching.cancel() }
                var body = writer
                try await rig.with(session) { _ in
                    _ = try await archive.write { @concurrent bytes in
                        // Whoever reads the library through a coordinator that is gone gets no end of the archive.
                        if let lost = await library.lost { throw lost }
                        for start in stride(from: 0, to: bytes.count, by: Self.writeByteCount) {
                            let part = bytes[start..<min(start + Self.writeByteCount, bytes.count)]
                            watch.willWrite()
                            try await body.write(ByteBuffer(bytes: part))
                            watch.didWrite()
                        }
                    }
                }
                place.leave()
                try await writer.finish(nil)
            })
    }

    /// The name of the archive: the rig, the first shot's T, how many shots if there are several, the layout.
    private static func name(_ rig: some CustomStringConvertible, _ archive: ExportArchive, _ layout: ExportLayout)
        -> String
    {
        let date = "\(UTCDate(realtimeNanoseconds: archive.realtimeNanoseconds))".prefix { $0 != "." }
        let count = archive.shotCount > 1 ? "-\(archive.shotCount)-shots" : ""
        return "\(rig)-\(date.filter { $0 != ":" })Z\(count)-\(layout.rawValue).zip"
    }
}

extension GatewayProblem {
    fileprivate init(_ error: ExportError) {
        switch error.code {
        case .unknownShot: self.init(.notFound, "unknownShot", error.description)
        case .conflict: self.init(.conflict, "conflict", error.description)
        case .corrupted: self.init(.internalServerError, "corrupted", error.description)
        case .noSpace, .inputOutput: self.init(.internalServerError, "inputOutput", error.description)
        }
    }
}

/// How many exports a gateway makes at a time. Each holds up to 17 MiB of files, and reads them through the client that all requests share.
final class ExportPlaces: Sendable {
    static let limit = 4

    private let free = Locked(ExportPlaces.limit)

    /// - Returns: nil if all places are taken.
    func take() -> ExportPlace? {
        free.withLock { free in
            guard free > 0 else { return nil }
            free -= 1
            return ExportPlace(places: self)
        }
    }

    fileprivate func leave() { free.withLock { $0 += 1 } }
}

/// The place of one export, which is free again after ``leave()``, or when nothing refers to it: its answer may never be written.
final class ExportPlace: Sendable {
    private let places: ExportPlaces
    private let isTaken = Locked(true)

    fileprivate init(places: ExportPlaces) {
        self.places = places
    }

    deinit { leave() }

    func leave() {
        let isMine = isTaken.withLock { isTaken in
            defer { isTaken = false }
            return isTaken
        }
        if isMine { places.leave() }
    }
}
