public import CaptureModel

extension KeyName {
    /// The name that a machine or a person gets unless they ask for another: the text in lower case, with hyphens for what no name
    /// may have, and cut at the length of names.
    /// - Returns: nil if nothing is left of the text.
    public init?(suggestedBy text: String) {
        let legal = text.lowercased().utf8.map { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? byte : UInt8(ascii: "-")
        }
        let body = legal.drop { $0 == UInt8(ascii: "-") }.prefix(24)
        try? self.init(String(decoding: body, as: UTF8.self))
    }
}
