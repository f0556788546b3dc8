/// A decoder of requests. They may omit members that stored documents always have.
public protocol RequestDecoder: Decoder {}

extension KeyedDecodingContainer {
    /// Returns a member that requests may omit.
    /// - Parameters:
    ///   - decoder: That of this container.
    ///   - usual: What a request without the member asks for.
    func decode<Value: Decodable>(
        _ key: Key, by decoder: any Decoder, usual: @autoclosure () throws -> Value
    ) throws -> Value {
        guard decoder is any RequestDecoder, !contains(key) else { return try decode(Value.self, forKey: key) }
        return try usual()
    }
}

/// A document that can say more of a member that it does not have than that there is no such member.
public protocol ExplainsUnknownMembers {
    /// Why there is no such member, or what replaces it; nil if nothing is known of it.
    static func explanation(ofUnknown member: String) -> String?
}
