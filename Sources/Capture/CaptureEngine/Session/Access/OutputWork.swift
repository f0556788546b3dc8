import CaptureModel

/// Work that outputs have asked for, until the session performs it. What waits is bounded by the captures under way.
struct OutputWork: Sendable {
    struct Item: Sendable {
        let key: CaptureKey
        let output: ObjectIdentifier
    }

    /// For one reader.
    let items: AsyncStream<Item>
    private let continuation: AsyncStream<Item>.Continuation

    init() {
        (items, continuation) = AsyncStream.makeStream(of: Item.self)
    }

    func add(_ key: CaptureKey, _ output: ObjectIdentifier) {
        continuation.yield(Item(key: key, output: output))
    }
}
