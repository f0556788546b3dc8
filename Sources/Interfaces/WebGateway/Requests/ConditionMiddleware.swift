internal import CaptureModel
internal import Hummingbird
internal import RigClient

/// Makes the changes of a request depend on its `If-Match` (RFC 9110, section 13.1.1).
///
/// The coordinator evaluates the condition where it makes the change, and refuses changes of what has no version. So no handler can forget it.
struct ConditionMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: GatewayContext,
        next: @concurrent (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        let fields = request.headers[values: .ifMatch]
        guard !fields.isEmpty, ![.get, .head].contains(request.method) else { return try await next(request, context) }
        guard let condition = EntityTags(fields.joined(separator: ",")) else {
            throw GatewayProblem.badRequest("If-Match is '*', or entity tags in quotes, separated by commas")
        }
        // Whatever exists fulfils it, and what does not cannot be changed.
        guard case .these(let tags) = condition else { return try await next(request, context) }
        let versions = Set(tags.compactMap(\.version))
        guard versions.count <= ChangeCondition.limit else {
            throw GatewayProblem.badRequest(
                "If-Match has \(tags.count) entity tags; at most \(ChangeCondition.limit) are allowed")
        }
        return try await RigClient.$condition.withValue(ChangeCondition(Array(versions))) {
            try await next(request, context)
        }
    }
}

/// The entity tags of a condition (RFC 9110, section 8.8.3).
enum EntityTags: Hashable {
    case any
    case these([EntityTag])

    /// - Returns: nil if the field is malformed.
    init?(_ field: String) {
        var rest = field[...]
        Self.skip(&rest) { $0 == " " || $0 == "\t" }
        if rest.first == "*" {
            rest.removeFirst()
            Self.skip(&rest) { $0 == " " || $0 == "\t" }
            guard rest.isEmpty else { return nil }
            self = .any
            return
        }
        var tags: [EntityTag] = []
        // Elements of a list may be empty (section 5.6.1).
        Self.skip(&rest) { $0 == "," || $0 == " " || $0 == "\t" }
        while !rest.isEmpty {
            guard let tag = EntityTag(prefixOf: &rest) else { return nil }
            tags.append(tag)
            Self.skip(&rest) { $0 == " " || $0 == "\t" }
            guard rest.isEmpty || rest.first == "," else { return nil }
            Self.skip(&rest) { $0 == "," || $0 == " " || $0 == "\t" }
        }
        guard !tags.isEmpty else { return nil }
        self = .these(tags)
    }

    private static func skip(_ text: inout Substring, _ isSkipped: (Character) -> Bool) {
        text = text.drop(while: isSkipped)
    }
}

struct EntityTag: Hashable {
    var isWeak: Bool
    /// Between the quotes.
    var opaque: String

    /// Reads a tag, and leaves what follows it.
    init?(prefixOf text: inout Substring) {
        isWeak = text.hasPrefix("W/")
        if isWeak { text.removeFirst(2) }
        guard text.first == "\"", let end = text.dropFirst().firstIndex(of: "\"") else { return nil }
        opaque = String(text[text.index(after: text.startIndex)..<end])
        guard opaque.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F }) else { return nil }
        text = text[text.index(after: end)...]
    }

    /// The version that it is, if it is one of this API's: tags are compared strongly, and as they are written.
    var version: ContentDigest? {
        guard !isWeak, let version = ContentDigest(opaque), version.description == opaque else { return nil }
        return version
    }
}
