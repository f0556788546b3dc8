internal import AuditLog
internal import CaptureModel
internal import Foundation
internal import Hummingbird
internal import RigClient
internal import RigDocuments

/// The audit log of the rig, for administrators.
struct AuditRoutes {
    let rig: GatewayRig

    private static let limits = 1...1000
    /// Bytes of UTF-8 of a text that is looked for.
    private static let textLimit = 256
    private static let kindByteLimit = 64
    private static let kindLimit = 32

    func add(to group: RouterGroup<GatewayContext>) {
        group.get("audit") { request, context in
            let (limit, filter) = (try Self.limit(request), try Self.filter(request))
            let cursor = try Self.cursor(request)
            let excerpt: AuditExcerpt
            do {
                excerpt = try await rig.with(context.session) { client in
                    try await AuditBackwardReader(RigAudit(client: client))
                        .excerpt(before: cursor?.position, limit: limit, filter)
                }
            } catch let error as AuditError where error.code == .invalidRequest {
                throw GatewayProblem.badRequest("cursor is not `next` of a page: \(error)")
            }
            return try Response.json(
                AuditPageDocument(excerpt, next: excerpt.next.map { AuditCursor(position: $0).text }))
        }
    }

    private static func limit(_ request: Request) throws -> Int {
        guard let text = request.parameter("limit") else { return 50 }
        guard let limit = Int(decimal: text), limits.contains(limit) else {
            throw GatewayProblem.badRequest("limit is \(limits.lowerBound) to \(limits.upperBound), and not '\(text)'")
        }
        return limit
    }

    private static func cursor(_ request: Request) throws -> AuditCursor? {
        guard let text = request.parameter("cursor") else { return nil }
        guard let cursor = AuditCursor(text) else {
            throw GatewayProblem.badRequest("cursor is `next` of a page, and not '\(text)'")
        }
        return cursor
    }

    private static func filter(_ request: Request) throws -> AuditFilter {
        let kinds = request.parameters("kind")
        guard kinds.count <= kindLimit, kinds.allSatisfy({ $0.utf8.count <= kindByteLimit }) else {
            throw GatewayProblem.badRequest(
                "kind is given at most \(kindLimit) times, with at most \(kindByteLimit) bytes")
        }
        let (principal, text) = (request.parameter("principal"), request.parameter("text"))
        for (name, value) in [("principal", principal), ("text", text)] where (value?.utf8.count ?? 0) > textLimit {
            throw GatewayProblem.badRequest("\(name) has at most \(textLimit) bytes")
        }
        return AuditFilter(
            kinds: kinds.isEmpty ? nil : Set(kinds.map(AuditKind.init(rawValue:))), principal: principal, text: text)
    }
}

/// The audit log of the coordinator, as the session of a request may read it.
private struct RigAudit: AuditPartSource {
    var client: RigClient

    func files() async throws -> [UInt64] { try await client.auditFiles() }

    func byteCount(of file: UInt64) async throws -> Int64? { try await client.auditByteCount(of: file) }

    func read(_ file: UInt64, at offset: Int64) async throws -> [UInt8]? {
        try await client.auditBytes(of: file, at: offset)
    }
}

/// Where a page of the audit log ends, for clients only to hand back: base64url (RFC 4648, section 5) of a version and of the place.
struct AuditCursor: Hashable {
    private static let version: UInt8 = 1

    var position: AuditPosition

    init(position: AuditPosition) {
        self.position = position
    }

    /// Reads what ``text`` has returned; nil for anything else.
    init?(_ text: String) {
        let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        guard text.utf8.count <= 32, !text.contains(where: { "+/=".contains($0) }),
            let data = Data(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)),
            data.count == 17, data.first == Self.version
        else { return nil }
        let file = data[1..<9].reduce(0) { $0 << 8 | UInt64($1) }
        let end = data[9...].reduce(0) { $0 << 8 | UInt64($1) }
        guard file > 0, (1...UInt64(AuditFolder.fileLimit)).contains(end) else { return nil }
        position = AuditPosition(file: file, end: Int64(end))
        guard self.text == text else { return nil }
    }

    var text: String {
        let numbers = [position.file, UInt64(clamping: position.end)]
        let bytes = numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } }
        return Data([Self.version] + bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
