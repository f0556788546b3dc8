internal import CSQLite

/// A failed call of SQLite: the operation, the statement, the file, and the reason.
public struct SQLiteError: Error, Hashable, Sendable {
    /// SQLite's extended result code.
    public let code: Code
    /// The operation, in words that follow "cannot": `run`, `open`.
    public let operation: String
    /// The text of the statement, without the values bound to it; nil if the call was not for a statement.
    public let statement: String?
    /// The path of the database.
    public let file: String
    /// SQLite's message, or that of a check in this module.
    public let message: String

    init(_ code: Code, _ operation: String, statement: String? = nil, file: String, message: String) {
        (self.code, self.operation, self.statement) = (code, operation, statement)
        (self.file, self.message) = (file, message)
    }

    /// A result code of SQLite (<https://www.sqlite.org/rescode.html>). Its lowest byte is the primary code.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int32

        public init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        /// The code without its extension.
        public var primary: Code { Code(rawValue: rawValue & 0xFF) }

        /// The SQL is wrong, or names a table or column that does not exist.
        public static let error = Code(rawValue: SQLITE_ERROR)
        public static let permission = Code(rawValue: SQLITE_PERM)
        /// Another connection holds a lock, for longer than the busy timeout.
        public static let busy = Code(rawValue: SQLITE_BUSY)
        /// A statement of the same connection is in the way.
        public static let locked = Code(rawValue: SQLITE_LOCKED)
        public static let outOfMemory = Code(rawValue: SQLITE_NOMEM)
        public static let readOnly = Code(rawValue: SQLITE_READONLY)
        public static let interrupted = Code(rawValue: SQLITE_INTERRUPT)
        public static let inputOutput = Code(rawValue: SQLITE_IOERR)
        public static let corrupt = Code(rawValue: SQLITE_CORRUPT)
        public static let full = Code(rawValue: SQLITE_FULL)
        public static let cannotOpen = Code(rawValue: SQLITE_CANTOPEN)
        public static let schema = Code(rawValue: SQLITE_SCHEMA)
        public static let constraint = Code(rawValue: SQLITE_CONSTRAINT)
        /// A value has another storage class than the caller asked for.
        public static let mismatch = Code(rawValue: SQLITE_MISMATCH)
        /// The caller broke a rule of this module, such as using a closed connection.
        public static let misuse = Code(rawValue: SQLITE_MISUSE)
        public static let outOfRange = Code(rawValue: SQLITE_RANGE)
        public static let notADatabase = Code(rawValue: SQLITE_NOTADB)
    }
}

extension SQLiteError: CustomStringConvertible {
    public var description: String {
        let subject = statement.map { "\"\(Self.line($0))\" in \(file)" } ?? file
        let sentence = "cannot \(operation) \(subject): \(message) (code \(code.rawValue))"
        return advice.map { "\(sentence); \($0)" } ?? sentence
    }

    private var advice: String? {
        switch code.primary {
        case .busy: "another program uses it: try again when that has finished"
        case .full: "free space on its disk"
        case .cannotOpen, .permission, .readOnly: "check that its folder exists, and the permissions of both"
        case .corrupt, .notADatabase: "replace the file, or remove it if it can be made again"
        default: nil
        }
    }

    /// A statement as one line of bounded length.
    private static func line(_ statement: String) -> String {
        let words = statement.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return words.count <= 200 ? words : words.prefix(199) + "…"
    }
}
