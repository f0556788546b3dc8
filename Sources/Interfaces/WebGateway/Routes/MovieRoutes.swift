internal import CaptureModel
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Movies
internal import NIOCore
internal import PosixSupport
internal import RigClient
internal import RigSecurity

/// Stored movies and clips as MP4 of H.264 and AAC, encoded for one download.
struct MovieRoutes {
    /// How many bytes are handed to the connection at once. The reader must take them within `StreamWatch.patience`.
    private static let writeByteCount = 1 << 18

    let rig: GatewayRig

    func add(to group: RouterGroup<GatewayContext>) {
        group.get("shots/:id/mp4/**") { request, context in
            let stored = try await rig.storedFile(context)
            guard stored.isMovie else {
                throw GatewayProblem(
                    .conflict, "conflict",
                    "\(stored.asset.file) is not a movie; clips of shots and movies of takes can be encoded")
            }
            // Said before anything is encoded, so that a refusal has its status.
            try await rig.with(context.session) { try await $0.check(stored.asset) }
            guard !stored.isCertainlyH264 else { return Self.redirect(to: stored.asset) }
            do {
                // An answer to HEAD says only what would hinder an encoding.
                if request.method == .head {
                    try await rig.movies.check(stored.asset)
                    return Response(status: .ok, headers: headers(of: stored.asset))
                }
                return try await encode(stored.asset, context)
            } catch let shortage as MovieSpace.Shortage {
                throw GatewayProblem(shortage)
            } catch is MovieEncoderMissing {
                throw GatewayProblem.noMovieEncoder
            } catch is EncoderTurns.Full {
                throw GatewayProblem(
                    .serviceUnavailable, "busy",
                    "\(EncodingQueue.waitingLimit) movies wait to be encoded, which is the most; try again when one is done"
                )
            } catch let error as MovieError {
                throw try GatewayProblem(error)
            } catch let error as PosixError {
                throw GatewayProblem(error)
            }
        }
    }

    private func encode(_ asset: StoredAsset, _ context: GatewayContext) async throws -> Response {
        let (rig, session) = (rig, context.session)
        // Ends the connection, and so the encoding, when the session is over or the gateway is to end.
        let watching = StreamWatch(rig, context, needing: .read).begin()
        defer { watching.cancel() }
        let outcome = try await ClientEnd.cancelling(on: context.channel) {
            try await rig.with(session) { try await rig.movies.encode(asset, by: $0) }
        }
        return switch outcome {
        case .unchanged: Self.redirect(to: asset)
        case .encoded(let movie): response(movie, asset, StreamWatch(rig, context, needing: .read))
        }
    }

    private func response(_ movie: EncodedMovie, _ asset: StoredAsset, _ watch: StreamWatch) -> Response {
        Response(
            status: .ok, headers: headers(of: asset),
            body: ResponseBody(contentLength: Int(movie.byteCount)) { writer in
                let watching = watch.begin()
                defer { watching.cancel() }
                for offset in stride(from: 0, to: movie.byteCount, by: Self.writeByteCount) {
                    let bytes = try await movie.bytes(at: offset, count: Self.writeByteCount)
                    watch.willWrite()
                    try await writer.write(ByteBuffer(bytes: bytes))
                    watch.didWrite()
                }
                try await writer.finish(nil)
            })
    }

    private func headers(of asset: StoredAsset) -> HTTPFields {
        [
            .contentType: "video/mp4", .cacheControl: "no-store",
            .contentDisposition: "attachment; filename=\"\(Self.name(of: asset))\"",
        ]
    }

    /// The path of the file with `-` between its names, and what is not a letter, digit, dot or hyphen replaced.
    static func name(of asset: StoredAsset) -> String {
        let stem = asset.file.split(separator: ".").dropLast().joined(separator: ".")
        let letters = stem.map { letter -> Character in
            if letter == "/" { return "-" }
            return letter.isASCII && (letter.isLetter || letter.isNumber || ".-".contains(letter)) ? letter : "_"
        }
        return "\(String(letters)).mp4"
    }

    /// Relative, so that the path prefix of a reverse proxy stays.
    static func redirect(to asset: StoredAsset) -> Response {
        let names = asset.file.split(separator: "/")
        let up = String(repeating: "../", count: names.count)
        let path = asset.file.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? asset.file
        return Response(status: .seeOther, headers: [.location: "\(up)files/\(path)", .cacheControl: "no-store"])
    }
}

extension StoredFile {
    /// Whether it is a movie of a take, or the clip of a shot.
    fileprivate var isMovie: Bool { file.kind.isMovie || file.kind == .pairedVideo }

    /// Whether the manifest says that it was encoded. A clip whose encoding has failed has a shortfall; its codec is found in its bytes.
    fileprivate var isCertainlyH264: Bool {
        file.kind == .pairedVideo && capture.resolved?.livePhoto?.codec == .h264 && file.shortfall == nil
    }
}

extension GatewayProblem {
    static let noMovieEncoder = GatewayProblem(
        .notImplemented, "noEncoder",
        "the gateway's machine has no program \(MovieEncoder.programName) in the PATH of capwebd; install it and restart capwebd"
    )

    fileprivate init(_ shortage: MovieSpace.Shortage) {
        // Insufficient Storage (RFC 4918, section 11.5).
        let status = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
        switch shortage {
        case .tooLarge(let needed, let limit):
            self.init(
                status, "noSpace",
                "encoding this movie needs \(needed) bytes, and this gateway may use \(limit); raise --movie-space")
        case .disk(let path, let needed, let free):
            self.init(
                status, "noSpace",
                "encoding this movie needs \(needed) bytes free at \(path) of the gateway's machine, where \(free) are; free some"
            )
        case .inUse:
            self.init(
                .serviceUnavailable, "busy",
                "movies that are being downloaded take the room of this one; try again when they are done")
        }
    }

    fileprivate init(_ error: MovieError) throws {
        switch error.code {
        case .cancelled: throw CancellationError()
        case .inputOutput:
            let code = error.isOutOfSpace ? "noSpace" : "inputOutput"
            self.init(.internalServerError, code, error.description)
        case .invalidInput, .codec, .encoder, .malformed, .empty:
            self.init(.internalServerError, "encoderFailed", error.description)
        }
    }

    fileprivate init(_ error: PosixError) {
        self.init(
            .internalServerError, error.isOutOfSpace ? "noSpace" : "inputOutput",
            "the gateway's folder for movies: \(error.description)")
    }
}
