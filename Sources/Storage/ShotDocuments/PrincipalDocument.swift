internal import CaptureModel

/// Who asked for the shot: `triggeredBy`.
struct PrincipalDocument: Codable, Sendable {
    let value: Principal

    private enum CodingKeys: String, CodingKey {
        case name = "name"
        case isAuthenticated = "isAuthenticated"
    }

    init(_ value: Principal) {
        self.value = value
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let name = try members.decode(String.self, forKey: .name)
        let isAuthenticated = try members.decode(Bool.self, forKey: .isAuthenticated)
        guard let value = Principal(recorded: name, isAuthenticated: isAuthenticated) else {
            let reason = "no principal has this name"
            throw DecodingError.dataCorruptedError(forKey: .name, in: members, debugDescription: reason)
        }
        self.value = value
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(value.name, forKey: .name)
        try members.encode(value.isAuthenticated, forKey: .isAuthenticated)
    }
}
