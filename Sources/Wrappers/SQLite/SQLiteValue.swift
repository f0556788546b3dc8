/// A value of SQLite, with its storage class.
public enum SQLiteValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
}

extension SQLiteValue {
    /// A text, or ``null``.
    public init(_ text: String?) {
        self = text.map(SQLiteValue.text) ?? .null
    }

    /// An integer, or ``null``.
    public init(_ integer: Int64?) {
        self = integer.map(SQLiteValue.integer) ?? .null
    }
}
