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
        guard decoder is any RequestDecoder else { return try decode(Value.self, forKey: key) }
        return try decodeIfPresent(Value.self, forKey: key) ?? usual()
    }
}
