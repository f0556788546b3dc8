public import PosixSupport

extension ChildProgram {
    /// The most bytes that ``lines(of:within:)`` reads.
    private static let listed = 1 << 16

    /// Runs a program, ends it when it has closed its standard output, and returns what it has written there, at most 64 KiB. Blocks the
    /// thread.
    /// - Parameter silence: The longest time for which the program may write nothing; what it has written until then is returned.
    /// - Throws: As ``init(_:outputs:takesInput:memory:)``.
    public static func lines(of command: [String], within silence: Duration) throws(PosixError) -> [Substring] {
        let program = try ChildProgram(command, outputs: [.standardOutput])
        let never = try EventFlag()
        var bytes: [UInt8] = []
        while bytes.count < listed,
            try !program.wait(for: [.standardOutput], or: never, within: silence).isEmpty,
            try program.read(.standardOutput, to: &bytes, limit: listed - bytes.count) != .end
        {}
        _ = program.end(within: .zero)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }
}
