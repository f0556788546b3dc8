/// The places of a YAML text that refer to an anchor (`*name`).
///
/// An alias stands for all that its anchor holds, further aliases included, so that nine lines can stand for a thousand
/// million nodes. The parser keeps each node once, but walks through all of them when such a thing is a key.
enum YAMLAliases {
    /// More than a configuration needs. So many can multiply a text by 81 at most.
    static let limit = 12

    /// How many words that begin with `*` stand where a key or value may begin; in some texts for people more than the
    /// parser would find.
    static func count(in text: String) -> Int {
        var (count, last, isPending) = (0, UInt8(ascii: "\n"), false)
        for byte in text.utf8 {
            if isPending, !Self.isBlank(byte) { count += 1 }
            isPending = byte == UInt8(ascii: "*") && Self.isBeforeNode(last)
            if byte != UInt8(ascii: " "), byte != UInt8(ascii: "\t") { last = byte }
        }
        return count
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n")].contains(byte)
    }

    private static func isBeforeNode(_ byte: UInt8) -> Bool { "\r\n-?:[{,".utf8.contains(byte) }
}
