internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import OpenSSL

/// The files of the page, which are read once at the start.
struct PageFiles: Sendable {
    private struct File: Sendable {
        var bytes: ByteBuffer
        var type: String
        /// A strong entity tag (RFC 9110, section 8.8.3).
        var tag: String
    }

    /// By path inside the folder.
    private let files: [String: File]

    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "svg": "image/svg+xml", "png": "image/png", "webmanifest": "application/manifest+json",
    ]

    /// - Throws: The error of the file system, or ``MissingPage``.
    init(folder: String) throws {
        let root = URL(filePath: folder, directoryHint: .isDirectory).standardizedFileURL
        var files: [String: File] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: root.path(percentEncoded: false)) {
            guard let type = Self.types[(name as NSString).pathExtension] else { continue }
            var data = try Data(contentsOf: root.appending(path: name))
            if let language = PageText.Language(rawValue: (name as NSString).pathExtension) {
                data = Data(PageText.compacted(String(decoding: data, as: UTF8.self), language).utf8)
            }
            let digest = SHA256.hash(Array(data)).prefix(16).map { byte in
                let digits = String(byte, radix: 16)
                return digits.count < 2 ? "0" + digits : digits
            }.joined()
            files[name] = File(bytes: ByteBuffer(bytes: data), type: type, tag: "\"\(digest)\"")
        }
        guard files["index.html"] != nil else { throw MissingPage(folder: folder) }
        self.files = files
    }

    /// The answer for a path below the root; nil if there is no such file. No text of a request reaches the file system.
    func response(to request: Request, path: String) -> Response? {
        guard let file = files[path.isEmpty ? "index.html" : path] else { return nil }
        let headers: HTTPFields = [.contentType: file.type, .eTag: file.tag, .cacheControl: "no-cache"]
        if request.has(file.tag) { return Response(status: .notModified, headers: headers) }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: file.bytes))
    }

    /// The folder beside a program: where `make install` puts it, or where a build does.
    static func folder(besideProgram program: String) -> String? {
        let own = URL(filePath: program).resolvingSymlinksInPath().deletingLastPathComponent()
        let places = [
            own.appending(path: "../share/caprig/web"), own.appending(path: "caprig_WebGateway.resources/Page"),
        ]
        return places.map { $0.standardizedFileURL.path(percentEncoded: false) }.first {
            FileManager.default.fileExists(atPath: $0 + "/index.html")
        }
    }
}
