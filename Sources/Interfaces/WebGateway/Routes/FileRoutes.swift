internal import CaptureModel
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import RigClient
internal import RigSecurity
internal import ShotDocuments

/// Stored files of shots, with ranges.
struct FileRoutes {
    let rig: GatewayRig

    func add(to group: RouterGroup<GatewayContext>) {
        group.get("shots/:id/files/**") { request, context in
            let asset = try await rig.storedFile(context).asset
            let headers: HTTPFields = [
                .contentType: Self.type(of: asset.file), .eTag: "\"\(asset.digest)\"", .acceptRanges: "bytes",
                // A stored file never changes.
                .cacheControl: "private, max-age=31536000, immutable",
            ]
            if request.has(headers[.eTag]) {
                return Response(status: .notModified, headers: headers)
            }
            return try await response(to: request, asset, headers, context)
        }
    }

    private func response(
        to request: Request, _ asset: StoredAsset, _ headers: HTTPFields, _ context: GatewayContext
    ) async throws -> Response {
        var (headers, range, status) = (headers, 0..<asset.byteCount, HTTPResponse.Status.ok)
        let mayRange = request.headers[.ifRange].map { $0 == headers[.eTag] } ?? true
        if mayRange, let text = request.headers[.range], let asked = ByteRange(text) {
            guard let found = asked.range(of: asset.byteCount) else {
                headers[.contentRange] = "bytes */\(asset.byteCount)"
                var response = GatewayProblem(
                    .rangeNotSatisfiable, "rangeNotSatisfiable", "the file has \(asset.byteCount) bytes"
                ).response()
                response.headers[.contentRange] = headers[.contentRange]
                return response
            }
            (range, status) = (found, .partialContent)
            headers[.contentRange] = "bytes \(found.lowerBound)-\(found.upperBound - 1)/\(asset.byteCount)"
        }
        // Said before the first byte, so that a refusal has its status.
        if asset.byteCount > 0 { try await rig.with(context.session) { try await $0.check(asset) } }
        let (rig, session, part, watch) = (rig, context.session, range, StreamWatch(rig, context, needing: .read))
        return Response(
            status: status, headers: headers,
            body: ResponseBody(contentLength: Int(range.count)) { writer in
                let watching = watch.begin()
                defer { watching.cancel() }
                var offset = part.lowerBound
                while offset < part.upperBound {
                    let count = Int(min(1 << 20, part.upperBound - offset))
                    let bytes = try await rig.with(session) { try await $0.bytes(of: asset, at: offset, count: count) }
                    guard bytes.count == count else {
                        throw GatewayProblem(.badGateway, "corrupted", "the file ends early")
                    }
                    watch.willWrite()
                    try await writer.write(ByteBuffer(bytes: bytes))
                    watch.didWrite()
                    offset += Int64(count)
                }
                try await writer.finish(nil)
            })
    }

    /// Media types by extension. Those of raw files are exiftool's.
    private static let types = [
        "jpg": "image/jpeg", "heic": "image/heic", "dng": "image/x-adobe-dng", "mov": "video/quicktime",
        "mp4": "video/mp4", "json": "application/json", "wav": "audio/wav", "3fr": "image/x-hasselblad-3fr",
        "arw": "image/x-sony-arw", "cr2": "image/x-canon-cr2", "cr3": "image/x-canon-cr3", "crw": "image/x-canon-crw",
        "dcr": "image/x-kodak-dcr", "erf": "image/x-epson-erf", "fff": "image/x-hasselblad-fff", "iiq": "image/x-raw",
        "k25": "image/x-kodak-k25", "kdc": "image/x-kodak-kdc", "mef": "image/x-mamiya-mef", "mos": "image/x-raw",
        "mrw": "image/x-minolta-mrw", "nef": "image/x-nikon-nef", "nrw": "image/x-nikon-nrw",
        "orf": "image/x-olympus-orf", "pef": "image/x-pentax-pef", "raf": "image/x-fujifilm-raf",
        "raw": "image/x-raw", "rw2": "image/x-panasonic-rw2", "rwl": "image/x-leica-rwl", "sr2": "image/x-sony-sr2",
        "srf": "image/x-sony-srf", "srw": "image/x-samsung-srw", "x3f": "image/x-sigma-x3f",
    ]

    static func type(of path: String) -> String {
        path.split(separator: ".").last.flatMap { types[$0.lowercased()] } ?? "application/octet-stream"
    }
}

/// A stored file of a shot.
struct StoredFile {
    var asset: StoredAsset
    var file: CapturedFile
    var capture: Capture
}

extension GatewayRig {
    /// Looks the file that a path names up in its shot's manifest: no text of a request reaches a file system.
    func storedFile(_ context: GatewayContext) async throws -> StoredFile {
        let (id, path) = (try ShotRoutes.shot(context), context.parameters.getCatchAll().joined(separator: "/"))
        let manifest = try await with(context.session) { try await $0.manifest(id) }
        if let path = path.removingPercentEncoding {
            for capture in manifest.shot.captures {
                guard let file = capture.files.first(where: { $0.path == path }),
                    let asset = StoredAsset(file, of: id)
                else { continue }
                return StoredFile(asset: asset, file: file, capture: capture)
            }
        }
        throw GatewayProblem(
            .notFound, "unknownFile", "shot \(id) has no stored file of this name; its manifest lists them")
    }
}

/// The header `Range` of one range of bytes (RFC 9110, section 14.1.2). Several ranges are answered with the whole file, as the RFC allows.
struct ByteRange: Hashable {
    private var first: Int64?
    private var last: Int64?

    init?(_ text: String) {
        guard text.lowercased().hasPrefix("bytes="), !text.contains(",") else { return nil }
        let parts = text.dropFirst(6).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let numbers = parts.map { part in part.trimmingPrefix { $0 == " " } }
        guard numbers.allSatisfy({ $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }) else {
            return nil
        }
        (first, last) = (Int64(numbers[0]), Int64(numbers[1]))
        guard first != nil || last != nil, numbers[0].isEmpty == (first == nil), numbers[1].isEmpty == (last == nil)
        else {
            return nil
        }
        if let first, let last, first > last { return nil }
    }

    /// The bytes that it names of a file; nil if it names none.
    func range(of length: Int64) -> Range<Int64>? {
        switch (first, last) {
        case (let first?, let last): first < length ? first..<min(length - 1, last ?? length - 1) + 1 : nil
        case (nil, let count?): count > 0 && length > 0 ? max(0, length - count)..<length : nil
        case (nil, nil): nil
        }
    }
}
