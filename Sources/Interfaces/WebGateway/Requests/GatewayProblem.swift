internal import CaptureModel
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import RigClient
internal import RigDocuments

/// Why a request is not answered as it asks: a problem document of RFC 9457, with our code.
struct GatewayProblem: Error, Encodable, Hashable {
    let type = "about:blank"
    let title: String
    let status: Int
    /// Of docs/protocol/problems.md or docs/api/README.md.
    let code: String
    /// A sentence that says what is wrong and what to do.
    let detail: String
    /// Of a deletion that is refused because no other copy of the shot is known: what it would remove.
    var wouldDelete: [StoredFileDocument]?

    init(_ status: HTTPResponse.Status, _ code: String, _ detail: String) {
        title = status.reasonPhrase
        self.status = status.code
        self.code = code
        self.detail = detail
    }

    /// What the coordinator or the way to it has answered.
    init(_ error: RigClientError) {
        switch error.code {
        case .refused(let code): self.init(Self.status(of: code), code, error.description)
        case .nothingSelected: self.init(.unprocessableContent, "emptySelection", error.description)
        case .noCoordinator, .lostCoordinator, .keyRefused, .wrongCoordinator, .closed:
            self.init(.serviceUnavailable, "noCoordinator", error.description)
        case .malformedReply: self.init(.badGateway, "malformedReply", error.description)
        case .altered: self.init(.badGateway, "corrupted", error.description)
        }
    }

    private static func status(of code: String) -> HTTPResponse.Status {
        switch RigProblem.Code(rawValue: code) {
        case .sessionEnded: .unauthorized
        case .notPermitted: .forbidden
        case .held: .locked
        case .unknownShot, .unknownFile, .noPicture, .unknownDevice, .unknownProfile: .notFound
        case .fileLost, .discarded, .deleted: .gone
        case .conflict, .onlyCopy: .conflict
        case .preconditionFailed: .preconditionFailed
        case .protocolViolation: .badRequest
        case .noMemory, .nodeUnreachable, .cancelled, .notRunning: .serviceUnavailable
        case .noSpace, .inputOutput, .corrupted: .internalServerError
        default: .unprocessableContent
        }
    }

    static func badRequest(_ detail: String) -> GatewayProblem { GatewayProblem(.badRequest, "badRequest", detail) }

    static let noSession = GatewayProblem(
        .unauthorized, "sessionEnded", "this request has no session; sign in with a link of `capctl web login`")

    static let tokenAsCookie = GatewayProblem(
        .unauthorized, "sessionEnded",
        "a token is not a cookie; send it in the header 'Authorization: Bearer TOKEN', or sign in with a link of `capctl web login`"
    )

    /// The document.
    var text: String { (try? JSONText.line(self)) ?? "{}" }

    func response() -> Response {
        var headers: HTTPFields = [.contentType: "application/problem+json", .cacheControl: "no-store"]
        if status == HTTPResponse.Status.serviceUnavailable.code { headers[.retryAfter] = "1" }
        if status == HTTPResponse.Status.unauthorized.code { headers[.wwwAuthenticate] = "Bearer" }
        return Response(
            status: HTTPResponse.Status(code: status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

extension HTTPResponse.Status {
    /// RFC 4918, section 11.3.
    static let locked = HTTPResponse.Status(code: 423, reasonPhrase: "Locked")
}

/// Answers every failure with a problem document.
struct ProblemMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: GatewayContext,
        next: @concurrent (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let problem as GatewayProblem {
            return problem.response()
        } catch let error as RigClientError {
            return GatewayProblem(error).response()
        } catch let error as HTTPError {
            return Self.problem(error, request).response()
        } catch let error as InvalidName {
            return GatewayProblem.badRequest("\(error)").response()
        } catch is CancellationError {
            return GatewayProblem(.serviceUnavailable, "noCoordinator", "the gateway is ending").response()
        } catch is DecodingError {
            return GatewayProblem.badRequest("the body is not the JSON that this operation takes").response()
        } catch {
            context.logger.warning("a request fails", metadata: ["path": "\(request.uri.path)", "reason": "\(error)"])
            return GatewayProblem(.internalServerError, "failed", "\(error)").response()
        }
    }

    private static func problem(_ error: HTTPError, _ request: Request) -> GatewayProblem {
        switch error.status {
        case .notFound: GatewayProblem(.notFound, "notFound", "there is nothing at \(request.uri.path)")
        case .contentTooLarge: GatewayProblem(.contentTooLarge, "tooLarge", "the body is too long")
        default: GatewayProblem(error.status, "badRequest", error.body ?? error.status.reasonPhrase)
        }
    }
}
