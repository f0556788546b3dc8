internal import CaptureModel
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import OpenSSL
internal import RigSecurity

internal import class PosixSupport.Locked

/// Carries a POST with an `Idempotency-Key` out once, and answers its repeats as the first
/// ([draft-ietf-httpapi-idempotency-key-header](https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/)).
struct IdempotencyMiddleware: RouterMiddleware {
    /// The longest key in bytes.
    static let longestKey = 128
    /// The longest answer that is kept in bytes. A longer one has an id, with which it can be asked for.
    static let longestAnswer = 64 * 1024

    private static let field = HTTPField.Name("Idempotency-Key") ?? .eTag
    private static let replayed = HTTPField.Name("Idempotency-Replayed")

    let time: any TimeSource
    private let keys = Locked(IdempotencyKeys<Response>())

    init(time: any TimeSource) {
        self.time = time
    }

    func handle(
        _ request: Request, context: GatewayContext,
        next: @concurrent (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        guard request.method == .post, let text = request.headers[Self.field],
            let session = RequestCredentials(request)?.session
        else { return try await next(request, context) }
        guard (1...Self.longestKey).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            return GatewayProblem.badRequest(
                "Idempotency-Key has 1 to \(Self.longestKey) printable ASCII characters without spaces"
            ).response()
        }
        var request = request
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: Request.longestBody)
        } catch is NIOTooManyBytesError {
            return GatewayProblem(
                .contentTooLarge, "tooLarge", "the body has more than \(Request.longestBody) bytes"
            ).response()
        }
        request.body = RequestBody(buffer: body)
        guard let requester = Self.digest([Array(session.text.utf8)]),
            let content = Self.digest([
                Array(request.uri.path.utf8), Array((request.uri.query ?? "").utf8), Array(body.readableBytesView),
                Array(request.headers[values: .ifMatch].joined(separator: ",").utf8),
            ])
        else { return try await next(request, context) }
        let key = IdempotencyKeys<Response>.Key(requester: requester, text: text)
        if let answer = Self.answer(to: keys.withLock { $0.begin(key, content, at: time.now()) }, text) {
            return answer
        }
        do {
            let response = try await next(request, context)
            keys.withLock { $0.end(key, with: Self.isFinal(response) ? response : nil, at: time.now()) }
            return response
        } catch {
            keys.withLock { $0.end(key, with: nil, at: time.now()) }
            throw error
        }
    }

    /// nil if the request is to be carried out.
    private static func answer(to decision: IdempotencyKeys<Response>.Decision, _ key: String) -> Response? {
        switch decision {
        case .new: return nil
        case .answered(var response):
            if let replayed { response.headers[replayed] = "true" }
            return response
        case .underWay:
            var response = GatewayProblem(
                .conflict, "conflict",
                "the request with the Idempotency-Key '\(key)' is still under way; repeat it in a moment"
            ).response()
            response.headers[.retryAfter] = "1"
            return response
        case .other:
            return GatewayProblem(
                .conflict, "conflict", "the Idempotency-Key '\(key)' was used for another request; choose a new one"
            ).response()
        case .tooMany:
            return GatewayProblem(
                .serviceUnavailable, "busy",
                "too many requests with an Idempotency-Key are under way; repeat it in a moment"
            ).response()
        }
    }

    /// Whether an answer says what became of the request, and can be given again.
    private static func isFinal(_ response: Response) -> Bool {
        guard let length = response.body.contentLength, length <= longestAnswer else { return false }
        return response.status.code < 500 && response.status != .unauthorized
    }

    /// SHA-256 of texts with their lengths.
    private static func digest(_ parts: [[UInt8]]) -> ContentDigest? {
        var hash = SHA256()
        for part in parts {
            hash.update(Array("\(part.count):".utf8))
            hash.update(part)
        }
        return ContentDigest(bytes: hash.finalize())
    }
}
