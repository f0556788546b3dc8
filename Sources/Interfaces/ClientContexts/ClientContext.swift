public import KeyFiles
public import RigConfiguration
public import ZeroMQ

/// A rig that a person uses: where its coordinator is, how to recognize it, and the key that it knows the person by.
public struct ClientContext: Hashable, Sendable {
    public var name: ContextName
    /// The coordinator's client channel.
    public var coordinator: TCPEndpoint
    /// The coordinator's public key.
    public var coordinatorKey: CurvePublicKey
    /// The absolute path of the file of the person's key pair.
    public var keyFile: String

    /// - Throws: ``ContextError/Code/invalid`` if `keyFile` is not an absolute path.
    public init(
        name: ContextName, coordinator: TCPEndpoint, coordinatorKey: CurvePublicKey, keyFile: String
    ) throws(ContextError) {
        guard keyFile.hasPrefix("/"), !keyFile.contains("\0"), keyFile.utf8.count <= 4096 else {
            throw ContextError(
                .invalid, "use the context", name.description,
                "its key file '\(keyFile.prefix(100))' is not an absolute path",
                remedy: "give the whole path of the key file, which begins with /")
        }
        self.name = name
        self.coordinator = coordinator
        self.coordinatorKey = coordinatorKey
        self.keyFile = keyFile
    }
}

/// The name of a context: 1 to 63 letters, digits, `-`, `_` and `.` of ASCII, the first a letter or digit, so that it can be part of a file's
/// name and is not an option of a command.
public struct ContextName: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// - Throws: ``ContextError/Code/invalid`` for any other text.
    public init(_ text: String) throws(ContextError) {
        let isName = text.utf8.allSatisfy { Self.isLetterOrDigit($0) || "-_.".utf8.contains($0) }
        guard isName, let first = text.utf8.first, Self.isLetterOrDigit(first), text.utf8.count <= 63 else {
            let shown = text.unicodeScalars.prefix(80).map { $0.value < 0x20 || $0.value == 0x7F ? "?" : String($0) }
            throw ContextError(
                .invalid, "use the context", "'\(shown.joined())'", "that is not the name of a context",
                remedy: "use 1 to 63 letters, digits, '-', '_' and '.', beginning with a letter or digit")
        }
        description = text
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

extension KeyFile {
    /// The file of the person's key pair of a context.
    public init(of context: ClientContext) throws(KeyFileError) {
        let slash = context.keyFile.lastIndex(of: "/") ?? context.keyFile.startIndex
        try self.init(
            String(context.keyFile[context.keyFile.index(after: slash)...]), in: String(context.keyFile[..<slash]),
            environment: [:])
    }
}
