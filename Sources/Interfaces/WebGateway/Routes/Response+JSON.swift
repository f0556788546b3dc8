internal import CaptureModel
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import RigDocuments
internal import StrictJSON

extension Response {
    /// An answer with a document, as `capctl --format json` prints it.
    static func json(
        _ document: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) throws -> Response {
        var headers = headers
        headers[.contentType] = "application/json"
        return Response(
            status: status, headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(string: try JSONText.line(document))))
    }

    /// An answer with a document that has a version, which becomes its entity tag.
    /// - Parameters:
    ///   - version: nil: it has none.
    ///   - request: That to which this is the answer. If its client has this version already, the document is left out.
    static func json(
        _ document: some Encodable, version: ContentDigest?, to request: Request
    ) throws -> Response {
        guard let version else { return try json(document) }
        let headers: HTTPFields = [.eTag: "\"\(version)\"", .cacheControl: "no-cache"]
        if [.get, .head].contains(request.method), request.has(headers[.eTag]) {
            return Response(status: .notModified, headers: headers)
        }
        return try json(document, headers: headers)
    }
}

extension Request {
    /// The longest body of a request.
    static let longestBody = StrictJSON.longest

    /// Reads the body, a JSON object; an absent one is `{}`.
    /// - Throws: ``GatewayProblem``, which begins with the path of the member that is wrong.
    func document<Document: Decodable>(_ type: Document.Type = Document.self) async throws -> Document {
        let bytes: ByteBuffer
        do {
            bytes = try await body.collect(upTo: Self.longestBody)
        } catch is NIOTooManyBytesError {
            throw GatewayProblem(.contentTooLarge, "tooLarge", "the body has more than \(Self.longestBody) bytes")
        }
        do throws(InvalidDocument) {
            return try StrictJSON.decode(
                type, from: bytes.readableBytes == 0 ? Array("{}".utf8) : Array(bytes.readableBytesView))
        } catch {
            throw GatewayProblem(error)
        }
    }

    /// A parameter of the query; of several the first.
    func parameter(_ name: String) -> String? { parameters(name).first }

    /// Every value of a parameter, as forms encode them: `+` is a space (HTML standard, application/x-www-form-urlencoded).
    func parameters(_ name: String) -> [String] {
        (uri.query ?? "").split(separator: "&").compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.first.map(Self.decoded) == name else { return nil }
            return parts.count == 2 ? Self.decoded(parts[1]) : ""
        }
    }

    private static func decoded(_ text: Substring) -> String {
        let spaced = text.replacing("+", with: " ")
        return spaced.removingPercentEncoding ?? String(spaced)
    }

    /// A parameter that is `true` or `false`, which it is if it is absent.
    /// - Throws: ``GatewayProblem``.
    func flag(_ name: String) throws -> Bool {
        switch parameter(name) {
        case nil, "false": return false
        case "true": return true
        case let text?: throw GatewayProblem.badRequest("\(name) is true or false, and not '\(text)'")
        }
    }

    /// Whether the client has the representation with this entity tag already (RFC 9110, section 13.1.2).
    func has(_ tag: String?) -> Bool {
        guard let tag, let field = headers[.ifNoneMatch] else { return false }
        return field.split(separator: ",").contains { candidate in
            var text = candidate.trimmingPrefix { $0 == " " }
            while text.last == " " { text.removeLast() }
            return text == "*" || (text.hasPrefix("W/") ? text.dropFirst(2) : text) == tag
        }
    }
}

extension FixedWidthInteger {
    /// Reads decimal text: digits, and `-` before them.
    init?(decimal text: String) {
        guard text.first != "+" else { return nil }
        self.init(text)
    }
}
