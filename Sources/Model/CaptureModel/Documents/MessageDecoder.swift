/// A decoder of requests and reports, which somebody else has written. Requests may omit members that stored documents always have, and
/// reports may have words of a later version where nothing is lost by that.
public protocol MessageDecoder: Decoder {}

extension KeyedDecodingContainer {
    /// Returns a member that requests may omit.
    /// - Parameters:
    ///   - decoder: That of this container.
    ///   - usual: What a request without the member asks for.
    func decode<Value: Decodable>(
        _ key: Key, by decoder: any Decoder, usual: @autoclosure () throws -> Value
    ) throws -> Value {
        guard decoder is any MessageDecoder else { return try decode(Value.self, forKey: key) }
        return try decodeIfPresent(Value.self, forKey: key) ?? usual()
    }
}
