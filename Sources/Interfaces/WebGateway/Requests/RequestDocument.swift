internal import Foundation
internal import RigDocuments

/// The body of a request, which has no other members than these.
protocol RequestDocument: Decodable {
    /// The members of each object by the member that it is; the body itself is the empty name.
    static var members: [String: [String]] { get }
}

extension RequestDocument {
    /// Reads a body, or a message that has the same form.
    /// - Throws: ``GatewayProblem``, which begins with the path of the member that is wrong.
    static func read(_ data: Data) throws -> Self {
        guard let object = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] else {
            throw GatewayProblem.badRequest("the body is not a JSON object")
        }
        try check(object, as: "", at: "")
        do {
            return try JSONDecoder().decode(Self.self, from: data)
        } catch let error as DecodingError {
            throw GatewayProblem.unreadable(error)
        }
    }

    /// A member that is not known is a mistake: what it asks for would silently not be done.
    private static func check(_ object: [String: Any], as name: String, at path: String) throws {
        guard let known = members[name] else { return }
        for (member, value) in object.sorted(by: { $0.key < $1.key }) {
            let path = path.isEmpty ? member : "\(path).\(member)"
            guard known.contains(member) else { throw unknown(member, at: path, of: name, known) }
            switch value {
            case let inner as [String: Any]: try check(inner, as: member, at: path)
            case let list as [Any]:
                for (index, element) in list.enumerated() {
                    guard let inner = element as? [String: Any] else { continue }
                    try check(inner, as: member, at: "\(path)[\(index)]")
                }
            default: break
            }
        }
    }

    private static func unknown(
        _ member: String, at path: String, of name: String, _ known: [String]
    ) -> GatewayProblem {
        if ["settings", "movie"].contains(name), let setting = UnavailablePhotoSetting(named: member) {
            return .member(path, "not supported: \(setting.reason); leave it out")
        }
        let object = name.isEmpty ? "the body" : "'\(name)'"
        return .member(path, "there is no such member; \(object) has \(known.joined(separator: ", "))")
    }
}
