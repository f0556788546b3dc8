/// The lines that a program writes to its descriptor 3, out of pieces of any size. Pure.
struct ProgramLines {
    /// A line that the program must not write. It ends the program's run, since all later ones could mean something else.
    struct Mismatch: Error, Hashable, CustomStringConvertible {
        var description: String
    }

    /// The bytes of a line.
    static let longest = 256

    private var partial: [UInt8] = []

    /// Reads further bytes, and calls the function with each line that is whole.
    mutating func add(
        _ bytes: some Collection<UInt8>, _ line: (String) throws(Mismatch) -> Void
    ) throws(Mismatch) {
        for byte in bytes {
            guard byte != UInt8(ascii: "\n") else {
                let whole = String(decoding: partial, as: UTF8.self)
                partial = []
                try line(whole)
                continue
            }
            guard partial.count < Self.longest else {
                throw Mismatch(description: "a line of its descriptor 3 is longer than \(Self.longest) bytes")
            }
            partial.append(byte)
        }
    }
}
