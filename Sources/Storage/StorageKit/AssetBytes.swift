/// Bytes to append to an asset, wherever they are in memory, so that those of a message need not be copied.
public protocol AssetBytes: Sendable {
    var count: Int { get }

    /// Calls `body` with the bytes in place; the span is valid during the call.
    func withSpan<R>(_ body: (Span<UInt8>) throws -> R) rethrows -> R
}

extension [UInt8]: AssetBytes {
    public func withSpan<R>(_ body: (Span<UInt8>) throws -> R) rethrows -> R { try body(span) }
}
