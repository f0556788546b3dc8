/// The public name of a session: the first 12 hexadecimal digits of its secret's hash.
public struct SessionID: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    public init(of hash: TokenHash) {
        description = hash.bytes.prefix(6).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count < 2 ? "0" + digits : digits
        }.joined()
    }

    /// - Returns: nil unless these are 12 lower-case hexadecimal digits.
    public init?(_ text: String) {
        guard text.utf8.count == 12, text.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) }) else { return nil }
        description = text
    }
}
